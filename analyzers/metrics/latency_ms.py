"""latency_ms: how long did the run take?"""

from __future__ import annotations

from analyzers.base import metric
from tracer.records import Trace


@metric("latency_ms", stage="cost", better="lower", unit="ms", undefined="the run has no end time")
def latency_ms(trace: Trace) -> float | None:
    """Milliseconds from the start of the item's first span to its end.

    Source:
        Ours; times of several workers on one machine are not those of one.
    """
    if trace.ended_ns is None:
        return None
    return (trace.ended_ns - trace.started_ns) / 1e6
