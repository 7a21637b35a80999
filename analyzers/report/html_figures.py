"""The plots of one block, or why there is none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from analyzers.base import METRICS
from analyzers.effect import Effect
from analyzers.report.curves import Curve, curves_svg
from analyzers.report.figure import INSTALL
from analyzers.report.forest import FEWEST, Panel, forest_svg, scale_of
from analyzers.report.html_heat import minus
from analyzers.report.layout import Group
from analyzers.report.material import Material
from analyzers.report.names import shown_name
from analyzers.report.numbers import change, count, interval, probability

_AT = re.compile(r"recall@(\d+)")
_WIDTH = re.compile(r'width="(\d+)"')
_PHONE = 704
"""Width in pixels up to which a figure keeps its size."""
CAPTION = (
    "Difference from the base in percentage points with its 95 % interval; the line at 0 is the "
    "base. Filled square and thick line: Holm-adjusted p < .05, orange worse, blue better. Open "
    "square: raw p < .05 only. Open circle: neither. Dashed: fewer than 10 items changed, so that "
    "the interval is too narrow. An arrow head: the interval goes on beyond the panel."
)


@dataclass(frozen=True, slots=True)
class Figure:
    """One plot with its words."""

    svg: str
    caption: str
    wide: bool = True
    """Too wide for a phone, where it scrolls."""
    heads: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Figures:
    """All plots of a block."""

    forest: Figure | None
    forest_note: str
    """Why the forest plot is not drawn."""
    curves: tuple[Figure, ...]


def figures_of(material: Material, groups: Sequence[Group], *, prefix: str, draw: bool) -> Figures:
    """Draw what can be drawn.

    Args:
        material: The block.
        groups: Its rows.
        prefix: What the ids of its figures begin with.
        draw: False where matplotlib is not installed.
    """
    if not material.report.comparison.conditions:
        return Figures(None, "", ())
    if not draw:
        return Figures(None, f"plots left out: {INSTALL}", ())
    forest, note = _forest(material, groups, prefix)
    return Figures(forest, note, tuple(_curves(material, prefix)))


def _forest(material: Material, groups: Sequence[Group], prefix: str) -> tuple[Figure | None, str]:
    comparison = material.report.comparison
    if len(comparison.conditions) < 2:
        return None, "one condition beside the base: the table says it"
    panels = [panel for panel in _panels(material) if panel.drawn]
    if not panels:
        return None, f"no plot: no metric has {FEWEST} pairs under any condition"
    verdicts = " ".join(material.report.verdicts)
    svg = forest_svg(
        panels,
        groups,
        prefix=f"{prefix}forest",
        title="Forest plot: difference from the base by condition and metric",
        description=verdicts or "No sentence: nothing was tested.",
    )
    caption = CAPTION
    if len({scale_of(panel) for panel in panels}) > 1:
        caption += " Scales differ between panels."
    if material.report.subject.references & set(comparison.conditions):
        caption += " (ref): reference pole, the control for any rewriting at all."
    few = sum(effect.n < FEWEST for panel in panels for effect in panel.effects.values())
    if few:
        caption += f" {few} cells with under {FEWEST} pairs are not drawn."
    return Figure(svg, caption, wide=_is_wide(svg)), ""


def _is_wide(svg: str) -> bool:
    width = _WIDTH.search(svg)
    return width is not None and int(width[1]) > _PHONE


def _panels(material: Material) -> list[Panel]:
    comparison = material.report.comparison
    grid = next((grid for grid in material.report.grids if grid.key == "overview"), None)
    names = [] if grid is None else [column.name for column in grid.columns if column.name]
    return [
        Panel(
            METRICS.get(name),
            {
                condition: effect
                for condition in comparison.conditions
                if (effect := comparison.effect(name, condition)) is not None
            },
        )
        for name in names
    ]


def _curves(material: Material, prefix: str) -> Iterator[Figure]:
    recall = _recall(material)
    if recall:
        yield _curve_figure(recall, "recall@k", "k", f"{prefix}recall", higher=True)
    for number, found in enumerate(material.breakdowns):
        if not found.ordered:
            continue
        for name in ("recall@5", "answer_accuracy", "success"):
            effects = [e for e in found.effects if e.metric == name]
            curves = _along(effects)
            if curves:
                yield _curve_figure(
                    curves,
                    name,
                    found.label,
                    f"{prefix}curve{number}-{name.replace('@', '-')}",
                    higher=METRICS.get(name).better == "higher",
                )


def _recall(material: Material) -> list[tuple[str, tuple[tuple[str, Effect], ...]]]:
    comparison = material.report.comparison
    if not any(name.startswith("recall@") for name in material.report.metrics):
        return []
    at = sorted(int(found[1]) for name in comparison.metrics if (found := _AT.fullmatch(name)))
    effects = []
    for condition in comparison.conditions:
        points = [
            (str(k), effect)
            for k in at
            if (effect := comparison.effect(f"recall@{k}", condition)) is not None
            and effect.n >= FEWEST
        ]
        if len(points) > 1:
            effects.append((shown_name(condition), tuple(points)))
    return effects


def _along(effects: Sequence[Effect]) -> list[tuple[str, tuple[tuple[str, Effect], ...]]]:
    of: dict[str, list[tuple[str, Effect]]] = {}
    for effect in effects:
        if effect.n >= FEWEST:
            of.setdefault(effect.condition, []).append((effect.group, effect))
    return [(shown_name(name), tuple(found)) for name, found in of.items() if len(found) > 1]


def _curve_figure(
    found: Sequence[tuple[str, tuple[tuple[str, Effect], ...]]],
    metric: str,
    scale: str,
    prefix: str,
    *,
    higher: bool,
) -> Figure:
    title = f"{metric} along {scale}: difference from the base"
    svg = curves_svg(
        [Curve(label, points) for label, points in found],
        scale=scale,
        higher_is_better=higher,
        prefix=prefix,
        title=title,
        description=f"One panel a condition; {len(found)} conditions.",
    )
    caption = (
        f"{title}, in points with the 95 % interval; the dashed line is the base. Filled square: "
        "Holm-adjusted p < .05; open square: raw p < .05 only; open circle: neither."
    )
    rows = tuple(
        (
            label,
            place,
            minus(change(effect.difference)) + effect.mark,
            minus(interval(effect.low, effect.high)),
            probability(effect.holm),
            count(effect.n),
        )
        for label, points in found
        for place, effect in points
    )
    return Figure(
        svg,
        caption,
        _is_wide(svg),
        ("condition", scale, "diff", "95 % interval", "Holm", "n"),
        rows,
    )
