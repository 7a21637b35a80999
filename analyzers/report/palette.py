"""The colours of the HTML report and its plots, told apart without colour vision."""

from __future__ import annotations

from collections.abc import Iterator

TOKENS = {
    "ink": ("#1f2328", "#e6edf3"),
    "muted": ("#59636e", "#9198a1"),
    "grid": ("#d1d9e0", "#3d444d"),
    "paper": ("#ffffff", "#0d1117"),
    "band": ("#f6f8fa", "#151b23"),
    "loss": ("#b5480a", "#f0883e"),
    "gain": ("#0a5fb0", "#58a6ff"),
    "none": ("#6e7781", "#8b949e"),
}
"""Name to the light and the dark colour.

Source:
    Ours: orange against blue stays apart under the three kinds of colour blindness; against the
    paper each has a contrast of at least 4.5.
"""

HEAT = (
    (1.0, ("#fde3cf", "#d6e8fa", "#1f2328"), ("#3a2012", "#12263f", "#e6edf3")),
    (3.0, ("#f6b68a", "#9cc9f2", "#1f2328"), ("#66320f", "#173f6b", "#e6edf3")),
    (6.0, ("#de7a3a", "#4d97d8", "#1f2328"), ("#96480f", "#1f5c9e", "#ffffff")),
    (10.0, ("#a63f05", "#0a4f94", "#ffffff"), ("#f0883e", "#58a6ff", "#0d1117")),
)
"""From how many points on, and for light and dark: worse, better, text."""


def step_of(points: float) -> int:
    """The heat step of a difference in points, 0 for less than the first.

    Example:
        >>> [step_of(points) for points in (0.9, -1.0, 5.96, -11.3)]
        [0, 1, 2, 4]
    """
    return sum(abs(points) >= least for least, _, _ in HEAT)


def declarations(*, dark: bool) -> str:
    """All colours as custom properties of a style sheet."""
    return "".join(f"--{name}:{value};" for name, value in _values(dark))


def _values(dark: bool) -> Iterator[tuple[str, str]]:
    for name, pair in TOKENS.items():
        yield name, pair[dark]
    for step, (_, *schemes) in enumerate(HEAT, start=1):
        worse, better, text = schemes[dark]
        yield f"worse{step}", worse
        yield f"better{step}", better
        yield f"on{step}", text
