"""One block as the templates take it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzers.base import Metric
from analyzers.report.anchors import Anchors
from analyzers.report.grid import Footnotes
from analyzers.report.html_effects import (
    EffectRow,
    LevelRow,
    below_lines,
    effect_rows,
    level_rows,
    metrics_shown,
    notes_of,
)
from analyzers.report.html_figures import Figures
from analyzers.report.html_groups import GroupTable, PanelTable, group_table, panel_table
from analyzers.report.html_heat import Heat, heat
from analyzers.report.html_items import ItemRow, Overlap, item_rows, overlap
from analyzers.report.html_method import Method, method
from analyzers.report.html_trust import Sentence, Trust, sentences, trust
from analyzers.report.item_states import Items
from analyzers.report.layout import Group
from analyzers.report.material import Material
from analyzers.report.names import shown_name
from analyzers.report.numbers import count

if TYPE_CHECKING:
    from markupsafe import Markup


ITEMS_AT_ONCE = 250


@dataclass(frozen=True, slots=True)
class Plot:
    """A figure whose SVG is ours and needs no escaping."""

    svg: Markup
    caption: str
    wide: bool
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class BlockView:
    """Everything that the page shows of one block."""

    key: str
    """What the ids of its own begin with."""
    about: str
    trust: Trust
    omission: str
    sentences: tuple[Sentence, ...]
    heat: Heat | None
    forest: Plot | None
    forest_note: str
    heads: tuple[tuple[str, str], ...]
    effects: tuple[EffectRow, ...]
    levels: tuple[LevelRow, ...]
    below: tuple[tuple[str, tuple[str, ...]], ...]
    notes: tuple[tuple[str, str, str], ...]
    groups: tuple[GroupTable, ...]
    panels: tuple[PanelTable, ...]
    curves: tuple[Plot, ...]
    baseline: str
    conditions: tuple[str, ...]
    items: tuple[ItemRow, ...]
    stages: tuple[str, ...]
    """Stages of first harm that occur."""
    judged: bool
    overlap: Overlap | None
    details: tuple[Markup, ...]
    method: Method

    @property
    def first_items(self) -> tuple[ItemRow, ...]:
        """The items that are laid out at once."""
        return self.items[:ITEMS_AT_ONCE]

    @property
    def more_items(self) -> tuple[ItemRow, ...]:
        """Those that are laid out when they are asked for; a long table takes seconds."""
        return self.items[ITEMS_AT_ONCE:]

    @property
    def short(self) -> str:
        """What the block is about, in few words."""
        return self.about or self.trust.title


def view_of(
    material: Material,
    items: Items,
    groups: Sequence[Group],
    anchors: Anchors,
    figures: Figures,
    *,
    details: Mapping[tuple[str, str], str],
    differing: int,
) -> BlockView:
    """Put the sections of a block together.

    Args:
        material: The block.
        items: Its items in order.
        groups: Its conditions in order.
        anchors: Names of places.
        figures: Its plots.
        details: Item and condition to the finished drill-down, of those that the page holds.
        differing: How many pairs differ in all.
    """
    from markupsafe import Markup

    report = material.report
    comparison = report.comparison
    notes = Footnotes()
    for line in report.footnotes:
        notes.letter(line.partition("  ")[2])
    shown = {key: anchors.pair(*key) for key in details}
    metrics: list[Metric] = metrics_shown(material)
    effects = tuple(effect_rows(material, anchors, notes))
    levels = () if comparison.conditions else tuple(level_rows(material, anchors, notes))
    tables = [group_table(material, found) for found in material.breakdowns]
    baseline = comparison.baseline
    if not comparison.conditions:
        baseline = next((name for name, n in comparison.items.items() if n), baseline)
    order = {
        (one.item, name): None for one in items.rows for name in (baseline, *comparison.conditions)
    }
    return BlockView(
        key=anchors.section(""),
        about=_about(material),
        trust=trust(material),
        omission=_omission(material, len(details), differing),
        sentences=sentences(material, anchors),
        heat=heat(material, groups, anchors),
        forest=_plot(figures.forest),
        forest_note=figures.forest_note,
        heads=method(material, ()).heads,
        effects=effects,
        levels=levels,
        below=tuple(below_lines(material, metrics)),
        notes=tuple(notes_of(notes, anchors)),
        groups=tuple(table for table in tables if table is not None),
        panels=tuple(panel_table(grid) for grid in material.panels),
        curves=tuple(plot for one in figures.curves if (plot := _plot(one)) is not None),
        baseline=shown_name(baseline),
        conditions=tuple(shown_name(name) for name in comparison.conditions),
        items=tuple(item_rows(items.rows, baseline, comparison.conditions, shown, anchors)),
        stages=tuple(dict.fromkeys(one.stage for one in items.rows if one.stage)),
        judged=any(
            state.judged for one in items.rows for state in (one.base, *one.states.values())
        ),
        overlap=overlap(items.table),
        details=tuple(Markup(details[key]) for key in order if key in details),
        method=method(material, metrics),
    )


def _about(material: Material) -> str:
    subject = material.report.subject
    return " · ".join(part for part in (subject.suite, subject.assistant, subject.model) if part)


def _plot(figure: object) -> Plot | None:
    from markupsafe import Markup

    from analyzers.report.html_figures import Figure

    if not isinstance(figure, Figure):
        return None
    return Plot(Markup(figure.svg), figure.caption, figure.wide, figure.heads, figure.rows)


def _omission(material: Material, shown: int, differing: int) -> str:
    """How many pairs the page holds of those that differ, and how to see the rest."""
    runs = material.report.subject.runs
    run = runs[0] if runs else "RUN"
    if not material.report.comparison.conditions:
        if shown == differing:
            return ""
        text = f"{count(shown)} of {count(differing)} traces shown"
        return f"{text}; the rest: stagetrace show {run} ITEM"
    text = f"{count(shown)} of {count(differing)} differing pairs shown"
    if shown == differing:
        return f"{text}; equal pairs are left out"
    both = f"{material.report.comparison.baseline},CONDITION"
    return f"{text}; the rest: stagetrace diff {run} ITEM --conditions {both}"
