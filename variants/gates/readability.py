"""Flesch reading ease and the threshold of the condition `less_readable`."""

from __future__ import annotations

LESS_READABLE_BELOW = 60.0
"""Out of Style, Appendix A.1; one of the released scripts uses 50."""


def fres(words: int, sentences: int, syllables: int) -> float | None:
    """Flesch reading ease score of a text with these counts; None for a text without words.

    Source:
        Out of Style, Appendix A.1.

    Example:
        >>> round(fres(words=5, sentences=1, syllables=7) or 0.0, 2)
        83.32
    """
    if not words or not sentences:
        return None
    return 206.835 - 1.015 * (words / sentences) - 84.6 * (syllables / words)


def is_less_readable(score: float | None, threshold: float = LESS_READABLE_BELOW) -> bool:
    """Whether a score clears the gate of `less_readable`; a missing score never does."""
    return score is not None and score < threshold
