"""Gate `entities`: how far typos and translation got into one operative literal."""

from __future__ import annotations

import re

from variants.base import GATES, Gated, Verdict
from variants.gates.edit import levenshtein

MOST_EDITS = 2
"""Out of Style, appendix A.2: more edited characters in one mention count as meaning lost."""


def entity_edits(literal: str, candidate: str) -> int:
    """Least edits that turn a literal into a run of as many words, or one more or fewer, of a text.

    Example:
        >>> entity_edits("Ana Maria", "ask Ana Mraia about it")
        2
    """
    words = re.findall(r"\S+", candidate)
    size = max(1, len(literal.split()))
    runs = (
        " ".join(words[start : start + length])
        for length in range(max(1, size - 1), size + 2)
        for start in range(len(words) - length + 1)
    )
    best = len(literal)
    for run in runs:
        if abs(len(run) - len(literal)) < best:
            best = min(best, levenshtein(literal, run.strip(".,;:!?")), levenshtein(literal, run))
    return best


@GATES.add("entities")
def entities(gated: Gated) -> Verdict:
    """Never rejects; fails when one literal has more edited characters than a reader undoes."""
    worst = {
        literal: entity_edits(literal, gated.candidate)
        for literal in gated.protected
        if literal not in gated.candidate
    }
    most = max(worst.values(), default=0)
    passed = most <= MOST_EDITS
    reason = (
        "" if passed else f"more than {MOST_EDITS} edits in {max(worst, key=worst.__getitem__)!r}"
    )
    return Verdict("entities", passed, filtered=False, score=float(most), reason=reason)
