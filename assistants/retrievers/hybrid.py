"""Several retrievers in one ranking, by the reciprocals of their ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assistants.base import COMBINERS, Combiner, Opened, Shelf
from assistants.passages import FUSED_DEPTH, at_least_one, fuse
from assistants.retrieval import plus, sources_of, traced
from tracer.errors import InputError
from tracer.protocols import Retriever
from tracer.record import Recorder
from tracer.records import Passage
from tracer.wrap import wrap_retriever


def combine(others: Sequence[Opened], model: str, shelf: Shelf) -> Opened:
    """`hybrid:FIRST+SECOND`.

    Raises:
        InputError: Fewer than two retrievers are named, or a model.
    """
    del shelf
    if len(others) < 2 or model:
        raise InputError(
            "retriever 'hybrid' takes two retrievers or more and no model: hybrid:bm25+minilm"
        )

    def build(documents: Mapping[str, str]) -> Retriever:
        return Hybrid([(one.label, one.build(documents)) for one in others])

    name = f"hybrid:{plus(others)}"
    return Opened(name, build, sources_of(others), name)


HYBRID = COMBINERS.add("hybrid")(Combiner("bm25+minilm", combine))


class Hybrid:
    """The sum of 1 / (60 + rank) over the retrievers, ties by id.

    Source:
        Cormack, Clarke and Buettcher 2009, reciprocal rank fusion, with their constant of 60.
    """

    def __init__(self, parts: Sequence[tuple[str, Retriever]]) -> None:
        self._parts = parts

    def __call__(self, query: str, k: int) -> Sequence[Passage]:
        """The documents that stand high in the rankings, at most `k`."""
        at_least_one(k, "hybrid")
        return fuse([retrieve(query, FUSED_DEPTH) for _, retrieve in self._parts])[:k]

    def traced(self, recorder: Recorder, *, ranker: str, data_source: str) -> Retriever:
        """The same, with a span for the whole and one below it for each retriever."""
        inner = [
            (label, traced(part, recorder, ranker=label, data_source=data_source))
            for label, part in self._parts
        ]
        return wrap_retriever(Hybrid(inner), recorder, ranker=ranker, data_source=data_source)
