"""required_call_recall: were the calls made that the task needs?"""

from __future__ import annotations

from analyzers.base import metric
from analyzers.call_counts import counts_of
from tracer.records import Trace


def _parts(trace: Trace) -> tuple[float, float] | None:
    counts = counts_of(trace)
    return None if counts is None else (counts.matched, counts.required)


@metric(
    "required_call_recall",
    stage="call",
    better="higher",
    parts=_parts,
    undefined="no call is required",
)
def required_call_recall(trace: Trace) -> float | None:
    """Matched gold calls over required gold calls; None when nothing is required.

    Source:
        Lost in the Request, section 3.4; ToolTalk's counting. With nothing required ToolTalk
        divides by zero.
    """
    counts = counts_of(trace)
    return None if counts is None else counts.recall()
