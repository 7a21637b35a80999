"""Gate `intent` (A): both texts ask for exactly the same information or action."""

from __future__ import annotations

from variants.base import GATES, Gated, Verdict
from variants.gates.rated import rated_verdict


@GATES.add("intent")
def intent(gated: Gated) -> Verdict:
    """Fails when the rater says that the texts ask for different things.

    Source:
        Lost in the Request, section 2.3 and appendix D.1.
    """
    return rated_verdict("intent", gated, filtered=True)
