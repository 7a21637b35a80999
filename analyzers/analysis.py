"""What an analysis is, what it is given, and the tables it gives back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from analyzers.blocks import Block
from analyzers.compare import adjusted, measure
from analyzers.effect import Comparison, Effect
from analyzers.item_table import OUTCOMES
from analyzers.panel import Panel
from analyzers.report.subject import Subject
from analyzers.score import ScoreRow
from analyzers.score_table import Table
from tracer.records import Json
from tracer.registry import Registry


@dataclass(frozen=True, slots=True)
class Study:
    """One block with its comparison: what an analysis looks at."""

    block: Block
    comparison: Comparison

    @property
    def subject(self) -> Subject:
        """Suite, assistant, model, retriever, mode."""
        return self.block.subject

    @property
    def title(self) -> str:
        """Suite, assistant, model and retriever in one line."""
        subject = self.subject
        parts = (subject.suite, subject.assistant, subject.model, subject.retriever)
        return " \u00b7 ".join(part for part in parts if part)

    @property
    def outcome(self) -> str:
        """The metric that says whether a run is right; empty where there is none."""
        names = (n for n in OUTCOMES if any(v.n for v in self.comparison.levels if v.metric == n))
        return next(names, "")

    def dialects(self) -> list[str]:
        """The conditions that are dialects at full density."""
        names = self.comparison.conditions
        return [name for name in names if name.startswith("dialect_") and "@" not in name]

    def measured(
        self,
        rows: Iterable[ScoreRow],
        conditions: Sequence[str] | None = None,
        *,
        mcnemar: bool = True,
    ) -> list[Effect]:
        """Effects over other rows than those of the comparison, with its settings."""
        comparison = self.comparison
        table = Table.of(rows)
        return adjusted(
            measure(
                table,
                comparison.baseline,
                [name for name in conditions or table.conditions if name != comparison.baseline],
                resamples=comparison.resamples,
                seed=comparison.seed,
                mcnemar=mcnemar,
            )
        )

    def pooled(self, group_of: Mapping[str, str], metrics: Sequence[str]) -> list[Effect]:
        """Effects of groups of conditions: the mean over the conditions of a group, item by item.

        Only items that were run in every condition of a group count for it. McNemar does not apply
        to means over conditions, so p is that of the bootstrap.
        """
        return self.measured(
            pool(self.block.rows, group_of, self.comparison.baseline, metrics), mcnemar=False
        )

    def by_axis(self, metrics: Sequence[str]) -> list[Effect]:
        """Effects pooled over the conditions of each axis, in the order of the conditions.

        The axis stands as condition, its members as group.
        """
        names = [name for name in self.comparison.conditions if "@" not in name]
        known = self.block.notes.axes()
        # A foreign trace names no axis; its condition is one of its own then.
        of = {name: axis if (axis := known.get(name, "base")) != "base" else name for name in names}
        members: dict[str, list[str]] = {}
        for name in names:
            members.setdefault(of[name], []).append(name)
        found = self.pooled(of, metrics)
        return [replace(one, group=", ".join(members[one.condition])) for one in found]


@dataclass(frozen=True, slots=True)
class Evidence:
    """All blocks of one call of `analyze`."""

    studies: tuple[Study, ...]


Analysis: TypeAlias = Callable[[Evidence], Iterable[Panel]]

ANALYSES: Registry[Analysis] = Registry("analysis", "analyzers.analyses")


def line_of(effect: Effect, unit: str = "share", **more: Json) -> dict[str, Json]:
    """An effect as a line; `more` stands in front."""
    return {
        **more,
        "metric": effect.metric,
        "condition": effect.condition,
        "base": effect.base,
        "variant": effect.variant,
        "difference": effect.difference,
        "low": effect.low,
        "low_high": effect.high,
        "p": effect.p,
        "test": effect.test,
        "holm": effect.holm,
        "b": effect.b,
        "c": effect.c,
        "n": effect.n,
        "n_undefined": effect.n_undefined,
        "n_missing": effect.n_missing,
        "mark": effect.mark,
        "unit": unit,
    }


def pool(
    rows: Iterable[ScoreRow],
    group_of: Mapping[str, str],
    baseline: str,
    metrics: Sequence[str] | None = None,
) -> list[ScoreRow]:
    """Rows of the baseline, and one row an item and group with the mean over its conditions.

    An item that lacks a condition of a group, or a value in one, is left out of the group.

    Source:
        Lost in the Request, section 4.2.1 (pooled dialect); which items count: ours.
    """
    wanted = None if metrics is None else set(metrics)
    members: dict[str, set[str]] = {}
    cells: dict[tuple[str, str, str], dict[str, list[float | None]]] = {}
    like: dict[tuple[str, str, str], ScoreRow] = {}
    out: list[ScoreRow] = []
    for row in rows:
        if wanted is not None and row.metric not in wanted:
            continue
        if row.condition == baseline:
            out.append(row)
            continue
        group = group_of.get(row.condition)
        if group is None:
            continue
        members.setdefault(group, set()).add(row.condition)
        key = group, row.metric, row.item
        cells.setdefault(key, {}).setdefault(row.condition, []).append(row.value)
        like.setdefault(key, row)
    for key, runs in cells.items():
        means = [_mean(values) for values in runs.values()]
        known = [mean for mean in means if mean is not None]
        if len(known) == len(members[key[0]]):
            value = sum(sorted(known)) / len(known)
            out.append(
                replace(
                    like[key],
                    condition=key[0],
                    replicate=0,
                    value=value,
                    reason="",
                    numerator=None,
                    denominator=None,
                )
            )
    return out


def _mean(values: Sequence[float | None]) -> float | None:
    known = sorted(value for value in values if value is not None)
    return sum(known) / len(known) if known else None


def run_analyses(names: Sequence[str], evidence: Evidence) -> list[Panel]:
    """The panels of several analyses, in the order asked for.

    Raises:
        UnknownNameError: There is no such analysis; the nearest names are offered.
    """
    found: list[Any] = [ANALYSES.get(name) for name in names]
    return [panel for analysis in found for panel in analysis(evidence)]
