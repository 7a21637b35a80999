"""Reciprocal rank: how far down is the first relevant document?"""

from __future__ import annotations

from analyzers.base import metric
from analyzers.ranking import reciprocal_rank
from analyzers.shown import ranked_groups
from tracer.records import Trace


@metric(
    "mrr",
    stage="retrieval",
    better="higher",
    undefined="no relevant document known, or no ranked list",
)
def mrr(trace: Trace) -> float | None:
    """1 / rank of the first relevant document in the whole list shown, 0.0 when there is none.

    Source:
        trec_eval's recip_rank, ranks counted over distinct documents.
    """
    judged = ranked_groups(trace)
    return None if judged is None else reciprocal_rank(*judged)
