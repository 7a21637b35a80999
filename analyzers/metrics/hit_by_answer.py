"""hit_by_answer@5: does any shown text hold a gold answer?"""

from __future__ import annotations

from analyzers.base import metric
from analyzers.gold import graded
from analyzers.ranking import holds_answer
from analyzers.shown import shown_passages
from tracer.records import Trace


@metric(
    "hit_by_answer@5",
    stage="retrieval",
    better="higher",
    binary=True,
    undefined="no gold answer, or no text of documents captured",
)
def hit_by_answer(trace: Trace) -> float | None:
    """1.0 when the text of any of the first 5 shown documents holds a gold answer, else 0.0.

    Source:
        Out of Style, released retrieval script at 9da5447; its text words the same figure as a
        fraction.
    """
    outcome = graded(trace)
    passages = shown_passages(trace)
    if outcome is None or not outcome.gold_answers or passages is None:
        return None
    texts = [passage.text for passage in passages[:5]]
    if any(holds_answer(text, outcome.gold_answers) for text in texts if text is not None):
        return 1.0
    return None if None in texts else 0.0
