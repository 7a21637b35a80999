"""Kinds of error of a conversation, as its grader flags them."""

from __future__ import annotations

from analyzers.base import Score, metric
from analyzers.gold import graded
from tracer.records import Trace

_KINDS = {
    "over_trigger": "a write was made in a turn whose answer key has no call",
    "bad_planning": "a turn has other calls, or fewer of them, than its answer key",
    "bad_call": "a turn has the calls of its answer key with other arguments",
}


def _flagged(name: str, meaning: str) -> Score:
    def score(trace: Trace) -> float | None:
        outcome = graded(trace)
        if outcome is None or name not in outcome.flags:
            return None
        return float(outcome.flags[name])

    score.__doc__ = (
        f"1.0 when {meaning}, else 0.0.\n\nSource:\n    ToolTalk at e05f4ce, "
        "`calculate_error_types.py`; the suite's own flag.\n"
    )
    return score


for _name, _meaning in _KINDS.items():
    metric(
        _name, stage="call", better="lower", binary=True, undefined="not recorded by this suite"
    )(_flagged(_name, _meaning))
