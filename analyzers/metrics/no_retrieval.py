"""no_retrieval: did a RAG assistant answer without looking?"""

from __future__ import annotations

from analyzers.base import metric
from analyzers.shown import retrieved_nothing
from tracer.records import Trace


@metric(
    "no_retrieval",
    stage="retrieval",
    better="lower",
    binary=True,
    undefined="only a rag assistant has to retrieve",
)
def no_retrieval(trace: Trace) -> float | None:
    """1.0 when a RAG assistant made no retrieval at all; such a run scores 0 in recall.

    Source:
        Ours: tells a list that missed from a list that was never asked for.
    """
    return float(retrieved_nothing(trace)) if trace.assistant_kind == "rag" else None
