"""Gate `features`: a dialect variant realises features of its variety and no others."""

from __future__ import annotations

from variants.base import GATES, Gated, Verdict
from variants.features import DIALECTS

PREFIX = "dialect_"


@GATES.add("features")
def features(gated: Gated) -> Verdict:
    """Fails without any feature, and for a feature that is not in the variety's list.

    Source:
        Ours: a dialect's style gate is a count of its documented features.
    """
    dialect = DIALECTS.get(gated.condition.removeprefix(PREFIX))
    listed = {feature.ewave for feature in dialect.features}
    foreign = sorted({use.ewave for use in gated.features} - listed)
    count = sum(use.count for use in gated.features)
    reason = ""
    if not gated.features:
        reason = "no feature recorded"
    elif foreign:
        reason = f"not a feature of {dialect.variety}: eWAVE {', '.join(map(str, foreign))}"
    return Verdict("features", not reason, filtered=True, score=float(count), reason=reason)
