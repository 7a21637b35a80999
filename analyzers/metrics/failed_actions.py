"""failed_actions: how many writes ended in an error?"""

from __future__ import annotations

from analyzers.base import metric
from analyzers.gold import graded
from tracer.records import Trace


@metric(
    "failed_actions",
    stage="act",
    better="lower",
    unit="calls",
    undefined="kinds of calls not known",
)
def failed_actions(trace: Trace) -> float | None:
    """Writing calls that came back with an error.

    Source:
        Ours: ToolTalk leaves them out of its bad actions, so they would be seen nowhere.
    """
    outcome = graded(trace)
    if outcome is not None and outcome.calls:
        return float(sum(call.kind == "write" and call.failed for call in outcome.calls))
    if any(call.kind == "unknown" for call in trace.calls):
        return None
    return float(sum(call.kind == "write" and call.status == "error" for call in trace.calls))
