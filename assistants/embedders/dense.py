"""Every dense encoder as an embedder: vectors of length 1, so that a dot product is the cosine."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assistants import encoders
from assistants.base import EMBEDDERS, EmbedderFactory, Places
from assistants.encoding import DENSE_BATCH, load_dense, need_sentence_transformers
from tracer.protocols import Embedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def embedder(name: str, *, folders: Sequence[Path] = ()) -> Embedder:
    """The embedder by the encoder `name`; of a longer text it reads the first tokens.

    Args:
        name: Of a dense encoder.
        folders: Where weights are looked for before installed packages and the hub's cache.

    Raises:
        ModelWeightsMissingError: Its weights are not on this machine, or are not the known ones.
        MissingExtraError: The package `sentence-transformers` is not installed.
    """
    need_sentence_transformers(f"the embedder {name!r}")
    return SentenceEmbedder(encoders.locate(name, Places(folders=folders)))


class SentenceEmbedder:
    """Vectors by sentence-transformers on the CPU."""

    def __init__(self, located: encoders.Located) -> None:
        self.name = located.encoder.name
        self.source = located.source
        self._prefix = located.encoder.document_prefix
        self._model: Any = load_dense(located)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row a text, shape (len(texts), dimensions)."""
        import numpy as np

        if not texts:
            return np.zeros((0, self._model.get_embedding_dimension()), dtype=np.float32)
        rows = self._model.encode(
            [self._prefix + text for text in texts],
            batch_size=DENSE_BATCH,
            normalize_embeddings=True,
            show_progress_bar=False,
        )
        return np.asarray(rows, dtype=np.float32)


def _file(name: str) -> None:
    factory: EmbedderFactory = functools.partial(embedder, name)
    EMBEDDERS.add(name)(factory)


for _encoder in encoders.known("dense"):
    _file(_encoder.name)
