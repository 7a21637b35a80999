"""Axis politeness of the second paper: upwards only."""

from __future__ import annotations

from variants.base import POLES, Pole

MORE_POLITE = POLES.add("more_polite")(
    Pole(
        "politeness",
        "more_polite",
        contrastive=True,
        instruction="Raise the courtesy of the request; keep its content and its reader.",
    )
)
