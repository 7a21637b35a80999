"""Learned sparse retrieval: dot products of expanded word weights, every document looked at."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence

from assistants import encoders
from assistants.base import RETRIEVERS, RetrieverFactory, Shelf
from assistants.encoding import SparseTextEncoder, need_sentence_transformers
from assistants.passages import Pieces, at_least_one
from tracer.protocols import Retriever
from tracer.records import Passage


def sparse(name: str, documents: Mapping[str, str], *, shelf: Shelf | None = None) -> Retriever:
    """Rank `documents` by the sparse vectors that the encoder `name` makes.

    A long document is split into passages and stands where its best passage does. What shares no
    word with the expanded query is not found.

    Args:
        name: Of a sparse encoder.
        documents: Id to text.
        shelf: Where weights are looked for and vectors kept.

    Raises:
        ModelWeightsMissingError: The weights are not on this machine.
        MissingExtraError: The package `sentence-transformers` is not installed.
    """
    shelf = shelf or Shelf()
    need_sentence_transformers(f"the retriever {name!r}")
    located = encoders.locate(name, shelf.places)
    return SparseIndex(documents, SparseTextEncoder(located, shelf.vectors, shelf.say))


class SparseIndex:
    """Documents, their passages and the passages' word weights."""

    def __init__(self, documents: Mapping[str, str], encoder: SparseTextEncoder) -> None:
        self._encoder = encoder
        self._pieces = Pieces.of(documents, encoder.cut)
        self._vectors = encoder.vectors(self._pieces.texts)

    def __call__(self, query: str, k: int) -> Sequence[Passage]:
        """The documents with the highest dot product."""
        return self.average([query], k)

    def average(self, queries: Sequence[str], k: int) -> Sequence[Passage]:
        """The documents with the highest dot product with the mean of the queries' vectors."""
        at_least_one(k, self._encoder.encoder.name)
        if not self._pieces.texts:
            return []
        products = self._vectors @ self._encoder.vectors(queries).T
        return self._pieces.ranked(products.toarray().mean(axis=1).tolist(), k, least=0.0)


def _file(name: str) -> None:
    factory: RetrieverFactory = functools.partial(sparse, name)
    RETRIEVERS.add(name)(factory)


for _encoder in encoders.known("sparse"):
    _file(_encoder.name)
