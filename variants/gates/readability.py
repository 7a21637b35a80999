"""Flesch reading ease, its syllables, and the gate of the condition `less_readable`."""

from __future__ import annotations

import re

from variants.base import GATES, Gated, Verdict

LESS_READABLE_BELOW = 60.0
"""Out of Style, Appendix A.1; one of the released scripts uses 50."""
SYLLABLES = "ours"
"""Which syllable counter the scores come from; published ones differ by a few points."""
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*|\d+(?:[.,:]\d+)*")
_SENTENCE_END = re.compile(r"[.!?]+(?=\s|$)|\n+")
_VOWELS = re.compile(r"[aeiouyäöüàâéèêëîïôûáíóúœæ]+")
_SILENT_E = re.compile(r"[^aeiouyl]e$|[^aeiouy]es$|[^aeioutdy]ed$")
_SPLIT = re.compile(r"ia|io(?!us|n)|eo|ua|iu|[^q]uo|ying")


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


def syllables(word: str) -> int:
    """Syllables of an English word by its groups of vowels, at least one.

    Source:
        Ours: Out of Style does not name its counter. A silent e at the end counts for nothing, a
        pair such as "ia" in the middle for two; each digit is one syllable.

    Example:
        >>> [syllables(word) for word in ("make", "table", "invoices", "material", "10")]
        [1, 2, 3, 4, 2]
    """
    lower = word.lower()
    if lower[:1].isdigit():
        return sum(character.isdigit() for character in lower)
    count = len(_VOWELS.findall(lower))
    if _SILENT_E.search(lower) and not re.search(r"(?:[sxz]|[cs]h|[cg])es$", lower):
        count -= 1
    return max(1, count + len(_SPLIT.findall(lower)))


def reading_ease(text: str) -> float | None:
    """Flesch reading ease of a text with our count of syllables; None without words.

    Example:
        >>> round(reading_ease("Send it to me. Do it now.") or 0.0, 1)
        118.7
    """
    found = _WORD.findall(text)
    ends = [end for end in _SENTENCE_END.split(text) if _WORD.search(end)]
    return fres(len(found), max(1, len(ends)), sum(map(syllables, found)))


@GATES.add("readability")
def readability(gated: Gated) -> Verdict:
    """Fails for a text that is easier to read than its condition asks for; the score is FRES."""
    threshold = 50.0 if gated.helpers.profile == "s2_released" else LESS_READABLE_BELOW
    score = reading_ease(gated.candidate)
    passed = is_less_readable(score, threshold)
    reason = "" if passed else f"reading ease is not below {threshold:g}"
    rater = f"syllables: {SYLLABLES}"
    return Verdict("readability", passed, filtered=True, score=score, reason=reason, rater=rater)
