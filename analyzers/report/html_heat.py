"""Section 3 of the HTML report: conditions against stages, a table that needs no script."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from analyzers.base import METRICS, Metric
from analyzers.effect import Effect
from analyzers.report.anchors import Anchors
from analyzers.report.grid import Grid
from analyzers.report.layout import Group, Line
from analyzers.report.material import Material
from analyzers.report.numbers import DASH, change
from analyzers.report.palette import step_of

STAGE_WORDS = {
    "retrieval": "retrieve",
    "answer": "answer",
    "call": "call",
    "act": "act",
    "outcome": "outcome",
    "cost": "cost",
}
FEWEST = 5
"""Items under which a difference gets no colour."""
_SIGNIFICANT = {"*", "·"}


@dataclass(frozen=True, slots=True)
class HeatCell:
    """One difference."""

    text: str
    mark: str
    """Significance, or the letter of the footnote that tells why there is no value."""
    note: str
    """Anchor of that footnote."""
    css: str
    anchor: str
    """Anchor of the row in the effect table; empty where there is none."""
    value: float | None


@dataclass(frozen=True, slots=True)
class HeatRow:
    """One condition."""

    line: Line
    anchor: str
    cells: tuple[HeatCell, ...]


@dataclass(frozen=True, slots=True)
class HeatGroup:
    """The conditions of one axis."""

    axis: str
    rows: tuple[HeatRow, ...]


@dataclass(frozen=True, slots=True)
class Heat:
    """The whole table."""

    stages: tuple[tuple[str, int], ...]
    """Word and number of columns."""
    metrics: tuple[Metric, ...]
    starts: tuple[bool, ...]
    """Whether a column is the first of its stage."""
    groups: tuple[HeatGroup, ...]

    @property
    def has_references(self) -> bool:
        """Whether any row is a reference pole."""
        return any(row.line.reference for group in self.groups for row in group.rows)


def heat(material: Material, groups: Sequence[Group], anchors: Anchors) -> Heat | None:
    """The table; None when there is nothing to compare."""
    grid = next((grid for grid in material.report.grids if grid.key == "overview"), None)
    if grid is None:
        return None
    metrics = [METRICS.get(column.name) for column in grid.columns if column.name]
    stages = [(key, len(list(found))) for key, found in groupby(m.stage for m in metrics)]
    starts = [at == 0 or metrics[at - 1].stage != one.stage for at, one in enumerate(metrics)]
    return Heat(
        tuple((STAGE_WORDS[key], width) for key, width in stages),
        tuple(metrics),
        tuple(starts),
        tuple(
            HeatGroup(
                group.axis,
                tuple(
                    HeatRow(
                        line,
                        anchors.condition(line.condition),
                        tuple(_cell(material, grid, metric, line, anchors) for metric in metrics),
                    )
                    for line in group.lines
                ),
            )
            for group in groups
        ),
    )


def _cell(material: Material, grid: Grid, metric: Metric, line: Line, anchors: Anchors) -> HeatCell:
    comparison = material.report.comparison
    effect = comparison.effect(metric.name, line.condition)
    column = next(column for column in grid.columns if column.name == metric.name)
    row = comparison.conditions.index(line.condition)
    mark = column.marks[row] if column.marks else ""
    there = effect is not None
    if effect is None or effect.difference is None:
        letter = "" if mark in _SIGNIFICANT else mark
        anchor = anchors.cell(line.condition, metric.name) if there else ""
        return HeatCell(DASH, letter, anchors.note(letter), "none", anchor, None)
    return HeatCell(
        minus(change(effect.difference, metric.unit)),
        mark,
        "",
        tone(metric, effect),
        anchors.cell(line.condition, metric.name),
        effect.difference,
    )


def minus(text: str) -> str:
    """A number with the minus sign of print in place of the hyphen.

    Example:
        >>> minus("[-17.1, -5.6]") == "[\u221217.1, \u22125.6]"
        True
    """
    return text.replace("-", "\u2212")


def tone(metric: Metric, effect: Effect) -> str:
    """The class of a cell: worse or better, and how much; empty where it is small or n is."""
    points = round(100 * (effect.difference or 0.0), 1)
    step = step_of(points)
    if not step or metric.better == "neither" or metric.unit != "share" or effect.n < FEWEST:
        return ""
    better = (points > 0) == (metric.better == "higher")
    return f"{'better' if better else 'worse'}{step}"
