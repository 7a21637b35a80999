"""Axis grammaticality: idiomatic English, or English built on another plan."""

from __future__ import annotations

from variants.base import POLES, Pole

FLUENT_NATIVE = POLES.add("fluent_native")(
    Pole(
        "grammaticality",
        "fluent_native",
        contrastive=False,
        instruction="Say it the way a native speaker would put it, in neutral register.",
    )
)
NON_GRAMMATICAL = POLES.add("non_grammatical")(
    Pole(
        "grammaticality",
        "non_grammatical",
        contrastive=True,
        instruction=(
            "Rebuild the sentence on one deviant plan, carried through it and understandable. "
            "No marker of a culture, no odd sentence hung on at the end, no lost not."
        ),
        framings=(
            "topic first",
            "question order changed",
            "word order and tense shifted",
            "clauses reordered",
            "fragments or run-ons",
            "misspelt and rebuilt",
        ),
    )
)
