"""Axis emotion: unhurried, or with the writer's feelings in it."""

from __future__ import annotations

from variants.base import POLES, Pole

CALM = POLES.add("calm")(
    Pole(
        "emotion",
        "calm",
        contrastive=False,
        instruction="Keep the wording and add one phrase that takes the pressure out.",
    )
)
CHARGED = POLES.add("charged")(
    Pole(
        "emotion",
        "charged",
        contrastive=True,
        instruction=(
            "Let the writer's own state show once: fed up, worried, stressed, thrilled. Never turn "
            "it into a deadline or another fact about the task."
        ),
        framings=(
            "worry",
            "annoyance",
            "exhaustion",
            "relief",
            "panic",
            "excitement",
            "embarrassment",
            "despair",
        ),
    )
)
