"""Gate `literals`: every operative literal of the base stands in the candidate, byte for byte."""

from __future__ import annotations

from variants.base import GATES, Gated, Verdict
from variants.protect import lost

_STRICT = ("transducer", "typo")


@GATES.add("literals")
def literals(gated: Gated) -> Verdict:
    """Fails when a protected literal stands in the candidate less often than in the base.

    Rejects dialects and typos, whose rules must leave literals alone. A style rewrite may rephrase
    a name, so there it is recorded, and a literal counts as kept when it stands there at all. The
    profile `s2_released` has no protection, so its typos are only recorded too.

    Source:
        Ours; the papers leave literals of style rewrites to the numbers and the intent rater.
    """
    released = gated.generator == "typo" and gated.helpers.profile == "s2_released"
    strict = gated.generator in _STRICT or gated.condition.startswith("dialect_")
    missing = lost(gated.base, gated.candidate, gated.protected, case=gated.condition != "casual")
    if not strict:
        missing = [text for text in missing if not _stands(gated, text)]
    reason = f"literals missing: {', '.join(missing)}" if missing else ""
    return Verdict(
        "literals",
        not missing,
        filtered=strict and not released,
        score=float(len(missing)),
        reason=reason,
    )


def _stands(gated: Gated, literal: str) -> bool:
    return not lost(literal, gated.candidate, (literal,), case=gated.condition != "casual")
