"""The forest plot: every condition's difference from the base, a panel a metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from analyzers.base import Metric
from analyzers.effect import Effect
from analyzers.report.figure import new_figure
from analyzers.report.layout import Group, Line
from analyzers.report.numbers import count
from analyzers.report.palette import TOKENS
from analyzers.report.svg import drawable, figure_svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

RANGES = (5, 10, 20, 50, 100)
FEWEST = 5
"""Fewer pairs than this are not drawn."""
PANELS = 4
"""Panels in a row."""

_WIDTH = 11.5
_ROW, _GAP, _HEAD, _FOOT = 0.25, 0.13, 0.52, 0.5
_LETTER = 0.078
_PALE = {name: light for name, (light, _) in TOKENS.items()}


@dataclass(frozen=True, slots=True)
class Panel:
    """One metric of the plot."""

    metric: Metric
    effects: Mapping[str, Effect]
    """By condition."""

    @property
    def drawn(self) -> bool:
        """Whether any condition has pairs enough."""
        return any(effect.n >= FEWEST for effect in self.effects.values())


def forest_svg(
    panels: Sequence[Panel],
    groups: Sequence[Group],
    *,
    prefix: str,
    title: str,
    description: str,
) -> str:
    """The plot as an element for HTML.

    Args:
        panels: Metrics in order; each has at least one condition with pairs enough.
        groups: The rows.
        prefix: What all ids begin with.
        title: Read aloud first.
        description: What it shows.
    """
    tiers = [panels[at : at + PANELS] for at in range(0, len(panels), PANELS)]
    body = _body(groups)
    tier_height = _HEAD + body + _FOOT
    labels = [line_label(line) for group in groups for line in group.lines]
    words = max((len(group.axis) for group in groups), default=0) * _LETTER * 0.95
    left = 0.1 + (words + 0.2 if words else 0.0) + max(map(len, labels)) * _LETTER
    # Few panels do not grow to the width of four.
    across = (_WIDTH - left) / max(len(tiers[0]), 3)
    width = left + across * len(tiers[0]) + 0.05
    with new_figure(width, tier_height * len(tiers)) as figure:
        for number, tier in enumerate(tiers):
            top = number * tier_height
            for place, panel in enumerate(tier):
                box = (left + place * across + 0.12, top + _HEAD, across - 0.24, body)
                axes = _axes(figure, box)
                _frame(axes, panel, groups, scale_of(panel))
                _effects(axes, panel, groups, scale_of(panel))
                if place == 0:
                    _labels(axes, groups, across - 0.24, left)
        return figure_svg(figure, prefix=prefix, title=title, description=description)


def line_label(line: Line) -> str:
    """How a row is called, reference poles marked."""
    label = drawable(line.label)
    return f"{label} (ref)" if line.reference else label


def scale_of(panel: Panel) -> int:
    """Half the width of a panel in points: all estimates, and four in five ends of intervals.

    Longer intervals end in an arrow head.
    """
    drawn = [effect for effect in panel.effects.values() if effect.n >= FEWEST]
    estimates = [abs(100 * effect.difference) for effect in drawn if effect.difference is not None]
    ends = sorted(
        max(abs(100 * effect.low), abs(100 * effect.high))
        for effect in drawn
        if effect.low is not None and effect.high is not None
    )
    most = ends[(4 * (len(ends) - 1)) // 5] if ends else 0.0
    wanted = max([1.05 * value for value in estimates] + [most])
    return next((size for size in RANGES if size >= wanted), RANGES[-1])


def pairs_of(panel: Panel) -> str:
    """`n = 24 items`, or the span where conditions differ."""
    sizes = sorted({effect.n for effect in panel.effects.values() if effect.n >= FEWEST})
    span = count(sizes[0]) if len(sizes) == 1 else f"{count(sizes[0])} to {count(sizes[-1])}"
    return f"n = {span} items"


def _body(groups: Sequence[Group]) -> float:
    return sum(len(group.lines) for group in groups) * _ROW + _GAP * len(groups)


def _axes(figure: Figure, box: tuple[float, float, float, float]) -> Axes:
    """Axes at a place given in inches from the top left, with y in inches downwards."""
    full_width, full_height = figure.get_size_inches()
    x, y, width, height = box
    bottom = full_height - y - height
    axes = figure.add_axes(
        (x / full_width, bottom / full_height, width / full_width, height / full_height)
    )
    axes.set_ylim(height, 0)
    axes.patch.set_visible(False)
    return axes


def _rows(groups: Sequence[Group]) -> list[tuple[Line, float]]:
    out, at = [], 0.0
    for group in groups:
        at += _GAP / 2
        for line in group.lines:
            out.append((line, at + _ROW / 2))
            at += _ROW
        at += _GAP / 2
    return out


def _frame(axes: Axes, panel: Panel, groups: Sequence[Group], scale: int) -> None:
    axes.set_xlim(-scale, scale)
    half = scale / 2
    axes.set_xticks([-half, 0, half])
    axes.set_xticklabels([f"\u2212{half:g}", "0", f"+{half:g}"], color=_PALE["muted"], size=8)
    axes.set_yticks([])
    axes.tick_params(length=0, pad=3)
    for side in ("left", "right", "top"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(_PALE["grid"])
    at = 0.0
    for number, group in enumerate(groups):
        height = len(group.lines) * _ROW + _GAP
        if number % 2 == 0:
            axes.axhspan(at, at + height, color=_PALE["band"], lw=0, zorder=0)
        at += height
    for x in (-half, half):
        axes.axvline(x, color=_PALE["grid"], lw=0.8, zorder=1)
    axes.axvline(0, color=_PALE["ink"], lw=1.0, zorder=2)
    middle: dict[str, Any] = {
        "ha": "center",
        "va": "bottom",
        "transform": axes.get_xaxis_transform(),
    }
    axes.text(
        0, 1 + 0.23 / at, panel.metric.name, size=10, weight="bold", color=_PALE["ink"], **middle
    )
    axes.text(0, 1 + 0.06 / at, pairs_of(panel), size=8, color=_PALE["muted"], **middle)
    for x, words, side in _ends(panel.metric, scale):
        axes.text(
            x,
            -0.3 / at,
            words,
            size=8,
            color=_PALE["muted"],
            ha=side,
            va="top",
            transform=axes.get_xaxis_transform(),
        )


def _ends(metric: Metric, scale: int) -> tuple[tuple[int, str, str], ...]:
    left, right = {
        "higher": ("worse", "better"),
        "lower": ("better", "worse"),
        "neither": ("less", "more"),
    }[metric.better]
    return (-scale, f"\u25c0 {left}", "left"), (scale, f"{right} \u25b6", "right")


def _labels(axes: Axes, groups: Sequence[Group], width: float, left: float) -> None:
    """Condition and axis names left of the first panel; x in inches from its left edge."""
    low, high = axes.get_xlim()
    inch = (high - low) / width
    for line, y in _rows(groups):
        axes.text(
            low - 0.1 * inch,
            y,
            line_label(line),
            size=9,
            color=_PALE["ink"],
            ha="right",
            va="center",
        )
    at = 0.0
    for group in groups:
        height = len(group.lines) * _ROW + _GAP
        if group.axis:
            axes.text(
                low - (left + 0.1) * inch,
                at + height / 2,
                drawable(group.axis),
                size=8,
                color=_PALE["muted"],
                ha="left",
                va="center",
            )
        at += height


def _effects(axes: Axes, panel: Panel, groups: Sequence[Group], scale: int) -> None:
    for line, y in _rows(groups):
        effect = panel.effects.get(line.condition)
        if effect is None or effect.n < FEWEST or effect.difference is None:
            axes.text(0.03 * scale, y, "\u2013", size=8, color=_PALE["muted"], va="center")
            continue
        colour = _PALE[_tone(panel.metric, effect)]
        clear = effect.mark == "*"
        if effect.low is not None and effect.high is not None:
            _whisker(axes, effect, y, scale, colour, clear)
        axes.plot(
            [100 * effect.difference],
            [y],
            marker="s" if effect.mark else "o",
            ms=6,
            mew=1.4,
            mec=colour,
            mfc=colour if clear else _PALE["paper"],
            zorder=4,
            clip_on=False,
        )


def _whisker(axes: Axes, effect: Effect, y: float, scale: int, colour: str, clear: bool) -> None:
    assert effect.low is not None
    assert effect.high is not None
    low, high = 100 * effect.low, 100 * effect.high
    axes.plot(
        [max(low, -scale), min(high, scale)],
        [y, y],
        color=colour,
        lw=2.2 if clear else 1.3,
        ls=(0, (2.5, 2)) if effect.few else "-",
        solid_capstyle="butt",
        zorder=3,
    )
    for end, beyond, marker in ((-scale, low < -scale, "<"), (scale, high > scale, ">")):
        if beyond:
            axes.plot(
                [end], [y], marker=marker, ms=4.5, mec=colour, mfc=colour, clip_on=False, zorder=4
            )


def _tone(metric: Metric, effect: Effect) -> str:
    if effect.mark != "*" or not effect.difference or metric.better == "neither":
        return "none"
    return "gain" if (effect.difference > 0) == (metric.better == "higher") else "loss"
