"""Dense retrieval by Chroma, in memory, with MiniLM vectors of our own."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assistants.base import RETRIEVERS
from assistants.embedders.minilm import minilm
from tracer.protocols import Embedder, Retriever
from tracer.records import Passage
from tracer.registry import missing_extra

_AHEAD = 100
"""Least number of documents asked for."""
_SAME = 1e-6
"""Distances closer than this count as equal, so that equal documents come in the order of ids."""


@RETRIEVERS.add("chroma")
def chroma(documents: Mapping[str, str], *, folders: Sequence[Path] = ()) -> Retriever:
    """Rank `documents` in a Chroma collection by the cosine of their MiniLM vectors.

    Args:
        documents: Id to text.
        folders: Where weights are looked for before installed packages.

    Raises:
        ModelWeightsMissingError: The weights are not on this machine.
        MissingExtraError: Chroma or `sentence-transformers` is not installed.
    """
    try:
        import chromadb
        from chromadb.config import Settings
    except ImportError as error:
        raise missing_extra("chromadb", "retrieval", "the retriever 'chroma'") from error
    client = chromadb.EphemeralClient(settings=Settings(anonymized_telemetry=False))
    return in_collection(client, documents, minilm(folders=folders))


def in_collection(client: Any, documents: Mapping[str, str], embedder: Embedder) -> Retriever:
    """Rank `documents` in a new collection of the client.

    Our vectors are handed in at both ends: Chroma's own embedder would fetch a model.
    """
    ids = sorted(documents)
    collection = client.create_collection(
        f"stagetrace-{uuid.uuid4().hex}",
        embedding_function=None,
        metadata={"hnsw:space": "cosine"},
    )
    step = client.get_max_batch_size()
    for start in range(0, len(ids), step):
        batch = ids[start : start + step]
        vectors = embedder.embed([documents[doc_id] for doc_id in batch])
        collection.add(ids=batch, embeddings=vectors.tolist())

    def retrieve(query: str, k: int) -> Sequence[Passage]:
        if k < 1:
            raise ValueError(f"chroma: k is {k}; ask for at least 1 document")
        if not ids:
            return []
        vector = embedder.embed([query]).tolist()
        # Chroma cuts through equal distances as it likes, so more is asked for than k and cut here.
        wanted = max(k + 1, _AHEAD)
        while True:
            found = collection.query(
                query_embeddings=vector, n_results=min(wanted, len(ids)), include=["distances"]
            )
            distances = [float(distance) for distance in found["distances"][0]]
            if wanted >= len(ids) or distances[-1] - distances[k - 1] > _SAME:
                break
            wanted *= 2
        pairs = zip(found["ids"][0], distances, strict=True)
        ranked = sorted(pairs, key=lambda pair: (round(pair[1] / _SAME), pair[0]))[:k]
        return [Passage(doc_id, 1.0 - distance, documents[doc_id]) for doc_id, distance in ranked]

    return retrieve
