"""all-MiniLM-L6-v2: 384 numbers a text, from weights that come as a package."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assistants.base import EMBEDDERS
from assistants.models import weights
from tracer.protocols import Embedder
from tracer.registry import missing_extra

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BATCH = 32


@EMBEDDERS.add("minilm")
def minilm(*, folders: Sequence[Path] = ()) -> Embedder:
    """The embedder, with vectors of length 1, so that a dot product is the cosine.

    Args:
        folders: Where weights are looked for before installed packages.

    Raises:
        ModelWeightsMissingError: Its weights are not on this machine, or are not the known ones.
        MissingExtraError: The package `sentence-transformers` is not installed.

    Source:
        sentence-transformers/all-MiniLM-L6-v2, revision 1110a243, mean pooling, at most 256 tokens.
    """
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise missing_extra(
            "sentence-transformers", "retrieval", "the embedder 'minilm'"
        ) from error
    found = weights.require("minilm", folders)
    # It comes with sentence-transformers and would draw a bar while it loads.
    importlib.import_module("transformers.utils.logging").disable_progress_bar()
    model = SentenceTransformer(str(found.path.parent), device="cpu", local_files_only=True)
    return MiniLM(found, model)


class MiniLM:
    """Vectors by sentence-transformers on the CPU."""

    def __init__(self, found: weights.Found, model: Any) -> None:
        self.name = "minilm"
        self.source = found.source
        self._model = model

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row a text, shape (len(texts), 384)."""
        import numpy as np

        if not texts:
            return np.zeros((0, 384), dtype=np.float32)
        rows = self._model.encode(
            list(texts), batch_size=BATCH, normalize_embeddings=True, show_progress_bar=False
        )
        return np.asarray(rows, dtype=np.float32)
