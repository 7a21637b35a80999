"""Gate `human_likeness` (C): a person could have written the text."""

from __future__ import annotations

from variants.base import GATES, Gated, Verdict
from variants.gates.rated import rated_verdict

RECORDED_ONLY = ("non_grammatical",)
"""Poles whose texts this gate never rejects: what reads oddly there is the point."""


@GATES.add("human_likeness")
def human_likeness(gated: Gated) -> Verdict:
    """Fails when the rater takes the text for no person's; only recorded for `non_grammatical`.

    Verbose texts and reference poles are not asked about at all (`variants.gating`).

    Source:
        Lost in the Request, section 2.3 and appendix D.
    """
    return rated_verdict("human_likeness", gated, filtered=gated.condition not in RECORDED_ONLY)
