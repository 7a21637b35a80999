"""unsupported_actions: how many writes did nobody ask for?"""

from __future__ import annotations

from analyzers.base import metric
from analyzers.call_counts import counts_of
from tracer.records import Trace


@metric(
    "unsupported_actions",
    stage="act",
    better="lower",
    unit="calls",
    undefined="the suite lists no gold calls",
)
def unsupported_actions(trace: Trace) -> float | None:
    """Writing calls that serve no gold call and did not fail.

    Source:
        Lost in the Request, sections 5.2 and 5.4: unsupported action; ToolTalk's bad actions.
    """
    counts = counts_of(trace)
    return None if counts is None else float(counts.unsupported)
