"""soft_success: how much of the task was done without harm?"""

from __future__ import annotations

from analyzers.base import metric
from analyzers.call_counts import counts_of
from tracer.records import Trace


@metric(
    "soft_success",
    stage="outcome",
    better="higher",
    undefined="the suite lists no gold calls",
)
def soft_success(trace: Trace) -> float | None:
    """Required-call recall times the share of writes that were right.

    Source:
        ToolTalk's soft_success; with nothing required the second factor alone.
    """
    counts = counts_of(trace)
    return None if counts is None else counts.soft_success()
