"""Score rows of one suite, laid out so that conditions can be paired."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from analyzers.effect import Effect, Level
from analyzers.pairing import Averaged, Paired, average
from analyzers.score import ScoreRow
from tracer.errors import PairingError

Cell: TypeAlias = tuple[str, str]
"""Metric and condition."""


@dataclass(slots=True)
class Table:
    """Score rows of one suite, laid out for pairing."""

    suite: str
    conditions: list[str]
    values: dict[str, dict[str, dict[str, list[float | None]]]]
    """Metric, condition, item, runs."""
    parts: dict[Cell, dict[str, tuple[float, float]]]
    """Numerator and denominator sums by metric, condition and item."""
    reasons: dict[Cell, dict[str, Counter[str]]]
    clusters: dict[str, str]
    _averaged: dict[Cell, Averaged] = field(default_factory=dict)

    @classmethod
    def of(cls, rows: Iterable[ScoreRow]) -> Table:
        """Lay the rows out.

        Raises:
            PairingError: They are of several suites.
        """
        table = cls("", [], {}, {}, {}, {})
        suites: dict[str, None] = {}
        conditions: dict[str, None] = {}
        cells: dict[Cell, dict[str, list[float | None]]] = {}
        clusters = table.clusters
        for row in rows:
            cell = row.metric, row.condition
            items = cells.get(cell)
            if items is None:
                conditions[row.condition] = None
                items = cells[cell] = {}
                table.values.setdefault(row.metric, {})[row.condition] = items
            runs = items.get(row.item)
            if runs is None:
                items[row.item] = [row.value]
                if row.cluster and row.item not in clusters:
                    clusters[row.item] = row.cluster
            else:
                runs.append(row.value)
            if row.suite not in suites:
                suites[row.suite] = None
            if row.value is None:
                of_cell = table.reasons.setdefault(cell, defaultdict(Counter))
                of_cell[row.item][row.reason] += 1
            if row.numerator is not None and row.denominator is not None:
                sums = table.parts.setdefault(cell, {})
                top, bottom = sums.get(row.item, (0.0, 0.0))
                sums[row.item] = top + row.numerator, bottom + row.denominator
        if len(suites) > 1:
            raise PairingError(
                f"scores of several suites ({', '.join(suites)}) cannot be compared as one; "
                "compare each suite by itself"
            )
        table.suite = next(iter(suites), "")
        table.conditions = list(conditions)
        return table

    def averaged(self, metric: str, condition: str) -> Averaged:
        """The items of one cell with their runs averaged; made once."""
        cell = metric, condition
        if cell not in self._averaged:
            self._averaged[cell] = average(self.values.get(metric, {}).get(condition, {}))
        return self._averaged[cell]

    def level(self, metric: str, condition: str) -> Level:
        """Mean over all items of a condition."""
        runs = self.values[metric].get(condition, {})
        means = self.averaged(metric, condition).values
        known = means[~np.isnan(means)]
        return Level(
            self.suite,
            metric,
            condition,
            float(known.mean()) if known.size else None,
            known.size,
            means.size - known.size,
            self.micro(metric, condition, runs),
            self._reasons(metric, [condition], runs),
        )

    def micro(self, metric: str, condition: str, items: Iterable[str]) -> float | None:
        """Sum of numerators over sum of denominators, for metrics that have them."""
        sums = self.parts.get((metric, condition), {})
        pairs = [sums[item] for item in items if item in sums]
        bottom = sum(pair[1] for pair in pairs)
        return sum(pair[0] for pair in pairs) / bottom if bottom else None

    def _reasons(
        self, metric: str, conditions: Sequence[str], items: Iterable[str]
    ) -> dict[str, int]:
        total: Counter[str] = Counter()
        kept = set(items)
        for condition in conditions:
            for item, counts in self.reasons.get((metric, condition), {}).items():
                if item in kept:
                    total.update(counts)
        return dict(total)

    def effect(self, metric: str, baseline: str, condition: str, paired: Paired) -> Effect:
        """What pairing alone says, before any test."""
        both = [*paired.items, *paired.undefined]
        difference = paired.difference
        return Effect(
            suite=self.suite,
            metric=metric,
            condition=condition,
            n=paired.n,
            n_undefined=len(paired.undefined),
            n_missing=len(paired.missing_in_variant),
            n_short=len(paired.short),
            base=float(paired.base.mean()) if paired.n else None,
            variant=float(paired.variant.mean()) if paired.n else None,
            difference=float(difference.mean()) if paired.n else None,
            moved=int(np.sum(np.abs(difference) > 1e-12)),
            micro_base=self.micro(metric, baseline, both),
            micro_variant=self.micro(metric, condition, both),
            reasons=self._reasons(metric, [baseline, condition], both),
            missing=paired.missing_in_variant,
            extra=paired.missing_in_base,
        )
