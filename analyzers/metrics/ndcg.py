"""nDCG@5: are the relevant documents near the top?"""

from __future__ import annotations

from analyzers.base import metric
from analyzers.ranking import ndcg_at
from analyzers.shown import ranked_groups
from tracer.records import Trace


@metric(
    "ndcg@5",
    stage="retrieval",
    better="higher",
    undefined="no relevant document known, or no ranked list",
)
def ndcg(trace: Trace) -> float | None:
    """Discounted gain of the first 5 shown over that of the best order; all grades are 1.

    Source:
        trec_eval's ndcg_cut_5 (linear gain).
    """
    judged = ranked_groups(trace)
    return None if judged is None else ndcg_at(5, *judged)
