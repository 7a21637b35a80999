"""The three rules that reject a rewrite in every condition, as one function of two texts."""

from __future__ import annotations

from variants.gates.empty import is_empty
from variants.gates.numbers import missing_numbers
from variants.gates.unchanged import is_unchanged


def deterministic_reject(original: str, variant: str) -> str | None:
    """Why the variant is rejected (`empty`, `unchanged`, `missing_number`), or None.

    Source:
        Lost in the Request, section 2.3; order and normalisation are ours: cheap rules first.

    Example:
        >>> deterministic_reject("Send 3 files", "could someone send three files")
        'missing_number'
    """
    if is_empty(variant):
        return "empty"
    if is_unchanged(original, variant):
        return "unchanged"
    if missing_numbers(original, variant):
        return "missing_number"
    return None
