"""AM: the answer's text beside the gold answers."""

from __future__ import annotations

from analyzers.base import metric
from analyzers.gold import answer_and_golds
from tracer.answer_text import answer_match
from tracer.records import Trace


@metric(
    "am",
    stage="answer",
    better="higher",
    binary=True,
    undefined="no gold answer, or no answer captured",
)
def am(trace: Trace) -> float | None:
    """1.0 when the normalised answer holds a gold answer as a piece of text, else 0.0.

    Source:
        Out of Style, section 4.3.
    """
    pair = answer_and_golds(trace)
    return None if pair is None else answer_match(*pair)
