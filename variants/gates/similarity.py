"""Gate `similarity`: a rewrite of the second paper's conditions stays near its base."""

from __future__ import annotations

from variants.base import GATES, Gated, Verdict

SIMILAR_ABOVE = 0.7
"""Out of Style, section 3.2: cosine of MPNet vectors, strictly above."""
PAPERS = "mpnet"


def cosine(embedder_rows: object) -> float:
    """Cosine of the first two rows of a matrix; 0.0 where one of them is all zeros."""
    import numpy as np

    one, two = np.asarray(embedder_rows, dtype=float)[:2]
    length = float(np.linalg.norm(one) * np.linalg.norm(two))
    return float(one @ two) / length if length else 0.0


@GATES.add("similarity")
def similarity(gated: Gated) -> Verdict:
    """Fails for a text that is far from its base; without an embedder nothing is measured.

    Rejects with the paper's embedder. Another one has its own scale, so it is recorded under its
    name.
    """
    embedder = gated.helpers.embedder
    if embedder is None:
        return Verdict("similarity", passed=True, filtered=False, reason="no embedder")
    score = cosine(embedder.embed([gated.base, gated.candidate]))
    passed = score > SIMILAR_ABOVE
    reason = "" if passed else f"similarity is not above {SIMILAR_ABOVE:g}"
    filtered = embedder.name == PAPERS
    return Verdict("similarity", passed, filtered, score=score, reason=reason, rater=embedder.name)
