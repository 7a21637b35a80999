"""Gate `numbers`: every numeric token of the base stands in the candidate."""

from __future__ import annotations

import re
from collections import Counter

from variants.base import GATES, Gated, Verdict

_TOKEN = re.compile(r"\d+(?:[.,:/-]\d+)*")


def numeric_tokens(text: str) -> list[str]:
    """The numeric tokens of a text in order; a number in words is none.

    Source:
        Lost in the Request, section 2.3 names the check; the pattern is ours: digits, joined by
        single `. , : / -`, so that times, dates and amounts are one token each.

    Example:
        >>> numeric_tokens("Pay $2,300.50 by 10:30, twice")
        ['2,300.50', '10:30']
    """
    return _TOKEN.findall(text)


def missing_numbers(original: str, variant: str) -> list[str]:
    """Numeric tokens that `original` has more often than `variant`, each as often as it lacks.

    Example:
        >>> missing_numbers("send 3 of 3 files", "send 3 files")
        ['3']
    """
    lacking = Counter(numeric_tokens(original)) - Counter(numeric_tokens(variant))
    return list(lacking.elements())


@GATES.add("numbers")
def numbers(gated: Gated) -> Verdict:
    """Fails when a numeric token of the base is missing; the score is how many are."""
    missing = missing_numbers(gated.base, gated.candidate)
    reason = f"numbers missing: {', '.join(missing)}" if missing else ""
    return Verdict("numbers", not missing, filtered=True, score=float(len(missing)), reason=reason)
