"""am_token: the answer's text beside the gold answers."""

from __future__ import annotations

from analyzers.base import metric
from analyzers.gold import answer_and_golds
from tracer.answer_text import answer_match_tokens
from tracer.records import Trace


@metric(
    "am_token",
    stage="answer",
    better="higher",
    binary=True,
    undefined="no gold answer, or no answer captured",
)
def am_token(trace: Trace) -> float | None:
    """1.0 when the normalised answer holds a gold answer as whole tokens, else 0.0.

    Source:
        Ours: shows how much of `am` rests on pieces of words.
    """
    pair = answer_and_golds(trace)
    return None if pair is None else answer_match_tokens(*pair)
