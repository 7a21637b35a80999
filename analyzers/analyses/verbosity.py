"""verbosity: does more padding around the request cost more?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from analyzers.analysis import ANALYSES, EFFECT_FIELDS, Evidence, Field, Panel, Study, line_of
from analyzers.compare import adjusted
from analyzers.effect import Effect
from analyzers.statistics.quartiles import rank_quartiles

_METRICS = ("recall@5", "answer_accuracy", "required_call_recall", "success")


def padding(study: Study, condition: str) -> dict[str, float]:
    """Item to words of its wording over words of the original."""
    return {
        fact.item: fact.padding
        for fact in study.block.notes.facts
        if fact.condition == condition and fact.padding is not None
    }


@ANALYSES.add("verbosity")
def verbosity(evidence: Evidence) -> Iterable[Panel]:
    """Every condition by quartile of padding: words of the wording over words of the original.

    Quartiles are by rank with equal counts, ties by item.

    Source:
        Lost in the Request, section 4.2.1; words separated by blanks, and ranks: ours.
    """
    for study in evidence.studies:
        names = [name for name in _METRICS if name in study.comparison.metrics]
        for name in names:
            lines = []
            for effect, low, high in by_quartile(study, name):
                lines.append(
                    line_of(effect, quartile=effect.group, padding=f"{low:.2f} to {high:.2f}")
                )
            if any(line["n"] for line in lines):
                yield Panel(
                    "verbosity",
                    f"{name} by padding quartile: {study.title}",
                    (
                        Field("condition", "condition"),
                        Field("quartile", "quartile"),
                        Field("padding", "words / words"),
                        *EFFECT_FIELDS,
                    ),
                    tuple(lines),
                    ("quartile 1 is the least padded quarter of the items, by rank",),
                )


def by_quartile(study: Study, metric: str) -> list[tuple[Effect, float, float]]:
    """Effects by condition and quartile, with the least and most padding of each."""
    rows = [row for row in study.block.rows if row.metric == metric]
    baseline = study.comparison.baseline
    effects: list[Effect] = []
    ends: list[tuple[float, float]] = []
    for condition in study.comparison.conditions:
        ratios = padding(study, condition)
        if len(set(ratios.values())) < 2:
            continue
        for quartile, items in _items(rank_quartiles(ratios)).items():
            part = [r for r in rows if r.item in items and r.condition in (baseline, condition)]
            for effect in study.measured(part, [condition]) if part else ():
                effects.append(replace(effect, group=str(quartile)))
                inside = [ratios[item] for item in items]
                ends.append((min(inside), max(inside)))
    return [(one, *pair) for one, pair in zip(adjusted(effects), ends, strict=True)]


def _items(quartiles: Mapping[str, int]) -> dict[int, set[str]]:
    out: dict[int, set[str]] = {number: set() for number in (1, 2, 3, 4)}
    for item, quartile in quartiles.items():
        out[quartile].add(item)
    return {number: items for number, items in out.items() if items}
