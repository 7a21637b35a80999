"""Dense retrieval: the cosine or dot product of vectors, every document looked at."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence

from assistants.encoded import file_retrievers
from assistants.encoding import DenseEncoder
from assistants.passages import Pieces, at_least_one
from tracer.protocols import Retriever
from tracer.record import Recorder
from tracer.records import Passage
from tracer.wrap import wrap_embedder, wrap_retriever


class _Queries:
    """An encoder as the embedder of queries."""

    def __init__(self, encoder: DenseEncoder) -> None:
        self.name = encoder.encoder.name
        self.source = encoder.located.source
        self.embed = encoder.queries


class DenseIndex:
    """Documents, their passages and the passages' vectors."""

    def __init__(self, documents: Mapping[str, str], encoder: DenseEncoder) -> None:
        self._name = encoder.encoder.name
        self._encoder = encoder
        self._embed = encoder.queries
        self._pieces = Pieces.of(documents, encoder.cut)
        self._vectors = encoder.documents(self._pieces.texts)

    def __call__(self, query: str, k: int) -> Sequence[Passage]:
        """The nearest documents."""
        return self.average([query], k)

    def average(self, queries: Sequence[str], k: int) -> Sequence[Passage]:
        """The documents nearest to the mean of the queries' vectors."""
        at_least_one(k, self._name)
        if not self._pieces.texts:
            return []
        mean = self._embed(queries).mean(axis=0)
        return self._pieces.ranked((self._vectors @ mean).tolist(), k)

    def noted(self, recorder: Recorder) -> DenseIndex:
        """The same index; each call of the encoder is a span."""
        own = copy.copy(self)
        own._embed = wrap_embedder(_Queries(self._encoder), recorder).embed
        return own

    def traced(self, recorder: Recorder, *, ranker: str, data_source: str) -> Retriever:
        """The same, with a span for the whole and one below it for the encoder."""
        return wrap_retriever(
            self.noted(recorder), recorder, ranker=ranker, data_source=data_source
        )


file_retrievers("dense", DenseEncoder, DenseIndex)
