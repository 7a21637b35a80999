"""Precision@5: how much of what was shown is relevant?"""

from __future__ import annotations

from analyzers.base import metric
from analyzers.ranking import precision_at
from analyzers.shown import ranked_groups
from tracer.records import Trace


@metric(
    "precision@5",
    stage="retrieval",
    better="higher",
    undefined="no relevant document known, or no ranked list",
)
def precision(trace: Trace) -> float | None:
    """Relevant documents among the first 5 shown to the reader, divided by 5.

    Source:
        trec_eval's P_5.
    """
    judged = ranked_groups(trace)
    return None if judged is None else precision_at(5, *judged)
