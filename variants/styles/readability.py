"""Axis readability of the second paper: downwards only."""

from __future__ import annotations

from variants.base import POLES, Pole

LESS_READABLE = POLES.add("less_readable")(
    Pole(
        "readability",
        "less_readable",
        contrastive=True,
        instruction="Say it in longer words and denser sentences, at about the same length.",
    )
)
