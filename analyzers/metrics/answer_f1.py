"""answer_f1: the answer's text beside the gold answers."""

from __future__ import annotations

from analyzers.base import metric
from analyzers.gold import answer_and_golds
from tracer.answer_text import token_f1
from tracer.records import Trace
from tracer.redact import is_marked


@metric(
    "answer_f1", stage="answer", better="higher", undefined="no gold answer, or no answer captured"
)
def answer_f1(trace: Trace) -> float | None:
    """Harmonic mean of the answer's token precision and recall against the best gold answer.

    Source:
        SQuAD v1.1 evaluation script; multisets of tokens.
    """
    pair = answer_and_golds(trace)
    # The tokens of what was redacted cannot be counted, even where a gold answer stands beside.
    return None if pair is None or is_marked(pair[0]) else token_f1(*pair)
