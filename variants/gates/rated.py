"""The verdict of a gate that a rater answers."""

from __future__ import annotations

from variants.base import Gated, Verdict


def rated_verdict(gate: str, gated: Gated, *, filtered: bool) -> Verdict:
    """The rater's answer as a verdict; without a rater it passes and says that nobody was asked."""
    rater = gated.helpers.rater
    if rater is None:
        return Verdict(gate, passed=True, filtered=False, reason="not rated")
    rating = rater.rate(gate, gated)
    reason = "" if rating.yes else rating.error or "the rater says no"
    return Verdict(
        gate, rating.yes, filtered, score=float(rating.yes), reason=reason, rater=rater.name
    )
