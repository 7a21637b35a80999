"""Choices that change what a metric says: how answers are compared, and what tokens cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from analyzers.base import METRICS, Metric
from analyzers.gold import answer_and_golds
from analyzers.prices import Prices
from analyzers.released_answers import (
    answer_match_released,
    exact_match_released,
    fold_unicode,
    token_f1_released,
)
from tracer.answer_text import answer_match, answer_match_tokens, exact_match, token_f1
from tracer.errors import UnknownNameError
from tracer.records import Trace
from tracer.registry import nearest

Compare: TypeAlias = Callable[[str, Iterable[str]], float | None]


def _folded(compare: Compare) -> Compare:
    def folded(prediction: str, golds: Iterable[str]) -> float | None:
        return compare(fold_unicode(prediction), [fold_unicode(gold) for gold in golds])

    return folded


ANSWERS: Mapping[str, Mapping[str, Compare]] = {
    "squad": {},
    "nfkc": {
        "em": _folded(exact_match),
        "answer_f1": _folded(token_f1),
        "am": _folded(answer_match),
        "am_token": _folded(answer_match_tokens),
    },
    "s2_released": {
        "em": exact_match_released,
        "answer_f1": token_f1_released,
        "am": answer_match_released,
    },
}
"""Name of a way to compare answers to the metrics it replaces; `squad` is how they are filed."""

ABOUT: Mapping[str, str] = {
    "squad": "SQuAD v1.1 normalisation",
    "nfkc": "SQuAD v1.1 normalisation after Unicode folding (NFKC, quotes, dashes); ours",
    "s2_released": "the released scripts of Out of Style at 9da5447, not its text",
}


@dataclass(frozen=True, slots=True)
class Scoring:
    """What is chosen for one analysis; printed with it."""

    answers: str = "squad"
    """One of `ANSWERS`."""
    prices: Prices | None = None

    def __post_init__(self) -> None:
        if self.answers not in ANSWERS:
            raise UnknownNameError(
                f"unknown scoring {self.answers!r}; {nearest(self.answers, list(ANSWERS))} "
                f"(there are: {', '.join(ANSWERS)})"
            )

    def metric(self, name: str) -> Metric:
        """The metric of that name under these choices.

        Raises:
            UnknownNameError: There is no such metric; the nearest names are offered.
        """
        metric = METRICS.get(name)
        compare = ANSWERS[self.answers].get(name)
        if compare is not None:
            return replace(metric, score=_of_answer(compare))
        if name == "cost" and self.prices is not None:
            return replace(metric, score=self.prices.cost, undefined=self.prices.undefined)
        return metric


def _of_answer(compare: Compare) -> Callable[[Trace], float | None]:
    def score(trace: Trace) -> float | None:
        pair = answer_and_golds(trace)
        return None if pair is None else compare(*pair)

    return score


DEFAULT = Scoring()
