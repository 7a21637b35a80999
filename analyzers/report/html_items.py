"""Section 6 of the HTML report: every item under every condition, and which break together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analyzers.item_table import ItemTable
from analyzers.report.anchors import Anchors
from analyzers.report.excerpts import excerpt
from analyzers.report.item_states import Item, State
from analyzers.report.names import shown_name

MOST_COMBINATIONS = 12
FEWEST_CONDITIONS = 3
FEWEST_BROKEN = 10
MOST_LETTERS = 120
"""Letters of an item's name that are shown."""
_BAR = 24


@dataclass(frozen=True, slots=True)
class ItemCell:
    """One item in one condition."""

    glyph: str
    words: str
    anchor: str
    """Anchor of its drill-down, where the report holds one."""
    css: str


@dataclass(frozen=True, slots=True)
class ItemRow:
    """One item."""

    item: str
    anchor: str
    link: str
    """Anchor of a drill-down of the item alone, where there is one condition only."""
    base: ItemCell
    cells: tuple[ItemCell, ...]
    stage: str
    broken: int
    conditions: str
    """Numbers of the conditions that break it, for the filter."""
    kinds: str


@dataclass(frozen=True, slots=True)
class Combination:
    """Items that are broken under the same conditions."""

    dots: tuple[bool, ...]
    number: int
    bar: str


@dataclass(frozen=True, slots=True)
class Overlap:
    """Which conditions break the same items."""

    heads: tuple[str, ...]
    rows: tuple[Combination, ...]
    rest: int
    """Items of combinations that are not shown."""
    combinations_left: int


def item_rows(
    items: Sequence[Item],
    baseline: str,
    conditions: Sequence[str],
    shown: Mapping[tuple[str, str], str],
    anchors: Anchors,
) -> list[ItemRow]:
    """The item table.

    Args:
        items: In order.
        baseline: The base condition.
        conditions: The others, in table order.
        shown: Item and condition to the anchor of the drill-downs that the report holds.
        anchors: Names of places.
    """
    return [
        ItemRow(
            excerpt(one.item, MOST_LETTERS),
            anchors.item(one.item),
            shown.get((one.item, baseline), ""),
            _cell(one.base, ""),
            tuple(_cell(one.states[name], shown.get((one.item, name), "")) for name in conditions),
            one.stage,
            one.broken,
            " ".join(
                str(at) for at, name in enumerate(conditions) if one.states[name].kind == "induced"
            ),
            " ".join(one.kinds),
        )
        for one in items
    ]


def _cell(state: State, anchor: str) -> ItemCell:
    css = {"induced": "x", "mended": "m", "both": "o"}.get(state.kind, "")
    return ItemCell(state.glyph, state.words, anchor, css)


def overlap(table: ItemTable) -> Overlap | None:
    """Combinations of conditions that break the same items, most frequent first.

    None under 3 conditions or 10 broken items, where the item table says it better.
    """
    number = sum(items for _, items in table.overlap)
    if len(table.conditions) < FEWEST_CONDITIONS or number < FEWEST_BROKEN:
        return None
    shown, rest = table.overlap[:MOST_COMBINATIONS], table.overlap[MOST_COMBINATIONS:]
    most = shown[0][1]
    return Overlap(
        tuple(shown_name(name) for name in table.conditions),
        tuple(
            Combination(
                tuple(name in names for name in table.conditions),
                items,
                "█" * max(1, round(_BAR * items / most)),
            )
            for names, items in shown
        ),
        sum(items for _, items in rest),
        len(rest),
    )
