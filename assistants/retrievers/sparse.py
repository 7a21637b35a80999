"""Learned sparse retrieval: dot products of expanded word weights, every document looked at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assistants.encoded import file_retrievers
from assistants.encoding import SparseTextEncoder
from assistants.passages import Pieces, at_least_one
from tracer.records import Passage


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


file_retrievers("sparse", SparseTextEncoder, SparseIndex)
