"""answer_accuracy: is the answer right by the suite's own matcher?"""

from __future__ import annotations

from analyzers.base import metric
from analyzers.gold import answer_and_golds, graded
from tracer.answer_text import answer_match
from tracer.records import Trace


@metric(
    "answer_accuracy",
    stage="answer",
    better="higher",
    binary=True,
    undefined="no answer is asked for",
)
def answer_accuracy(trace: Trace) -> float | None:
    """1.0 when the suite's own matcher takes the answer as right, else 0.0; `am` where it has none.

    Source:
        Lost in the Request, section 3.4 (there a judge model); the matcher used is named in the
        table.
    """
    outcome = graded(trace)
    if outcome is not None and outcome.answer_correct is not None:
        return float(outcome.answer_correct)
    pair = answer_and_golds(trace)
    return None if pair is None else answer_match(*pair)
