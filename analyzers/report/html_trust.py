"""Section 1 and 2 of the HTML report: whether the numbers can be trusted, and what they say."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from analyzers.report.anchors import Anchors
from analyzers.report.headers import BASELINE_PROGRAM, title_line
from analyzers.report.material import Material, RunFacts
from analyzers.report.names import shown_name
from analyzers.report.numbers import count
from tracer.records import Json

_MOVES = re.compile(r" (?:lowers|raises) (\S+) by ")


@dataclass(frozen=True, slots=True)
class Warned:
    """One thing to know before the numbers are read."""

    text: str
    command: str = ""
    """What shows it."""
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class Trust:
    """What is known of the runs of one block."""

    title: str
    facts: tuple[tuple[str, str], ...]
    warnings: tuple[Warned, ...]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A verdict with the cell it speaks of."""

    text: str
    anchor: str = ""


def trust(material: Material) -> Trust:
    """The facts of the runs, and warnings with the command that shows each."""
    subject, comparison = material.report.subject, material.report.comparison
    return Trust(
        title_line(subject, comparison),
        tuple((name, value) for name, value in _facts(material) if value),
        tuple(_warnings(material)),
    )


def sentences(material: Material, anchors: Anchors) -> tuple[Sentence, ...]:
    """The verdicts; those about one cell link to it."""
    comparison = material.report.comparison
    longest_first = sorted(comparison.conditions, key=lambda name: -len(shown_name(name)))
    out = []
    for text in material.report.verdicts:
        condition = next(
            (name for name in longest_first if text.startswith(shown_name(name) + " ")), None
        )
        moved = _MOVES.search(text)
        known = condition is not None and moved is not None and moved[1] in comparison.metrics
        anchor = anchors.cell(condition, moved[1]) if known and condition and moved else ""
        out.append(Sentence(text, anchor))
    return tuple(out)


def _facts(material: Material) -> Iterator[tuple[str, str]]:
    subject = material.report.subject
    yield "pairs", _pairs(material)
    yield "missing", _missing(material)
    yield "without a value", _undefined(material)
    yield "failed", _counts(subject.failed) or "none"
    yield "retried", _joined(_number(run.manifest, "retried") for run in material.runs)
    yield "interrupted", _counts(subject.interrupted)
    yield "without an admitted wording", _counts(subject.rejected)
    yield "spans", _spans(subject.spans_made, subject.spans_stored)
    yield "model source", subject.model_source[:16]
    yield "schema", subject.schema_hash[:16]
    yield "started", _joined(_date(run.manifest) for run in material.runs)
    yield "written by", _joined(_version(run.manifest) for run in material.runs)
    yield "read from", _joined(subject.runs)


def _pairs(material: Material) -> str:
    comparison = material.report.comparison
    total = comparison.items.get(comparison.baseline, 0)
    if not comparison.conditions:
        return f"none: one condition, {count(max(comparison.items.values(), default=0))} items"
    sizes = sorted(set(comparison.common.values()))
    span = count(sizes[0]) if len(sizes) == 1 else f"{count(sizes[0])} to {count(sizes[-1])}"
    return f"{span} of {count(total)} items, over {len(comparison.conditions)} conditions"


def _missing(material: Material) -> str:
    comparison = material.report.comparison
    total = comparison.items.get(comparison.baseline, 0)
    short = {name: total - common for name, common in comparison.common.items() if common < total}
    return _counts(short) or ("none" if comparison.conditions else "")


def _undefined(material: Material) -> str:
    """For each metric of the report the most items that any condition leaves out."""
    most: dict[str, int] = {}
    for effect in material.report.comparison.effects:
        if effect.metric in material.report.metrics and effect.n_undefined:
            most[effect.metric] = max(most.get(effect.metric, 0), effect.n_undefined)
    return ", ".join(f"{name} {count(number)}" for name, number in most.items()) or "none"


def _counts(numbers: Mapping[str, int]) -> str:
    return ", ".join(f"{shown_name(name)} {count(n)}" for name, n in numbers.items() if n)


def _spans(made: int | None, stored: int | None) -> str:
    if made is None or stored is None:
        return ""
    if made == stored:
        return f"{count(made)} made = stored"
    return f"{count(made)} made, {count(stored)} stored"


def _joined(values: Sequence[str] | Iterator[str]) -> str:
    return ", ".join(dict.fromkeys(value for value in values if value))


def _date(manifest: Mapping[str, Json]) -> str:
    started = manifest.get("started_ns")
    if not isinstance(started, int):
        return ""
    return f"{datetime.fromtimestamp(started / 1e9, UTC):%Y-%m-%d %H:%M} UTC"


def _version(manifest: Mapping[str, Json]) -> str:
    version = manifest.get("stagetrace_version")
    return f"stagetrace {version}" if isinstance(version, str) else ""


def _number(manifest: Mapping[str, Json], key: str) -> str:
    value = manifest.get(key)
    return count(value) if isinstance(value, int) else ""


def _warnings(material: Material) -> Iterator[Warned]:
    subject, comparison = material.report.subject, material.report.comparison
    run = shlex.quote(subject.runs[0]) if subject.runs else "RUN"
    if subject.baseline_program:
        yield Warned(BASELINE_PROGRAM)
    made, stored = subject.spans_made, subject.spans_stored
    if made is not None and stored is not None and made != stored:
        yield Warned(
            f"spans lost: {count(made)} made, {count(stored)} stored", f"stagetrace check {run}"
        )
    for counts, what in (
        (subject.failed, "runs failed and have no score"),
        (subject.interrupted, "runs were interrupted"),
        (subject.rejected, "items have no admitted wording; variants.jsonl tells why"),
    ):
        for condition, number in counts.items():
            if number:
                shown = f"{shown_name(condition)}: {count(number)} {what}"
                yield Warned(shown, _shows(run, what, condition))
    if not comparison.conditions:
        yield Warned("one condition: there is nothing to compare with")
    for text, number in material.warnings.items():
        yield Warned(f"{count(number)} traces: {text}", f"stagetrace check {run}")
    for facts in material.runs:
        yield from _of_status(facts)


def _shows(run: str, what: str, condition: str) -> str:
    if "interrupted" in what:
        return f"stagetrace run --resume {run}"
    return (
        "" if "wording" in what else f"stagetrace show {run} --condition {shlex.quote(condition)}"
    )


def _of_status(facts: RunFacts) -> Iterator[Warned]:
    status = facts.manifest.get("status")
    if isinstance(status, str) and status != "done":
        yield Warned(
            f"{facts.path}: the run is {status}; what is missing may change the picture",
            f"stagetrace run --resume {shlex.quote(facts.path)}",
        )
