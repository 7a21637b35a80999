"""Gate `politeness`: a text of `more_polite` is polite."""

from __future__ import annotations

import re

from variants.base import GATES, Gated, Verdict

POLITE_ABOVE = 0.5
"""Out of Style, Appendix A.1: polite and somewhat polite together have more than one half."""
OURS = "politeness (ours)"
_MARKS = (
    r"\bplease\b",
    r"\bkindly\b",
    r"\bthank(?:s| you)\b|\bgrateful\b|\bobliged\b|\bappreciate",
    r"\b(?:could|would|might) (?:you|i|we|it)\b",
    r"\bif (?:you|it) (?:could|would|might|is|are|suits|have)\b|\bwhenever\b|\bconvenien(?:t|ce)\b",
    r"\bwould you mind\b|\bmay i\b|\bsorry\b|\bexcuse\b|\bapolog",
    r"\bi (?:was )?wonder(?:ing)?\b|\bi would like\b|\bhop(?:e|ing)\b",
)


class OurPoliteness:
    """A transparent count of the marks of courtesy.

    Source:
        Ours, because the papers' classifier is a download; the marks are those that politeness
        research lists (thanks, please, indirect modals, room to decline, apology).
    """

    name = OURS

    def score(self, text: str) -> float:
        """Politeness in [0, 1): each kind of mark counts once.

        Example:
            >>> ours = OurPoliteness()
            >>> ours.score("Could you please send it? Thank you."), ours.score("Go")
            (0.75, 0.0)
        """
        kinds = sum(bool(re.search(mark, text, re.IGNORECASE)) for mark in _MARKS)
        return kinds / (kinds + 1)


@GATES.add("politeness")
def politeness(gated: Gated) -> Verdict:
    """Fails for a text that is not polite; with our own scorer it is only recorded."""
    scorer = gated.helpers.scorers.get("politeness") or OurPoliteness()
    score = scorer.score(gated.candidate)
    passed = score > POLITE_ABOVE
    reason = "" if passed else f"politeness is not above {POLITE_ABOVE:g}"
    filtered = scorer.name != OURS
    return Verdict("politeness", passed, filtered, score=score, reason=reason, rater=scorer.name)
