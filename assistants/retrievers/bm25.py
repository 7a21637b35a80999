"""BM25 over whole documents, by the bm25s library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assistants.base import RETRIEVERS
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


def _index(documents: Mapping[str, str], *, stopwords: str | list[str]) -> Retriever:
    try:
        import bm25s
    except ImportError as error:
        raise missing_extra("bm25s", "agents", "the retriever 'bm25'") from error
    ids = sorted(documents)

    def tokens(texts: list[str]) -> list[list[str]]:
        words: list[list[str]] = bm25s.tokenize(
            texts, stopwords=stopwords, return_ids=False, show_progress=False
        )
        return words

    bags = tokens([documents[doc_id] for doc_id in ids]) if ids else []
    index: Any = None
    # bm25s refuses an index without a single word.
    if any(bags):
        index = bm25s.BM25(k1=K1, b=B, method="lucene")
        index.index(bags, show_progress=False)

    def retrieve(query: str, k: int) -> Sequence[Passage]:
        if k < 1:
            raise ValueError(f"bm25: k is {k}; ask for at least 1 document")
        words = tokens([query])[0]
        scores = [0.0] * len(ids)
        if index is not None and words:
            scores = [float(score) for score in index.get_scores(words)]
        # The whole list is sorted by score and id, so that the first k do not depend on k. What
        # shares no word with the query is not found: it would only stand there by its id.
        found = [place for place in range(len(ids)) if scores[place] > 0.0]
        found.sort(key=lambda place: (-scores[place], ids[place]))
        return [Passage(ids[p], scores[p], documents[ids[p]]) for p in found[:k]]

    return retrieve
