"""asked_back: did the assistant ask instead of acting?"""

from __future__ import annotations

from analyzers.base import metric
from analyzers.gold import graded
from tracer.records import Trace


@metric(
    "asked_back",
    stage="call",
    better="neither",
    binary=True,
    undefined="no acting is asked for, or the trace is not graded",
)
def asked_back(trace: Trace) -> float | None:
    """1.0 when the last message asks the user back and nothing was changed, else 0.0.

    By the suite's own rule where it has one; else by the message: it holds a question, or a request
    for something that is needed, outside quotation marks, that is no closing offer of help.

    Source:
        Ours: asking is right for some tasks and wrong for others, so neither way is better.
    """
    outcome = graded(trace)
    if outcome is None or outcome.asked_back is None:
        return None
    return float(outcome.asked_back)
