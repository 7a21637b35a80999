"""Vectors of texts that were encoded before, kept on disk by model and text."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

_AT_ONCE = 500
"""Below the number of parameters that every SQLite takes in one query."""
_PATIENCE_S = 60.0
"""How long one process waits for another that writes."""
Encode = Callable[[list[str]], list[bytes]]


class VectorCache:
    """One file a model and way of encoding; several processes may share it.

    Args:
        folder: Is made when the first vector is kept; None keeps nothing.
        key: What the vectors depend on beside the text, the digest of the weights above all.
    """

    def __init__(self, folder: Path | None, key: str) -> None:
        name = hashlib.sha256(key.encode()).hexdigest()[:32]
        self.path = folder / f"{name}.sqlite" if folder is not None else None
        self.made = 0
        """Texts that had to be encoded."""

    def encode(self, texts: Sequence[str], encode: Encode, *, batch: int = 256) -> list[bytes]:
        """The vector of each text; what is not kept yet is encoded and kept, batch by batch."""
        digests = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() for text in texts]
        known = self._read(list(dict.fromkeys(digests)))
        missing = {d: t for d, t in zip(digests, texts, strict=True) if d not in known}
        order = sorted(missing, key=lambda d: len(missing[d]))
        for start in range(0, len(order), batch):
            some = order[start : start + batch]
            made = dict(zip(some, encode([missing[d] for d in some]), strict=True))
            self.made += len(made)
            self._write(made)
            known.update(made)
        return [known[digest] for digest in digests]

    def _open(self, path: Path) -> sqlite3.Connection:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        connection = sqlite3.connect(path, timeout=_PATIENCE_S)
        connection.execute("CREATE TABLE IF NOT EXISTS vectors (text BLOB PRIMARY KEY, value BLOB)")
        return connection

    def _read(self, digests: Sequence[bytes]) -> dict[bytes, bytes]:
        if self.path is None or not self.path.exists():
            return {}
        found: dict[bytes, bytes] = {}
        with closing(self._open(self.path)) as connection:
            for start in range(0, len(digests), _AT_ONCE):
                some = digests[start : start + _AT_ONCE]
                marks = ",".join("?" * len(some))
                rows = connection.execute(
                    f"SELECT text, value FROM vectors WHERE text IN ({marks})", some
                )
                found.update(rows)
        return found

    def _write(self, made: dict[bytes, bytes]) -> None:
        if self.path is None:
            return
        with closing(self._open(self.path)) as connection, connection:
            connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", made.items())
