"""At most five sentences that say what the tables show, the same in every format."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from analyzers.base import METRICS
from analyzers.effect import Comparison, Effect
from analyzers.report.names import shown_name
from analyzers.report.numbers import level

MOST = 5

_STOPS = {
    "retrieval": "the document is already lost when it is looked for",
    "answer": "the answer goes wrong",
    "call": "it stops at the call stage",
    "act": "it acts wrongly",
    "outcome": "the stage it is lost at does not stand out",
}


def verdicts(comparison: Comparison, metrics: Sequence[str]) -> tuple[str, ...]:
    """Sentences over the metrics of the overview, the largest difference first.

    "Lowers" and "raises" only where Holm-adjusted p is below .05; else "no clear change", and never
    "no effect".
    """
    clear: dict[str, list[Effect]] = {}
    quiet: list[str] = []
    for condition in comparison.conditions:
        effects = [e for name in metrics if (e := comparison.effect(name, condition)) is not None]
        found = sorted(
            (e for e in effects if e.mark == "*"), key=lambda e: -abs(e.difference or 0.0)
        )
        if found:
            clear[condition] = found
        elif any(e.p is not None for e in effects):
            quiet.append(shown_name(condition))
    order = sorted(clear.values(), key=lambda found: -abs(found[0].difference or 0.0))
    sentences = [_sentence(found, comparison, metrics) for found in order[: MOST - 1]]
    if len(order) > MOST - 1:
        rest = ", ".join(shown_name(found[0].condition) for found in order[MOST - 1 :])
        sentences.append(f"Clear differences also under {rest}.")
    if quiet and len(sentences) < MOST:
        sentences.append(_no_clear_change(quiet, comparison, metrics))
    return tuple(sentences)


def _sentence(found: Sequence[Effect], comparison: Comparison, metrics: Sequence[str]) -> str:
    first, others = found[0], found[1:3]
    text = f"{shown_name(first.condition)} {_moves(first)}"
    if first.low is not None and first.high is not None:
        ends = sorted((abs(first.low), abs(first.high)))
        if first.low * first.high >= 0:
            text += f" [{level(ends[0])}, {level(ends[1])}]"
    for before, other in pairwise([first, *others]):
        text += f" and {_moves(other, after=before)}"
    text += _doubts(first)
    stage = _stage(found)
    if not stage:
        return text + "."
    text += f": {_STOPS[stage]}"
    act = [
        effect
        for name in metrics
        if METRICS.get(name).stage == "act"
        and (effect := comparison.effect(name, first.condition)) is not None
        and effect.p is not None
    ]
    if stage == "call" and act and not any(_harms(e) and e.mark == "*" for e in act):
        text += ", wrong actions do not clearly rise"
    return text + "."


def _doubts(effect: Effect) -> str:
    """What speaks against leaning on the effect, in brackets."""
    doubts = []
    if effect.few and effect.test == "bootstrap":
        doubts.append(f"only {effect.moved} items changed")
    if effect.clusters_disagree:
        doubts.append("not so over clusters")
    return f" ({', '.join(doubts)})" if doubts else ""


def _moves(effect: Effect, *, after: Effect | None = None) -> str:
    """Verb, metric and size; the unit only once, the verb only where it changes."""
    difference = effect.difference or 0.0
    moved = f"{effect.metric} by {level(abs(difference))}"
    if after is None:
        return f"{_verb(effect)} {moved} points"
    return moved if _verb(after) == _verb(effect) else f"{_verb(effect)} {moved}"


def _verb(effect: Effect) -> str:
    return "raises" if (effect.difference or 0.0) > 0 else "lowers"


def _harms(effect: Effect) -> bool:
    better = METRICS.get(effect.metric).better
    difference = effect.difference or 0.0
    return (difference < 0 and better == "higher") or (difference > 0 and better == "lower")


def _stage(found: Sequence[Effect]) -> str:
    harmed = {METRICS.get(effect.metric).stage for effect in found if _harms(effect)}
    return next((stage for stage in _STOPS if stage in harmed), "")


def _no_clear_change(quiet: Sequence[str], comparison: Comparison, metrics: Sequence[str]) -> str:
    text = f"No clear change under {', '.join(quiet)}"
    last = next((name for name in reversed(metrics) if _sizes(comparison, name)), None)
    if last is None:
        return text + "."
    points = level(max(_sizes(comparison, last)))
    return text + f"; in {last} a difference under {points} points would mostly go unseen."


def _sizes(comparison: Comparison, metric: str) -> list[float]:
    return [
        effect.detectable
        for effect in comparison.effects
        if effect.metric == metric and effect.detectable is not None
    ]
