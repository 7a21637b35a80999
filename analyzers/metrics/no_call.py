"""no_call: did the assistant call anything at all?"""

from __future__ import annotations

from analyzers.base import metric
from analyzers.gold import graded
from tracer.records import Trace


def _has_tools(trace: Trace) -> bool:
    outcome = graded(trace)
    if outcome is not None:
        return outcome.required_calls is not None
    return trace.assistant_kind not in ("rag", "llm")


@metric(
    "no_call", stage="call", better="lower", binary=True, undefined="the suite lists no gold calls"
)
def no_call(trace: Trace) -> float | None:
    """1.0 when not one call was made, of any kind, else 0.0; needs no gold.

    Source:
        Lost in the Request, section 5; over all items.
    """
    return float(not trace.calls) if _has_tools(trace) else None


@metric(
    "no_call_required", stage="call", better="lower", binary=True, undefined="no call is required"
)
def no_call_required(trace: Trace) -> float | None:
    """`no_call` over the items whose gold has a call.

    Source:
        Ours: over all items an assistant that rightly stays silent looks worse.
    """
    outcome = graded(trace)
    if outcome is None or not outcome.required_calls:
        return None
    return float(not trace.calls)
