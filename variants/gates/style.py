"""Gate `style` (B): a rewrite shows the pole it was made for."""

from __future__ import annotations

from variants.base import GATES, Gated, Verdict
from variants.gates.rated import rated_verdict


@GATES.add("style")
def style(gated: Gated) -> Verdict:
    """Fails when the rater does not find the pole in the text, whatever the text says.

    Source:
        Lost in the Request, section 2.3.
    """
    return rated_verdict("style", gated, filtered=True)
