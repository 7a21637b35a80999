"""Query expansion by made-up answers, before any retriever."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assistants.base import COMBINERS, Averaging, Combiner, Encoding, Opened, Seeded, Shelf
from assistants.passages import FUSED_DEPTH, at_least_one, fuse
from assistants.prompts import SUPPOSE
from assistants.retrieval import plus, sources_of, traced
from assistants.slots import seed_of
from tracer.errors import InputError
from tracer.protocols import ChatModel, Retriever
from tracer.record import Recorder
from tracer.records import Message, Passage
from tracer.wrap import wrap_model, wrap_retriever

PASSAGES = 4
"""Made-up passages a query.

Source:
    Out of Style, released scripts at 9da5447: four passages at temperature 0.7, each appended to
    the query, their four vectors averaged.
"""


def combine(others: Sequence[Opened], model: str, shelf: Shelf) -> Opened:
    """`hyde:OTHER`, with passages by the writer of the shelf.

    Raises:
        InputError: There is no writer, or it is a program that cannot make up text.
    """
    writer = shelf.writer
    if model or writer is None or writer.source.baseline:
        raise InputError(
            "retriever 'hyde' needs a language model that writes passages: give "
            "--writer local:smollm2 or --writer openai:NAME"
        )
    inner = others[0]
    name = f"hyde:{plus(others)}"

    def build(documents: Mapping[str, str]) -> Retriever:
        return Hyde(inner.label, inner.build(documents), writer)

    return Opened(name, build, (*sources_of(others), writer.source), name)


HYDE = COMBINERS.add("hyde")(Combiner("bm25", combine))


class Hyde:
    """Ranks by the mean of the queries that each have one made-up passage appended.

    Where a retriever cannot take the mean of several queries, it is asked each of them, and the
    rankings are put together by the reciprocals of their ranks.
    """

    def __init__(self, label: str, inner: Retriever, writer: ChatModel) -> None:
        self._label = label
        self._inner = inner
        self._writer = writer

    def __call__(self, query: str, k: int) -> Sequence[Passage]:
        """At most `k` documents."""
        at_least_one(k, "hyde")
        queries = [f"{query}\n{passage}" for passage in self.passages(query)]
        if isinstance(self._inner, Averaging):
            return self._inner.average(queries, k)
        return fuse([self._inner(one, FUSED_DEPTH) for one in queries])[:k]

    def passages(self, query: str) -> list[str]:
        """What mails that answer the query might say; the same ones for the same query."""
        prompt = [Message("system", SUPPOSE.text), Message("user", query)]
        found = []
        for number in range(PASSAGES):
            seeded = getattr(self._writer, "model", self._writer)
            if isinstance(seeded, Seeded):
                seeded.reseed(seed_of(number, (query, "hyde", number)))
            found.append(self._writer.chat(prompt).message.content.strip())
        return found

    def traced(self, recorder: Recorder, *, ranker: str, data_source: str) -> Retriever:
        """The same, with a span for the whole and others below it for writer and retriever."""
        inner = self._inner
        if isinstance(inner, Encoding):
            inner = inner.noted(recorder)
        elif not isinstance(inner, Averaging):
            inner = traced(inner, recorder, ranker=self._label, data_source=data_source)
        own = Hyde(self._label, inner, wrap_model(self._writer, recorder))
        return wrap_retriever(own, recorder, ranker=ranker, data_source=data_source)
