"""BM25 over whole documents, by the bm25s library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assistants.base import RETRIEVERS
from assistants.passages import at_least_one
from tracer.protocols import Retriever
from tracer.records import Passage
from tracer.registry import missing_extra

K1, B = 1.5, 0.75
"""Saturation and length normalisation: the defaults of bm25s 0.3 and of its Lucene variant."""


@RETRIEVERS.add("bm25")
def bm25(documents: Mapping[str, str]) -> Retriever:
    """Rank `documents` by BM25 over lower-cased words without English stop words.

    Source:
        bm25s 0.3.16, method `lucene`; tokeniser and stop words are the library's own.
    """
    return _index(documents, stopwords="english")


@RETRIEVERS.add("bm25-all-words")
def bm25_all_words(documents: Mapping[str, str]) -> Retriever:
    """Rank `documents` by BM25 over all lower-cased words, stop words included.

    Source:
        bm25s 0.3.16, method `lucene`, its tokeniser without a stop list.
    """
    return _index(documents, stopwords=[])


def _index(documents: Mapping[str, str], *, stopwords: str | list[str]) -> BM25Index:
    try:
        import bm25s
    except ImportError as error:
        raise missing_extra("bm25s", "agents", "the retriever 'bm25'") from error
    return BM25Index(documents, bm25s, stopwords)


class BM25Index:
    """Documents and their index of words."""

    def __init__(
        self, documents: Mapping[str, str], bm25s: Any, stopwords: str | list[str]
    ) -> None:
        self._documents = documents
        self._ids = sorted(documents)
        self._library = bm25s
        self._stopwords = stopwords
        self._index: Any = None
        bags = bm25s.tokenize(
            [documents[doc_id] for doc_id in self._ids],
            stopwords=stopwords,
            show_progress=False,
        )
        # bm25s refuses an index without a single word.
        if any(bags.ids):
            # `auto` takes numba where it is installed.
            self._index = bm25s.BM25(k1=K1, b=B, method="lucene", backend="auto")
            self._index.index(bags, show_progress=False)

    def _tokens(self, texts: list[str]) -> list[list[str]]:
        words: list[list[str]] = self._library.tokenize(
            texts, stopwords=self._stopwords, return_ids=False, show_progress=False
        )
        return words

    def __call__(self, query: str, k: int) -> Sequence[Passage]:
        """The documents that share words with the query, best first."""
        return self.average([query], k)

    def average(self, queries: Sequence[str], k: int) -> Sequence[Passage]:
        """The documents by their mean score over the queries: BM25 adds up word by word."""
        import numpy as np

        at_least_one(k, "bm25")
        words = [word for bag in self._tokens(list(queries)) for word in bag]
        if self._index is None or not words:
            return []
        scores = self._index.get_scores(words) / len(queries)
        # Whatever scores as much as the k-th is sorted by score and id, so that the first k do not
        # depend on k. What shares no word with the query is not found.
        least = np.partition(scores, -k)[-k] if k < len(scores) else 0.0
        found = np.flatnonzero((scores >= least) & (scores > 0.0))
        order = found[np.argsort(-scores[found], kind="stable")]
        ids = self._ids
        return [Passage(ids[p], float(scores[p]), self._documents[ids[p]]) for p in order[:k]]
