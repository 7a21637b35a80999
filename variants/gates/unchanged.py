"""Gate `unchanged`: a candidate differs from the base in more than case and white space."""

from __future__ import annotations

from variants.base import GATES, Gated, Verdict


def is_unchanged(original: str, variant: str) -> bool:
    """Whether the texts are equal after white space is collapsed and case is folded.

    Source:
        Lost in the Request, section 2.3 rejects unchanged texts; the normalisation is ours.

    Example:
        >>> is_unchanged("Ask  Kay", "ask kay ")
        True
    """
    return _normal(original) == _normal(variant)


@GATES.add("unchanged")
def unchanged(gated: Gated) -> Verdict:
    """Fails for a candidate that says the base again."""
    failed = is_unchanged(gated.base, gated.candidate)
    return Verdict("unchanged", not failed, filtered=True, reason="same as base" if failed else "")


def _normal(text: str) -> str:
    return " ".join(text.split()).casefold()
