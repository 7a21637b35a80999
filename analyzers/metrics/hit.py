"""Hit@5: was any relevant document shown?"""

from __future__ import annotations

from analyzers.base import metric
from analyzers.ranking import hit_at
from analyzers.shown import ranked_groups
from tracer.records import Trace


@metric(
    "hit@5",
    stage="retrieval",
    better="higher",
    binary=True,
    undefined="no relevant document known, or no ranked list",
)
def hit(trace: Trace) -> float | None:
    """1.0 when any relevant document is among the first 5 shown to the reader, else 0.0.

    Source:
        Top-k accuracy of DPR; equal to recall@5 where one document is relevant.
    """
    judged = ranked_groups(trace)
    return None if judged is None else hit_at(5, *judged)
