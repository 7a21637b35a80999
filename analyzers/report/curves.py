"""Curves of paired differences: how an effect changes along a scale, such as k or a quartile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from analyzers.effect import Effect
from analyzers.report.figure import new_figure
from analyzers.report.palette import TOKENS
from analyzers.report.svg import drawable, figure_svg

RANGES = (5, 10, 15, 20, 30, 40, 50, 60, 75, 100)
ACROSS = 5
"""Panels in a row."""
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
    across = min(len(curves), ACROSS)
    down = -(-len(curves) // ACROSS)
    ends = [
        abs(100 * end)
        for curve in curves
        for _, effect in curve.points
        for end in (effect.low, effect.high, effect.difference)
        if end is not None
    ]
    most = next((size for size in RANGES if size >= max(ends, default=0.0)), RANGES[-1])
    wide, high = 2.1, 2.05
    with new_figure(0.55 + wide * across, high * down + 0.1) as figure:
        full_width, full_height = figure.get_size_inches()
        for number, curve in enumerate(curves):
            x = 0.55 + (number % ACROSS) * wide
            y = full_height - (number // ACROSS) * high - high + 0.4
            axes = figure.add_axes(
                (x / full_width, y / full_height, (wide - 0.2) / full_width, 1.3 / full_height)
            )
            axes.patch.set_visible(False)
            axes.set_ylim(-most, most)
            axes.set_xlim(-0.4, max(len(one.points) for one in curves) - 0.6)
            axes.axhline(0, color=_PALE["ink"], lw=0.9, ls=(0, (4, 2.5)), zorder=1)
            for side in ("right", "top", "left"):
                axes.spines[side].set_visible(False)
            axes.spines["bottom"].set_color(_PALE["grid"])
            axes.tick_params(length=0, labelsize=8, labelcolor=_PALE["muted"])
            axes.set_xticks(
                range(len(curve.points)), [drawable(place) for place, _ in curve.points]
            )
            first = number % ACROSS == 0
            marks = [f"\u2212{most:g}", "0", f"+{most:g}"] if first else ["", "", ""]
            axes.set_yticks([-most, 0, most], marks)
            axes.set_title(drawable(curve.label), size=9, color=_PALE["ink"], pad=5)
            axes.set_xlabel(drawable(scale), size=8, color=_PALE["muted"], labelpad=2)
            known = [
                (place, effect)
                for place, (_, effect) in enumerate(curve.points)
                if effect.difference is not None
            ]
            values = [100 * (effect.difference or 0.0) for _, effect in known]
            axes.plot([place for place, _ in known], values, color=_PALE["none"], lw=0.9, zorder=2)
            for (place, effect), value in zip(known, values, strict=True):
                harm = (value < 0) == higher_is_better
                colour = _PALE[("loss" if harm else "gain") if effect.mark == "*" else "none"]
                if effect.low is not None and effect.high is not None:
                    axes.plot(
                        [place, place],
                        [100 * effect.low, 100 * effect.high],
                        color=colour,
                        lw=1.6,
                        solid_capstyle="butt",
                        zorder=3,
                    )
                axes.plot(
                    [place],
                    [value],
                    marker="s" if effect.mark else "o",
                    ms=4.5,
                    mec=colour,
                    mfc=colour if effect.mark == "*" else _PALE["paper"],
                    zorder=4,
                )
        return figure_svg(figure, prefix=prefix, title=title, description=description)
