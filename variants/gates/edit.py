"""Gate `edit`: a typo variant differs by letters and by its n-grams."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from variants.base import GATES, Gated, Verdict


def levenshtein(one: str, other: str) -> int:
    """Number of characters to insert, delete or replace to turn one text into the other.

    Example:
        >>> levenshtein("approve", "aprove")
        1
    """
    row = list(range(len(other) + 1))
    for i, left in enumerate(one, start=1):
        diagonal, row[0] = row[0], i
        for j, right in enumerate(other, start=1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (left != right))
    return row[-1]


def gleu(reference: str, hypothesis: str) -> float:
    """Sentence GLEU over white-space tokens, n-grams of 1 to 4.

    Two empty texts give 1.0, one empty text gives 0.0.

    Source:
        Out of Style, Appendix A.1 uses it; the measure is that of nltk's `sentence_gleu`
        (matching n-grams over the larger total), the value of empty texts is ours.

    Example:
        >>> gleu("who moved it", "who moved it")
        1.0
    """
    wanted, found = _ngrams(reference.split()), _ngrams(hypothesis.split())
    most = max(wanted.total(), found.total())
    return (wanted & found).total() / most if most else 1.0


def typo_gate(original: str, variant: str) -> bool:
    """Whether the variant counts as damaged: at least one edit, and another GLEU than the original.

    Source:
        Out of Style, Appendix A.1.
    """
    if levenshtein(original, variant) < 1:
        return False
    return gleu(original, variant) != gleu(original, original)


@GATES.add("edit")
def edit(gated: Gated) -> Verdict:
    """Fails for a text that the damage did not reach; the score is the edit distance.

    A round trip is rejected only when nothing was edited: its words may come back in the same
    n-grams.
    """
    distance = levenshtein(gated.base, gated.candidate)
    passed = distance > 0 if gated.generator == "rtt" else typo_gate(gated.base, gated.candidate)
    reason = "" if passed else "no edit, or the same n-grams"
    return Verdict("edit", passed, filtered=True, score=float(distance), reason=reason)


def _ngrams(tokens: Sequence[str], longest: int = 4) -> Counter[tuple[str, ...]]:
    return Counter(
        tuple(tokens[start : start + size])
        for size in range(1, longest + 1)
        for start in range(len(tokens) - size + 1)
    )
