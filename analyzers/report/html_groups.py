"""Section 5 of the HTML report: the same differences within each value of a label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from analyzers.base import METRICS, Metric
from analyzers.effect import Effect
from analyzers.report.grid import Grid
from analyzers.report.html_effects import reason
from analyzers.report.html_heat import minus, tone
from analyzers.report.material import Breakdown, Material
from analyzers.report.names import shown_name
from analyzers.report.numbers import DASH, change, count
from tracer.printable import printable


@dataclass(frozen=True, slots=True)
class GroupCell:
    """One difference within one value of the label."""

    text: str
    mark: str
    css: str
    title: str
    """Why there is no value."""


@dataclass(frozen=True, slots=True)
class GroupRow:
    """One condition within one value of the label."""

    condition: str
    first: bool
    value: str
    n: str
    cells: tuple[GroupCell, ...]


@dataclass(frozen=True, slots=True)
class GroupTable:
    """One breakdown."""

    label: str
    note: str
    family: str
    metrics: tuple[Metric, ...]
    rows: tuple[GroupRow, ...]
    reasons: tuple[str, ...]
    """Why cells are empty, each once."""


def group_table(material: Material, breakdown: Breakdown) -> GroupTable | None:
    """A breakdown as a table; None when it holds no pair."""
    grid = next((grid for grid in material.report.grids if grid.key == "overview"), None)
    names = [] if grid is None else [column.name for column in grid.columns if column.name]
    found = {(e.metric, e.condition, e.group): e for e in breakdown.effects}
    names = [
        name for name in names if any(e.n for (metric, _, _), e in found.items() if metric == name)
    ]
    metrics = tuple(METRICS.get(name) for name in names)
    if not metrics:
        return None
    values = list(dict.fromkeys(e.group for e in breakdown.effects))
    conditions = list(dict.fromkeys(e.condition for e in breakdown.effects))
    rows, reasons = [], []
    for condition in conditions:
        for place, value in enumerate(values):
            effects = [found.get((name, condition, value)) for name in names]
            rows.append(_row(condition, value, metrics, effects, first=place == 0))
            reasons += [reason(e) for e in effects if e is not None and e.difference is None]
    sizes = {e.family for e in breakdown.effects if e.family}
    return GroupTable(
        breakdown.label,
        breakdown.note,
        f"Holm over {max(sizes)} cells of each metric" if sizes else "",
        metrics,
        tuple(rows),
        tuple(dict.fromkeys(reasons)),
    )


def _row(
    condition: str,
    value: str,
    metrics: Sequence[Metric],
    effects: Sequence[Effect | None],
    *,
    first: bool,
) -> GroupRow:
    sizes = sorted({effect.n for effect in effects if effect is not None and effect.n})
    n = DASH if not sizes else count(sizes[0])
    if len(sizes) > 1:
        n = f"{count(sizes[0])} to {count(sizes[-1])}"
    cells = tuple(_cell(m, e) for m, e in zip(metrics, effects, strict=True))
    return GroupRow(shown_name(condition), first, printable(value), n, cells)


def _cell(metric: Metric, effect: Effect | None) -> GroupCell:
    if effect is None or effect.difference is None:
        return GroupCell(DASH, "", "none", "no item" if effect is None else reason(effect))
    text = minus(change(effect.difference, metric.unit))
    return GroupCell(text, effect.mark, tone(metric, effect), "")


@dataclass(frozen=True, slots=True)
class PanelTable:
    """A finished table of an analysis."""

    title: str
    heads: tuple[tuple[str, bool], ...]
    """Heading of each column, and whether its texts stand left."""
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]


def panel_table(grid: Grid) -> PanelTable:
    """A grid by rows; numbers with the minus sign of print."""
    columns = [
        column.cells if column.left else tuple(minus(cell) for cell in column.cells)
        for column in grid.columns
    ]
    return PanelTable(
        grid.title,
        tuple((column.title, column.left) for column in grid.columns),
        tuple(zip(*columns, strict=True)),
        grid.below,
    )
