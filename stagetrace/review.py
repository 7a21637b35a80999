"""The screen of `vary --review`: a person says whether a text still asks for the same."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from analyzers.statistics.kappa import cohen_kappa
from stagetrace import console
from tracer.printable import printable
from tracer.records import Json
from variants.base import POLES, Variant
from variants.gating import rated_gates
from variants.raters import HUMAN, read_verdicts

_QUESTIONS = {
    "intent": "same request?",
    "style": "shows the style?",
    "human_likeness": "could a person have typed it?",
}
_ANSWERS = {"y": "yes", "yes": "yes", "n": "no", "no": "no", "s": "skip", "skip": "skip"}


class Stopped(Exception):  # noqa: N818 (no error: the reader has had enough for today)
    """The reader typed q or closed the input."""


@dataclass(frozen=True, slots=True)
class Agreed:
    """How far two raters agree on one gate."""

    gate: str
    first: str
    second: str
    texts: int
    agreement: float
    kappa: float | None
    """None where both gave one and the same answer throughout."""


def verdict_file(variants: Path) -> Path:
    """Where the verdicts on a file of variants are kept."""
    return variants.with_name(variants.name + ".verdicts.jsonl")


def review(
    variants: Iterable[Variant], path: Path, *, reviewer: str, ask: Callable[[str], str]
) -> int:
    """Ask about every admitted text that this reviewer has not seen, and return how many answers.

    Each answer is stored at once, so the work can be left at any time.

    Args:
        variants: What is read.
        path: File of verdicts, appended to.
        reviewer: Name of the person, kept beside the rater `human`.
        ask: Shows a prompt and returns the line that was typed.

    Raises:
        VariantError: The file of verdicts cannot be read.
    """
    stored = read_verdicts(path) if path.exists() else []
    seen = {
        (row["gate"], row["condition"], row["base_text"], row["text"])
        for row in stored
        if row.get("reviewer", "") == reviewer
    }
    waiting = [
        (variant, gate)
        for variant in variants
        if variant.status == "admitted" and variant.condition != "base"
        for gate in _questions(variant)
        if (gate, variant.condition, variant.base_text, variant.text) not in seen
    ]
    given = 0
    shown: Variant | None = None
    with path.open("a", encoding="utf-8") as file:
        for number, (variant, gate) in enumerate(waiting, start=1):
            if variant is not shown:
                _show(variant, number, len(waiting))
                shown = variant
            try:
                verdict = _answer(gate, ask)
            except Stopped:
                break
            file.write(json.dumps(_row(variant, gate, verdict, reviewer)) + "\n")
            file.flush()
            given += 1
    return given


def agreements(variants: Iterable[Variant], verdicts: Iterable[Mapping[str, str]]) -> list[Agreed]:
    """Raw agreement and Cohen's kappa of every two raters, gate by gate.

    Raters are the models that gated the variants and the reviewers; texts that only one of two
    has judged are left out, and so are skipped ones.

    Source:
        Lost in the Request, section 2.3, reports kappa for intent and raw agreement for style and
        human-likeness; both are given for each here.
    """
    labels: dict[str, dict[str, dict[tuple[str, str, str], str]]] = defaultdict(
        lambda: defaultdict(dict)
    )
    for variant in variants:
        for one in variant.gates:
            if one.name in _QUESTIONS and one.rater:
                key = (variant.condition, variant.base_text, variant.text)
                labels[one.name][one.rater][key] = "yes" if one.passed else "no"
    for row in verdicts:
        if row["verdict"] != "skip":
            rater = ":".join(part for part in (row.get("rater"), row.get("reviewer")) if part)
            labels[row["gate"]][rater or "unnamed"][
                row["condition"], row["base_text"], row["text"]
            ] = row["verdict"]
    found = []
    for gate in _QUESTIONS:
        for first, second in combinations(sorted(labels[gate]), 2):
            left, right = labels[gate][first], labels[gate][second]
            both = sorted(left.keys() & right.keys())
            if both:
                measured = cohen_kappa([left[key] for key in both], [right[key] for key in both])
                found.append(
                    Agreed(
                        gate, first, second, len(both), measured.agreement or 0.0, measured.kappa
                    )
                )
    return found


def _questions(variant: Variant) -> tuple[str, ...]:
    return rated_gates(variant.condition) if variant.condition in POLES.names() else ("intent",)


def _show(variant: Variant, number: int, total: int) -> None:
    console.say()
    console.say(printable(f"{number} of {total}  {variant.item_id}  {variant.condition}"))
    console.say("  base       " + printable(variant.base_text))
    console.say("  candidate  " + printable(variant.text))


def _answer(gate: str, ask: Callable[[str], str]) -> str:
    while True:
        try:
            typed = ask(f"  {_QUESTIONS[gate]} [y/n/skip, q to leave] ").strip().lower()
        except EOFError as error:
            raise Stopped from error
        if typed in ("q", "quit"):
            raise Stopped
        if typed in _ANSWERS:
            return _ANSWERS[typed]


def _row(variant: Variant, gate: str, verdict: str, reviewer: str) -> dict[str, Json]:
    return {
        "gate": gate,
        "item_id": variant.item_id,
        "condition": variant.condition,
        "base_text": variant.base_text,
        "text": variant.text,
        "verdict": verdict,
        "rater": HUMAN,
        "reviewer": reviewer,
    }
