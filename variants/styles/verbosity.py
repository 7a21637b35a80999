"""Axis verbosity: a note, or somebody who thinks while typing."""

from __future__ import annotations

from variants.base import POLES, Pole

TERSE = POLES.add("terse")(
    Pole(
        "verbosity",
        "terse",
        contrastive=False,
        instruction="Cut to a note or search line; keep conditions, literals and every not.",
    )
)
VERBOSE = POLES.add("verbose")(
    Pole(
        "verbosity",
        "verbose",
        contrastive=True,
        instruction=(
            "Ramble: bury the unchanged ask amid asides, second thoughts and small talk "
            "that say nothing about the matter itself."
        ),
        framings=(
            "an unrelated aside",
            "going back on oneself",
            "telling how one searched",
            "an apology",
            "a correction of oneself",
            "weather and bus",
            "a colleague drops in",
            "the plan of the day",
            "a memory",
            "tidying the desk",
        ),
    )
)
