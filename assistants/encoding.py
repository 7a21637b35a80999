"""Encoders at work: texts to vectors of three kinds, by sentence-transformers on the CPU."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assistants.encoders import Located
from assistants.passages import split
from assistants.vector_cache import VectorCache
from tracer.registry import missing_extra

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DENSE_BATCH = 32
SPARSE_BATCH = 4
"""The output of a sparse encoder has one number for each word it knows: more needs gigabytes."""
_MARKS = 8
"""Tokens left free for the marks of start and end and for words that split anew at a cut."""
Say = Callable[[str], None]


def need_sentence_transformers(what_for: str) -> None:
    """Refuse at once where the library is not installed; it takes seconds to import, so it is not.

    Raises:
        MissingExtraError: It is not installed.
    """
    if importlib.util.find_spec("sentence_transformers") is None:
        raise missing_extra("sentence-transformers", "retrieval", what_for)


class _Encoder:
    """What encoders of texts one by one have in common; the model is loaded when it is needed."""

    def __init__(
        self, located: Located, vectors: Path | None = None, say: Say | None = None
    ) -> None:
        self.located = located
        self.encoder = located.encoder
        self._say = say
        key = "/".join(
            (
                *(located.source.sha256, self.encoder.role, self.encoder.pooling),
                *(str(self.encoder.normalise), str(self.encoder.max_tokens)),
            )
        )
        self.cache = VectorCache(vectors, key)

    def cut(self, text: str) -> list[str]:
        """The text in passages that the model reads whole."""
        prefix = len(self.offsets(self.encoder.document_prefix))
        return split(text, self.offsets, self.encoder.max_tokens - _MARKS - prefix)

    def offsets(self, text: str) -> Sequence[tuple[int, int]]:
        """Start and end of each token of the text."""
        offsets: Sequence[tuple[int, int]] = self._tokeniser.encode(
            text, add_special_tokens=False
        ).offsets
        return offsets

    @cached_property
    def _tokeniser(self) -> Any:
        tokenizers: Any = importlib.import_module("tokenizers")

        tokeniser = tokenizers.Tokenizer.from_file(str(self.located.folder / "tokenizer.json"))
        tokeniser.no_truncation()
        tokeniser.no_padding()
        return tokeniser

    def _stored(
        self, texts: Sequence[str], encode: Callable[[list[str]], list[bytes]]
    ) -> list[bytes]:
        done = 0

        def encode_and_tell(some: list[str]) -> list[bytes]:
            nonlocal done
            made = encode(some)
            done += len(some)
            if self._say is not None and len(texts) > len(some):
                self._say(f"{self.encoder.name}: {done:,} of {len(texts):,} passages encoded")
            return made

        return self.cache.encode(texts, encode_and_tell)


class DenseEncoder(_Encoder):
    """One vector a text."""

    def documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row a text."""
        return self._rows([self.encoder.document_prefix + text for text in texts])

    def queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row a query."""
        return self._rows([self.encoder.query_prefix + text for text in texts])

    def _rows(self, texts: list[str]) -> NDArray[np.float32]:
        import numpy as np

        if not texts:
            return np.zeros((0, 0), dtype=np.float32)
        stored = self._stored(texts, self._encode)
        return np.stack([np.frombuffer(row, dtype=np.float32) for row in stored])

    def _encode(self, texts: list[str]) -> list[bytes]:
        import numpy as np

        rows = self._model.encode(
            texts,
            batch_size=DENSE_BATCH,
            normalize_embeddings=self.encoder.normalise,
            show_progress_bar=False,
        )
        return [np.asarray(row, dtype=np.float32).tobytes() for row in rows]

    @cached_property
    def _model(self) -> Any:
        return load_dense(self.located)


def load_dense(located: Located) -> Any:
    """A SentenceTransformer with the pooling of our table, whatever its folder says."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

    hush()
    words = Transformer(
        str(located.folder),
        max_seq_length=located.encoder.max_tokens,
        model_kwargs={"local_files_only": True},
    )
    pooling = Pooling(words.get_embedding_dimension(), located.encoder.pooling or "mean")
    return SentenceTransformer(modules=[words, pooling], device="cpu")


def hush() -> None:
    """Have no bar drawn while a model loads."""
    importlib.import_module("transformers.utils.logging").disable_progress_bar()


class SparseTextEncoder(_Encoder):
    """One sparse vector a text, over the words of the model's vocabulary."""

    def vectors(self, texts: Sequence[str]) -> Any:
        """A SciPy matrix of rows, one a text."""
        import numpy as np
        from scipy.sparse import csr_matrix

        rows = [np.frombuffer(row, dtype=_entry()) for row in self._stored(texts, self._encode)]
        ends = np.cumsum([0, *(len(row) for row in rows)])
        every = np.concatenate([np.empty(0, dtype=_entry()), *rows])
        width = self._tokeniser.get_vocab_size()
        return csr_matrix((every["weight"], every["word"], ends), shape=(len(rows), width))

    def _encode(self, texts: list[str]) -> list[bytes]:
        import numpy as np

        found = []
        for start in range(0, len(texts), SPARSE_BATCH):
            rows = self._model.encode(
                texts[start : start + SPARSE_BATCH],
                batch_size=SPARSE_BATCH,
                convert_to_sparse_tensor=False,
                show_progress_bar=False,
            ).numpy()
            for row in rows:
                words = np.flatnonzero(row)
                entries = np.empty(len(words), dtype=_entry())
                entries["word"], entries["weight"] = words, row[words]
                found.append(entries.tobytes())
        return found

    @cached_property
    def _model(self) -> Any:
        from sentence_transformers import SparseEncoder

        hush()
        return SparseEncoder(
            str(self.located.folder),
            device="cpu",
            local_files_only=True,
        )


def _entry() -> Any:
    import numpy as np

    return np.dtype([("word", np.int32), ("weight", np.float32)])


class TokenEncoder(_Encoder):
    """One vector a token, of length 1."""

    def tokens(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """One matrix a text: a row for each of its tokens, without the marks of start and end."""
        import numpy as np

        rows = self._model.encode(
            list(texts),
            batch_size=DENSE_BATCH,
            output_value="token_embeddings",
            show_progress_bar=False,
        )
        found = []
        for row in rows:
            plain = np.asarray(row, dtype=np.float32)[1:-1]
            length = np.linalg.norm(plain, axis=1, keepdims=True)
            found.append(plain / np.maximum(length, 1e-9))
        return found

    @cached_property
    def _model(self) -> Any:
        return load_dense(self.located)
