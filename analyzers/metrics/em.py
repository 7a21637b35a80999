"""EM: the answer's text beside the gold answers."""

from __future__ import annotations

from analyzers.base import metric
from analyzers.gold import answer_and_golds
from tracer.answer_text import exact_match
from tracer.records import Trace


@metric(
    "em",
    stage="answer",
    better="higher",
    binary=True,
    undefined="no gold answer, or no answer captured",
)
def em(trace: Trace) -> float | None:
    """1.0 when the answer equals a gold answer after normalisation, else 0.0.

    Source:
        SQuAD v1.1 evaluation script.
    """
    pair = answer_and_golds(trace)
    return None if pair is None else exact_match(*pair)
