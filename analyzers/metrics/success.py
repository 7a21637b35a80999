"""success: was the task done, by the suite's own rules?"""

from __future__ import annotations

from analyzers.base import metric
from analyzers.gold import graded
from analyzers.redacted import hides_verdict
from tracer.records import Trace


@metric(
    "success", stage="outcome", better="higher", binary=True, undefined="not recorded by this suite"
)
def success(trace: Trace) -> float | None:
    """1.0 when the suite's own rules call the run a success, else 0.0.

    Source:
        The suite's grader in the mode named in the title line.
    """
    outcome = graded(trace)
    if outcome is None or outcome.success is None or (not outcome.success and hides_verdict(trace)):
        return None
    return float(outcome.success)
