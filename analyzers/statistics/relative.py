"""Relative change of a score."""

from __future__ import annotations


def relative_drop(original: float, rewritten: float) -> float | None:
    """Percent of the original score that is lost; negative for a gain, None from 0.

    Source:
        Out of Style, tables 2 and 8 to 13, with the sign that its tables leave out.

    Example:
        >>> round(relative_drop(0.0044, 0.0122), 2)
        -177.27
    """
    return None if original == 0 else 100 * (original - rewritten) / original
