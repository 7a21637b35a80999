"""How much longer a wording is than the request, and effects by quartile of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from analyzers.analysis import Study
from analyzers.compare import adjusted
from analyzers.effect import Effect
from analyzers.statistics.quartiles import rank_quartiles


def padding(study: Study, condition: str) -> dict[str, float]:
    """Item to words of its wording over words of the original."""
    return {
        fact.item: fact.padding
        for fact in study.block.notes.facts
        if fact.condition == condition and fact.padding is not None
    }


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
