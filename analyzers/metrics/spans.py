"""spans: how many steps did the run take?"""

from __future__ import annotations

from analyzers.base import metric
from tracer.records import Trace


@metric("spans", stage="cost", better="neither", unit="spans", undefined="spans not counted")
def spans(trace: Trace) -> float | None:
    """Spans that the run left.

    Source:
        Ours: longer ways to the same end show here first.
    """
    return float(trace.spans) if trace.spans else None
