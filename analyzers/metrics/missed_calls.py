"""missed_calls: how many required calls were not made?"""

from __future__ import annotations

from analyzers.base import metric
from analyzers.call_counts import counts_of
from tracer.records import Trace


@metric(
    "missed_calls",
    stage="call",
    better="lower",
    unit="calls",
    undefined="the suite lists no gold calls",
)
def missed_calls(trace: Trace) -> float | None:
    """Required calls that no call made serves.

    Source:
        Lost in the Request, sections 5.2 and 5.4: completeness.
    """
    counts = counts_of(trace)
    return None if counts is None else float(counts.required - counts.matched)
