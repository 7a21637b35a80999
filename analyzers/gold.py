"""What a trace says of its answer beside the gold answers."""

from __future__ import annotations

from analyzers.redacted import hides_answer
from tracer.records import Outcome, Trace


def graded(trace: Trace) -> Outcome | None:
    """The outcome, or None where nobody graded the trace or the grader itself broke."""
    outcome = trace.outcome
    return None if outcome is None or outcome.grader_error is not None else outcome


def answer_and_golds(trace: Trace) -> tuple[str, tuple[str, ...]] | None:
    """The answer and its golds; None without golds or when the answer was not captured.

    None also where the answer is redacted and no gold answer stands in what is left. An agent that
    raised has answered nothing, which is wrong and not unknown.
    """
    outcome = graded(trace)
    if outcome is None or not outcome.gold_answers:
        return None
    if trace.answer is not None:
        if hides_answer(trace.answer, outcome.gold_answers):
            return None
        return trace.answer, outcome.gold_answers
    if outcome.errored or trace.status == "error":
        return "", outcome.gold_answers
    return None
