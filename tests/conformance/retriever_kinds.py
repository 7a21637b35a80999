"""Cases of faults in retrievers: which check answers which part and input."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assistants import encoders
from assistants.retrievers.bm25 import K1, B, bm25_all_words
from assistants.retrievers.chroma import cosine_of
from assistants.retrievers.dense import DenseIndex
from tracer import attributes as names
from tracer.record import Recorder
from tracer.records import ModelSource
from tracer.testing import MemorySink
from tracer.wrap import wrap_retriever

Case = Mapping[str, Any]
Said = Callable[[], str]


class GivenVectors:
    """Stands for an encoder: texts and their vectors are given."""

    encoder = encoders.named("minilm")
    located = encoders.Located(encoder, Path(), ModelSource("local", "given", "0" * 64))

    def __init__(self, vectors: Mapping[str, Sequence[float]]) -> None:
        self._vectors = {text: np.asarray(row, dtype=np.float32) for text, row in vectors.items()}

    def cut(self, text: str) -> list[str]:
        """No text is too long."""
        return [text]

    def documents(self, texts: Sequence[str]) -> Any:
        """One row a text."""
        return np.stack([self._vectors[text] for text in texts])

    queries = documents


def _only_match(case: Case, folder: Path, said: Said) -> None:
    given, right = case["input"], case["right"]
    documents = {str(number): text for number, text in enumerate(given["corpus"])}
    retrieve: Any = bm25_all_words(documents)
    found = retrieve(given["query"], 5)
    assert found[0].doc_id == str(right["rank_1"])
    assert (found[0].score > 0) is right["score_1_positive"]
    lengths = [len(words) for words in retrieve._tokens(given["corpus"])]
    for key, value in right.items():
        if key.startswith("idf_"):
            word = key.split("_")[1]
            (one,) = retrieve(word, 5)
            share = lengths[int(one.doc_id)] / (sum(lengths) / len(lengths))
            once = 1 / (1 + K1 * (1 - B + B * share))
            assert math.isclose(one.score / once, value, abs_tol=1e-5)


def _direction(case: Case, folder: Path, said: Said) -> None:
    given, right = case["input"], case["right"]
    known = GivenVectors({**given["vectors"], "query": given["query"]})
    index = DenseIndex({text: text for text in given["vectors"]}, known)  # type: ignore[arg-type]
    sink = MemorySink()
    with Recorder(sink) as recorder:
        retrieve = wrap_retriever(index, recorder, ranker="minilm", data_source="x")
        found = list(retrieve("query", len(given["vectors"])))
    assert [passage.doc_id for passage in found] == right["order"]
    assert (found[0].score > found[-1].score) is right["score_near_greater"]
    (span,) = sink.spans()
    assert span.attributes[names.SCORE_KIND] == right["attribute_says"].split(",")[0]
    assert span.attributes[names.RANKER] == "minilm"


_SPACES = {"squared L2": "l2", "cosine": "cosine", "inner product": "ip"}


def _distance(case: Case, folder: Path, said: Said) -> None:
    space = _SPACES[case["input"]["metric"].split(",")[0]]
    assert cosine_of(case["input"]["distance"], space) == pytest.approx(case["right"]["cosine"])


CHECKS: Mapping[tuple[str, frozenset[str]], Callable[[Case, Path, Said], None]] = {
    ("retrievers", frozenset({"corpus", "query"})): _only_match,
    ("retrievers", frozenset({"vectors", "query"})): _direction,
    ("retrievers", frozenset({"metric", "distance"})): _distance,
}
IN_WORDS: Mapping[tuple[str, frozenset[str]], str] = {
    ("retrievers", frozenset({"mails"})): "tests/assistants/test_bug_cases.py",
}
