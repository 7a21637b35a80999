"""Dense retrieval by Chroma, in memory, in a folder or on a server, with MiniLM vectors of ours."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from assistants import encoders
from assistants.base import RETRIEVERS, Shelf
from assistants.encoding import DenseEncoder, need_sentence_transformers
from assistants.passages import Pieces, at_least_one
from tracer.protocols import Retriever
from tracer.records import Passage
from tracer.registry import missing_extra

_SPACE = "cosine"
_AHEAD = 100
"""Least number of documents asked for."""
_SAME = 1e-6
"""Distances closer than this count as equal, so that equal documents come in the order of ids."""


@RETRIEVERS.add("chroma")
def chroma(
    documents: Mapping[str, str], *, shelf: Shelf | None = None, place: str = ""
) -> Retriever:
    """Rank `documents` in a Chroma collection by the cosine of their MiniLM vectors.

    A long document is split into passages and stands where its best passage does.

    Args:
        documents: Id to text.
        shelf: Where weights are looked for and vectors kept.
        place: Folder of a database, `http://HOST:PORT` of a server, or nothing for memory.

    Raises:
        ModelWeightsMissingError: The weights are not on this machine.
        MissingExtraError: Chroma or `sentence-transformers` is not installed.
    """
    try:
        import chromadb
        from chromadb.config import Settings
    except ImportError as error:
        raise missing_extra("chromadb", "retrieval", "the retriever 'chroma'") from error
    shelf = shelf or Shelf()
    need_sentence_transformers("the retriever 'chroma'")
    encoder = DenseEncoder(encoders.locate("minilm", shelf.places), shelf.vectors, shelf.say)
    quiet = Settings(anonymized_telemetry=False)
    if place.startswith(("http://", "https://")):
        address = urlsplit(place)
        client: Any = chromadb.HttpClient(
            host=address.hostname or "localhost",
            port=address.port or 8000,
            ssl=address.scheme == "https",
            settings=quiet,
        )
    elif place:
        client = chromadb.PersistentClient(path=place, settings=quiet)
    else:
        client = chromadb.EphemeralClient(settings=quiet)
    return in_collection(client, documents, encoder)


def in_collection(client: Any, documents: Mapping[str, str], encoder: DenseEncoder) -> Retriever:
    """Rank `documents` in a collection of the client, filled when it is not yet.

    Its name is a digest of documents and weights, so that a kept collection is found again and
    never that of other documents. Our vectors are handed in at both ends: Chroma's own embedder
    would fetch a model.
    """
    pieces = Pieces.of(documents, encoder.cut)
    ids = [f"{number:08d}" for number in range(len(pieces.texts))]
    collection = client.get_or_create_collection(
        f"stagetrace-{_digest(documents, encoder)}",
        embedding_function=None,
        metadata={"hnsw:space": _SPACE},
    )
    if collection.count() != len(ids):
        step = client.get_max_batch_size()
        for start in range(0, len(ids), step):
            vectors = encoder.documents(pieces.texts[start : start + step])
            collection.upsert(ids=ids[start : start + step], embeddings=vectors.tolist())

    def retrieve(query: str, k: int) -> Sequence[Passage]:
        at_least_one(k, "chroma")
        if not ids:
            return []
        vector = encoder.queries([query]).tolist()
        # Chroma cuts through equal distances as it likes, and several passages may be of one
        # document, so more is asked for than k and cut here.
        wanted = max(k + 1, _AHEAD)
        while True:
            found = collection.query(
                query_embeddings=vector, n_results=min(wanted, len(ids)), include=["distances"]
            )
            best: dict[str, float] = {}
            for number, distance in zip(found["ids"][0], found["distances"][0], strict=True):
                best.setdefault(pieces.owners[int(number)], float(distance))
            nearest = sorted(best.values())
            last = float(found["distances"][0][-1])
            if wanted >= len(ids) or (len(nearest) > k and last - nearest[k - 1] > _SAME):
                break
            wanted *= 2
        ranked = sorted(best, key=lambda doc_id: (round(best[doc_id] / _SAME), doc_id))[:k]
        return [
            Passage(doc_id, cosine_of(best[doc_id], _SPACE), documents[doc_id]) for doc_id in ranked
        ]

    return retrieve


def cosine_of(distance: float, space: str) -> float:
    """The cosine of two vectors of length 1 whose distance a vector store gives.

    Args:
        distance: As the store gives it.
        space: `cosine` or `ip` (1 minus the dot product), or `l2` (the squared length between).

    Raises:
        ValueError: There is no such space.

    Example:
        >>> cosine_of(0.5, "l2"), cosine_of(0.25, "cosine")
        (0.75, 0.75)
    """
    if space == "l2":
        return 1.0 - distance / 2.0
    if space in ("cosine", "ip"):
        return 1.0 - distance
    raise ValueError(f"unknown space {space!r} of distances; known: cosine, ip, l2")


def _digest(documents: Mapping[str, str], encoder: DenseEncoder) -> str:
    digest = hashlib.sha256(encoder.located.source.sha256.encode())
    for doc_id in sorted(documents):
        for text in (doc_id, documents[doc_id]):
            data = text.encode("utf-8", "surrogatepass")
            digest.update(len(data).to_bytes(8) + data)
    return digest.hexdigest()[:32]
