"""call_precision: how many of the calls made were wanted?"""

from __future__ import annotations

from analyzers.base import metric
from analyzers.call_counts import counts_of
from tracer.records import Trace


def _parts(trace: Trace) -> tuple[float, float] | None:
    counts = counts_of(trace)
    return None if counts is None else (counts.matched, counts.made)


@metric(
    "call_precision",
    stage="call",
    better="higher",
    parts=_parts,
    undefined="the suite lists no gold calls",
)
def call_precision(trace: Trace) -> float | None:
    """Calls that serve a gold call over calls made, of the kinds that the suite's gold lists.

    Source:
        Lost in the Request, section 3.4; ToolTalk's counting. No call made and none required: ours,
        1.0.
    """
    counts = counts_of(trace)
    return None if counts is None else counts.precision()
