"""The order and grouping of conditions that tables and plots of the HTML report share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import groupby

from analyzers.report.names import shown_name


@dataclass(frozen=True, slots=True)
class Line:
    """One condition as a row."""

    condition: str
    label: str
    reference: bool
    """A reference pole, the control for any rewriting at all."""


@dataclass(frozen=True, slots=True)
class Group:
    """Neighbouring conditions of one axis."""

    axis: str
    lines: tuple[Line, ...]


def grouped(
    conditions: Sequence[str], axes: Mapping[str, str], references: Set[str]
) -> tuple[Group, ...]:
    """The conditions in their order, neighbours of one axis together.

    Args:
        conditions: In table order; it is kept.
        axes: Condition to axis; a condition without one stands by itself.
        references: The reference poles.
    """
    lines = [Line(name, shown_name(name), name in references) for name in conditions]
    return tuple(
        Group(axis, tuple(group))
        for axis, group in groupby(lines, key=lambda line: _axis(line.condition, axes))
    )


def _axis(condition: str, axes: Mapping[str, str]) -> str:
    axis = axes.get(condition, "")
    return "" if axis in (condition, "base") else axis
