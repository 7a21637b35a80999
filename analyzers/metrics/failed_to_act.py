"""failed_to_act: did nothing change although something should have?"""

from __future__ import annotations

from analyzers.base import metric
from analyzers.end_state import judge_end_state
from analyzers.gold import graded
from tracer.records import Trace


@metric(
    "failed_to_act",
    stage="call",
    better="lower",
    binary=True,
    undefined="not recorded by this suite",
)
def failed_to_act(trace: Trace) -> float | None:
    """1.0 when the state stayed as it was although the gold changes it, else 0.0.

    Source:
        Ours: tells WorkBench's wrong end states by omission from those by harm.
    """
    outcome = graded(trace)
    if outcome is None:
        return None
    if outcome.failed_to_act is not None:
        return float(outcome.failed_to_act)
    before, after, expected = outcome.state_before, outcome.state_after, outcome.state_expected
    if before is None or after is None or expected is None:
        return None
    return float(judge_end_state(before, after, expected).failed_to_act)
