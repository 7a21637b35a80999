"""Dense retrieval by exact cosine over MiniLM vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from assistants.base import RETRIEVERS
from assistants.embedders.minilm import minilm
from tracer.protocols import Embedder, Retriever
from tracer.records import Passage


@RETRIEVERS.add("minilm")
def dense_minilm(documents: Mapping[str, str], *, folders: Sequence[Path] = ()) -> Retriever:
    """Rank `documents` by the cosine of their MiniLM vector with the query's.

    Args:
        documents: Id to text.
        folders: Where weights are looked for before installed packages.

    Raises:
        ModelWeightsMissingError: The weights are not on this machine.
        MissingExtraError: The package `sentence-transformers` is not installed.
    """
    return dense(documents, minilm(folders=folders))


def dense(documents: Mapping[str, str], embedder: Embedder) -> Retriever:
    """Rank `documents` by the cosine of their vectors, every document looked at."""
    ids = sorted(documents)
    vectors = embedder.embed([documents[doc_id] for doc_id in ids])

    def retrieve(query: str, k: int) -> Sequence[Passage]:
        if k < 1:
            raise ValueError(f"dense: k is {k}; ask for at least 1 document")
        if not ids:
            return []
        scores = [float(score) for score in vectors @ embedder.embed([query])[0]]
        order = sorted(range(len(ids)), key=lambda place: (-scores[place], ids[place]))
        return [Passage(ids[p], scores[p], documents[ids[p]]) for p in order[:k]]

    return retrieve
