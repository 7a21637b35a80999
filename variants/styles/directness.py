"""Axis directness: the ask said outright, or left for the reader to infer."""

from __future__ import annotations

from variants.base import POLES, Pole

EXPLICIT = POLES.add("explicit")(
    Pole(
        "directness",
        "explicit",
        contrastive=False,
        instruction="Say in one plain sentence who is to do what with what.",
    )
)
INDIRECT = POLES.add("indirect")(
    Pole(
        "directness",
        "indirect",
        contrastive=True,
        instruction=(
            "Leave the ask unsaid but unmistakable: state what is missing, doubted, planned or "
            "out of place, so that only this one request can be meant. Add no fact."
        ),
        framings=(
            "a gap in what the writer knows",
            "two versions in the writer's head",
            "a plan that hangs on it",
            "something is not where it ought to be",
            "somebody else lacks it",
            "it is taken for granted",
            "wondering aloud",
            "understatement",
            "a wish",
            "half a memory",
        ),
    )
)
