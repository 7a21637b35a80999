"""Gate `gleu`: how many n-grams a damaged text shares with its base."""

from __future__ import annotations

from variants.base import GATES, Gated, Verdict
from variants.gates.edit import gleu as sentence_gleu


@GATES.add("gleu")
def gleu(gated: Gated) -> Verdict:
    """Never rejects; the score is 1.0 for the same words.

    Source:
        Out of Style, Appendix A.1.
    """
    score = sentence_gleu(gated.base, gated.candidate)
    passed = score < 1.0
    return Verdict("gleu", passed, filtered=False, score=score, reason="" if passed else "as base")
