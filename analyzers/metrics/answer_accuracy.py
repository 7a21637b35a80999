"""answer_accuracy: is the answer right?"""

from __future__ import annotations

from analyzers.base import metric
from analyzers.gold import answer_and_golds, graded
from analyzers.redacted import hides_verdict
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
    """1.0 when the answer is right, by the judge where one was asked, else by the suite's matcher.

    `am` where the suite has no matcher of its own.

    Source:
        Lost in the Request, section 3.4 (there a judge model); the matcher used is named in the
        table.
    """
    outcome = graded(trace)
    if hides_verdict(trace):
        return None
    if outcome is not None and "judged" in outcome.flags:
        return float(outcome.flags["judged"])
    if outcome is not None and outcome.answer_correct is not None:
        return float(outcome.answer_correct)
    pair = answer_and_golds(trace)
    return None if pair is None else answer_match(*pair)
