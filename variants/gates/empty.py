"""Gate `empty`: a candidate has a text."""

from __future__ import annotations

from variants.base import GATES, Gated, Verdict


def is_empty(text: str) -> bool:
    """Whether nothing is left after the white space is cut."""
    return not text.strip()


@GATES.add("empty")
def empty(gated: Gated) -> Verdict:
    """Fails for a text of white space only."""
    failed = is_empty(gated.candidate)
    return Verdict("empty", not failed, filtered=True, reason="no text" if failed else "")
