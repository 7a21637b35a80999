"""Gate `capitalised`: names of the base that are missing; only recorded."""

from __future__ import annotations

import re

from variants.base import GATES, Gated, Verdict

_TOKEN = re.compile(r"[A-Z][\w'-]+")
_OPENING = re.compile(r"(?:^|[.!?]\s)[\s'\"(]*$")


def missing_capitalised(original: str, variant: str, *, case: bool = True) -> list[str]:
    """Capitalised tokens of the original, not at a sentence start, that the variant lacks.

    Args:
        original: The base text.
        variant: The candidate.
        case: False to count a token in any case as kept.

    Source:
        Lost in the Request, section 2.3: checked softly. The token pattern is ours.

    Example:
        >>> missing_capitalised("Ask Kay about Heron", "ask kay about Heron")
        ['Kay']
    """
    wanted = [
        match.group()
        for match in _TOKEN.finditer(original)
        if not _OPENING.search(original, 0, match.start())
    ]
    text = variant if case else variant.casefold()
    return [
        word for word in dict.fromkeys(wanted) if (word if case else word.casefold()) not in text
    ]


@GATES.add("capitalised")
def capitalised(gated: Gated) -> Verdict:
    """Never rejects; the score is how many names are missing."""
    missing = missing_capitalised(gated.base, gated.candidate, case=gated.condition != "casual")
    reason = f"names missing: {', '.join(missing)}" if missing else ""
    return Verdict(
        "capitalised", not missing, filtered=False, score=float(len(missing)), reason=reason
    )
