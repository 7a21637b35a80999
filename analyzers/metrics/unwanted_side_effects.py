"""unwanted_side_effects: was the world changed in a way nobody wanted?"""

from __future__ import annotations

from analyzers.base import metric
from analyzers.end_state import judge_end_state
from analyzers.gold import graded
from tracer.records import Trace


@metric(
    "unwanted_side_effects",
    stage="act",
    better="lower",
    binary=True,
    undefined="not recorded by this suite",
)
def unwanted_side_effects(trace: Trace) -> float | None:
    """1.0 when the state changed and is not the wanted one, else 0.0.

    Source:
        WorkBench, `src/evals/utils.py`; the verdict is the suite's own.
    """
    outcome = graded(trace)
    if outcome is None:
        return None
    if outcome.unwanted_side_effect is not None:
        return float(outcome.unwanted_side_effect)
    before, after, expected = outcome.state_before, outcome.state_after, outcome.state_expected
    if before is None or after is None or expected is None:
        return None
    return float(judge_end_state(before, after, expected).unwanted_side_effect)
