"""call_f1: calls wanted and calls made, in one number."""

from __future__ import annotations

from analyzers.base import metric
from analyzers.call_counts import counts_of
from tracer.records import Trace


def _parts(trace: Trace) -> tuple[float, float] | None:
    counts = counts_of(trace)
    return None if counts is None else (2 * counts.matched, counts.made + counts.required)


@metric(
    "call_f1",
    stage="call",
    better="higher",
    parts=_parts,
    undefined="the suite lists no gold calls",
)
def call_f1(trace: Trace) -> float | None:
    """Harmonic mean of call precision and recall, of the kinds that the suite's gold lists.

    Source:
        Lost in the Request, section 3.4; ToolTalk's counting.
    """
    counts = counts_of(trace)
    return None if counts is None else counts.f1()
