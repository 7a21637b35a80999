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
    undefined="not recorded by this suite",
)
def asked_back(trace: Trace) -> float | None:
    """1.0 when the suite's grader finds that the assistant asked the user back, else 0.0.

    Source:
        Ours: asking is right for some tasks and wrong for others, so neither way is better.
    """
    outcome = graded(trace)
    if outcome is None or outcome.asked_back is None:
        return None
    return float(outcome.asked_back)
