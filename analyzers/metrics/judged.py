"""judged and judged_invalid: what a judging model says of the answer."""

from __future__ import annotations

from analyzers.base import metric
from analyzers.gold import graded
from tracer.records import Trace

NO_JUDGE = "no judge was asked (--judge)"


@metric("judged", stage="answer", better="higher", binary=True, undefined=NO_JUDGE)
def judged(trace: Trace) -> float | None:
    """1.0 when a judging model takes the answer as right, else 0.0; an invalid verdict is wrong.

    Source:
        Lost in the Request, section 3.4; invalid verdicts: ours, counted by `judged_invalid`.
    """
    return _flag(trace, "judged")


@metric("judged_invalid", stage="answer", better="lower", binary=True, undefined=NO_JUDGE)
def judged_invalid(trace: Trace) -> float | None:
    """1.0 when the judge's verdict could not be read, else 0.0.

    Source:
        Ours: an unreadable verdict says something about the judge, not about the answer.
    """
    return _flag(trace, "judged_invalid")


def _flag(trace: Trace, name: str) -> float | None:
    outcome = graded(trace)
    if outcome is None or name not in outcome.flags:
        return None
    return float(outcome.flags[name])
