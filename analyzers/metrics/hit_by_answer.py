"""hit_by_answer@k: does any shown text hold a gold answer?"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from analyzers.base import Score, metric
from analyzers.gold import graded
from analyzers.ranking import CURVE, holds_answer
from analyzers.shown import shown_passages
from tracer.answer_text import answer_match
from tracer.records import Trace
from tracer.redact import is_marked

Holds = Callable[[str, Sequence[str]], bool]
NO_TEXT = "no gold answer, or no text of documents captured"


def _as_text(passage: str, answers: Sequence[str]) -> bool:
    return answer_match(passage, answers) == 1.0


def _hit(k: int, holds: Holds, doc: str) -> Score:
    def score(trace: Trace) -> float | None:
        outcome = graded(trace)
        passages = shown_passages(trace)
        if outcome is None or not outcome.gold_answers or passages is None:
            return None
        texts = [passage.text for passage in passages[:k]]
        if any(holds(text, outcome.gold_answers) for text in texts if text is not None):
            return 1.0
        return None if None in texts or is_marked(texts) else 0.0

    score.__doc__ = doc
    return score


for _k in CURVE:
    metric(
        f"hit_by_answer@{_k}", stage="retrieval", better="higher", binary=True, undefined=NO_TEXT
    )(
        _hit(
            _k,
            holds_answer,
            f"1.0 when the text of any of the first {_k} shown documents holds a gold answer, else "
            "0.0.\n\nSource:\n    Out of Style, released retrieval script at 9da5447; its text "
            "words the same figure as a fraction.\n",
        )
    )
metric("hit_by_answer_text@5", stage="retrieval", better="higher", binary=True, undefined=NO_TEXT)(
    _hit(
        5,
        _as_text,
        "1.0 when any of the first 5 shown documents holds a gold answer as a piece of normalised "
        "text, else 0.0.\n\nSource:\n    Ours: `hit_by_answer@5` with `am` in place of runs of "
        "tokens.\n",
    )
)
