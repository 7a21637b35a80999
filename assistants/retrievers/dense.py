"""Dense retrieval: the cosine or dot product of vectors, every document looked at."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence

from assistants import encoders
from assistants.base import RETRIEVERS, RetrieverFactory, Shelf
from assistants.encoding import DenseEncoder, need_sentence_transformers
from assistants.passages import Pieces, at_least_one
from tracer.protocols import Retriever
from tracer.records import Passage


def dense(name: str, documents: Mapping[str, str], *, shelf: Shelf | None = None) -> Retriever:
    """Rank `documents` by the vectors that the encoder `name` makes.

    A long document is split into passages and stands where its best passage does.

    Args:
        name: Of a dense encoder.
        documents: Id to text.
        shelf: Where weights are looked for and vectors kept.

    Raises:
        ModelWeightsMissingError: The weights are not on this machine.
        MissingExtraError: The package `sentence-transformers` is not installed.
    """
    shelf = shelf or Shelf()
    need_sentence_transformers(f"the retriever {name!r}")
    located = encoders.locate(name, shelf.places)
    return DenseIndex(documents, DenseEncoder(located, shelf.vectors, shelf.say))


class DenseIndex:
    """Documents, their passages and the passages' vectors."""

    def __init__(self, documents: Mapping[str, str], encoder: DenseEncoder) -> None:
        self._encoder = encoder
        self._pieces = Pieces.of(documents, encoder.cut)
        self._vectors = encoder.documents(self._pieces.texts)

    def __call__(self, query: str, k: int) -> Sequence[Passage]:
        """The nearest documents."""
        return self.average([query], k)

    def average(self, queries: Sequence[str], k: int) -> Sequence[Passage]:
        """The documents nearest to the mean of the queries' vectors."""
        at_least_one(k, self._encoder.encoder.name)
        if not self._pieces.texts:
            return []
        mean = self._encoder.queries(queries).mean(axis=0)
        return self._pieces.ranked((self._vectors @ mean).tolist(), k)


def _file(name: str) -> None:
    factory: RetrieverFactory = functools.partial(dense, name)
    RETRIEVERS.add(name)(factory)


for _encoder in encoders.known("dense"):
    _file(_encoder.name)
