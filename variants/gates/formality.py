"""Gate `formality`: a text of `less_formal` reads as informal."""

from __future__ import annotations

import re

from variants.base import GATES, Gated, Verdict
from variants.words import word_set

INFORMAL_BELOW = 0.5
"""Out of Style, Appendix A.1: the chance of being formal is below one half."""
OURS = "formality (ours)"
_CONTRACTION = re.compile(
    r"\b\w+(?:n['\u2019]t|['\u2019](?:re|ve|ll|d|m|s))\b|\b(?:gonna|wanna|gotta|lemme|gimme|dunno)\b",
    re.IGNORECASE,
)
_INFORMAL = word_set(
    """hey hi hiya yo ok okay yeah yep nope cool pls plz thx ta cheers u ur btw fyi asap stuff thing
    things guys folks kinda sorta bit grab ping shoot chuck stick bump nudge lol hmm oh gonna wanna
    gotta dunno lemme gimme cant wont dont im whats wheres thats"""
)
_FORMAL = word_set(
    """kindly regarding concerning pursuant hereby herewith accordingly furthermore moreover
    respectively obliged grateful request provide furnish ascertain ensure assist forward
    correspondence confirm verify clarify appreciate convenience aforementioned dear sincerely
    whether which shall may would"""
)
_TOKEN = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*")


class OurFormality:
    """A transparent count: long and formal words against contractions, informal words and case.

    Source:
        Ours, because the papers' classifier is a download; the measure follows the idea of
        Heylighen and Dewaele that formality shows in words, not in content. No finding should rest
        on it alone.
    """

    name = OURS

    def score(self, text: str) -> float:
        """Formality in [0, 1]; 0.5 where nothing speaks for either.

        Example:
            >>> ours = OurFormality()
            >>> ours.score("hey can u grab that thing") < 0.5 < ours.score(
            ...     "I should be obliged if you would confirm the date."
            ... )
            True
        """
        words = [word.lower() for word in _TOKEN.findall(text)]
        if not words:
            return 0.5
        formal = sum(word in _FORMAL for word in words)
        long_words = sum(len(word) >= 9 for word in words)
        informal = sum(word in _INFORMAL for word in words) + len(_CONTRACTION.findall(text))
        first = next((c for c in text if c.isalpha()), "A")
        points = 2 * formal + long_words - 3 * informal
        points += (text.rstrip()[-1:] in ".?") - 2 * first.islower()
        return min(1.0, max(0.0, 0.5 + points / (2 + len(words))))


@GATES.add("formality")
def formality(gated: Gated) -> Verdict:
    """Fails for a text that is formal; with our own scorer it is only recorded."""
    scorer = gated.helpers.scorers.get("formality") or OurFormality()
    score = scorer.score(gated.candidate)
    passed = score < INFORMAL_BELOW
    reason = "" if passed else f"formality is not below {INFORMAL_BELOW:g}"
    filtered = scorer.name != OURS
    return Verdict("formality", passed, filtered, score=score, reason=reason, rater=scorer.name)
