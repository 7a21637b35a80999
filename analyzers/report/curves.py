"""Curves of paired differences: how an effect changes along a scale, such as k or a quartile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzers.effect import Effect
from analyzers.report.figure import new_figure
from analyzers.report.palette import TOKENS
from analyzers.report.svg import drawable, figure_svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

RANGES = (5, 10, 15, 20, 30, 40, 50, 60, 75, 100)
ACROSS = 5
"""Panels in a row."""
_LEFT, _WIDE, _HIGH = 0.55, 2.1, 2.05
_PALE = {name: light for name, (light, _) in TOKENS.items()}


@dataclass(frozen=True, slots=True)
class Curve:
    """Effects along one scale, a panel of its own."""

    label: str
    points: tuple[tuple[str, Effect], ...]
    """Name of the place on the scale, and the effect there."""


def curves_svg(
    curves: Sequence[Curve],
    *,
    scale: str,
    higher_is_better: bool,
    prefix: str,
    title: str,
    description: str,
) -> str:
    """Small multiples: dots with intervals joined by a thin line, the base as a dashed zero line.

    Args:
        curves: One a panel, each with at least two places on the scale.
        scale: What the places are, under the panels.
        higher_is_better: Which side is a loss.
        prefix: What all ids begin with.
        title: Read aloud first.
        description: What it shows.
    """
    places = _places(curves)
    across = min(len(curves), ACROSS)
    down = -(-len(curves) // ACROSS)
    most = _range(curves)
    with new_figure(_LEFT + _WIDE * across, _HIGH * down + 0.1) as figure:
        for number, curve in enumerate(curves):
            axes = _axes(figure, number, most, len(places))
            axes.set_xticks(range(len(places)), [drawable(place) for place in places])
            axes.set_title(drawable(curve.label), size=9, color=_PALE["ink"], pad=5)
            axes.set_xlabel(drawable(scale), size=8, color=_PALE["muted"], labelpad=2)
            _points(axes, curve, places, higher_is_better=higher_is_better)
        return figure_svg(figure, prefix=prefix, title=title, description=description)


def _axes(figure: Figure, number: int, most: int, places: int) -> Axes:
    """The axes of one panel, the base as a dashed line."""
    full_width, full_height = figure.get_size_inches()
    x = _LEFT + (number % ACROSS) * _WIDE
    y = full_height - (number // ACROSS) * _HIGH - _HIGH + 0.4
    box = (x / full_width, y / full_height, (_WIDE - 0.2) / full_width, 1.3 / full_height)
    axes = figure.add_axes(box)
    axes.patch.set_visible(False)
    axes.set_ylim(-most, most)
    axes.set_xlim(-0.4, places - 0.6)
    axes.axhline(0, color=_PALE["ink"], lw=0.9, ls=(0, (4, 2.5)), zorder=1)
    for side in ("right", "top", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(_PALE["grid"])
    axes.tick_params(length=0, labelsize=8, labelcolor=_PALE["muted"])
    first = number % ACROSS == 0
    axes.set_yticks([-most, 0, most], [f"\u2212{most}", "0", f"+{most}"] if first else [""] * 3)
    return axes


def _points(axes: Axes, curve: Curve, places: Sequence[str], *, higher_is_better: bool) -> None:
    known = [
        (places.index(place), effect, 100 * effect.difference)
        for place, effect in curve.points
        if effect.difference is not None
    ]
    line = [place for place, _, _ in known], [value for _, _, value in known]
    axes.plot(*line, color=_PALE["none"], lw=0.9, zorder=2)
    for place, effect, value in known:
        clear = effect.mark == "*"
        harm = (value < 0) == higher_is_better
        colour = _PALE[("loss" if harm else "gain") if clear else "none"]
        if effect.low is not None and effect.high is not None:
            ends = [100 * effect.low, 100 * effect.high]
            axes.plot([place] * 2, ends, color=colour, lw=1.6, solid_capstyle="butt", zorder=3)
        axes.plot(
            [place],
            [value],
            marker="s" if effect.mark else "o",
            ms=4.5,
            mec=colour,
            mfc=colour if clear else _PALE["paper"],
            zorder=4,
        )


def _range(curves: Sequence[Curve]) -> int:
    """Half the height of the panels in points, the same for all."""
    ends = [
        abs(100 * end)
        for curve in curves
        for _, effect in curve.points
        for end in (effect.low, effect.high, effect.difference)
        if end is not None
    ]
    return next((size for size in RANGES if size >= max(ends, default=0.0)), RANGES[-1])


def _places(curves: Sequence[Curve]) -> list[str]:
    """The places of all panels in their order, so that panels can be compared."""
    found = list(dict.fromkeys(place for curve in curves for place, _ in curve.points))
    return sorted(found, key=float) if all(place.isdecimal() for place in found) else found
