"""Retrievers by name: what is absent, what stands on what, and the spans of their steps."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzers.ranking import recall_at
from assistants import encoders
from assistants.base import COMBINERS, Averaging, Opened, Places, Shelf
from assistants.models import weights
from assistants.passages import Pieces, fuse, split
from assistants.retrieval import open_retriever, traced
from assistants.retrievers.bm25 import bm25
from assistants.retrievers.dense import DenseIndex
from assistants.retrievers.hybrid import Hybrid
from assistants.retrievers.hyde import Hyde
from assistants.retrievers.rerank import DEPTH, Reranked
from assistants.vector_cache import VectorCache
from tracer.errors import InputError, ModelWeightsMissingError, UnknownNameError
from tracer.fold import fold
from tracer.record import Recorder
from tracer.records import Message, ModelSource, Passage, Reply, Request, Tool
from tracer.spans import item_span
from tracer.testing import CountingIds, MemorySink, SteppingClock

DOCUMENTS = {
    "m1": "The boat leaves at noon.",
    "m2": "The boat is blue.",
    "m3": "Lunch is at noon in the blue room.",
    "m4": "Nothing of note.",
}


class Length:
    """A model of relevance that likes short texts."""

    name = "length"

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        return [-float(len(text)) for text in texts]


class Writer:
    """A chat model that says the same four things."""

    name = "writer"
    source = ModelSource("local", "test")

    def __init__(self) -> None:
        self.seeds: list[int] = []

    def reseed(self, seed: int) -> None:
        self.seeds.append(seed)

    def chat(self, messages: Sequence[Message], tools: Sequence[Tool] = ()) -> Reply:
        return Reply(Message("assistant", f"lunch {len(self.seeds)}"))


@pytest.fixture
def nothing_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Shelf:
    """A machine with sentence-transformers and without any weights."""

    def nothing(name: str) -> None:
        raise weights.metadata.PackageNotFoundError(name)

    found = importlib.util.find_spec

    def spec(name: str, package: str | None = None) -> Any:
        if name == "sentence_transformers":
            return importlib.machinery.ModuleSpec(name, None)
        return found(name, package)

    monkeypatch.setattr(weights.metadata, "distribution", nothing)
    monkeypatch.setattr(importlib.util, "find_spec", spec)
    monkeypatch.setattr(encoders, "_in_hub_cache", lambda hub: None)
    return Shelf(Places(folders=[tmp_path / "models"]))


@pytest.mark.parametrize("encoder", encoders.known(), ids=lambda encoder: encoder.name)
def test_absent_weights_end_the_work_before_it_begins(
    nothing_here: Shelf, encoder: encoders.Encoder
) -> None:
    """The message says where was looked and what to do; no other model takes the place."""
    first_look = encoder.role in ("dense", "sparse")
    name = encoder.name if first_look else f"rerank:bm25@{encoder.name}"
    with pytest.raises(ModelWeightsMissingError) as caught:
        open_retriever(name, nothing_here)
    said = str(caught.value)
    assert str(nothing_here.places.folders[0] / (encoder.embedded or encoder.name)) in said
    assert re.search(r"models fetch|--model-path " + encoder.name, said)


@pytest.mark.parametrize("name", ["chroma", "hybrid", "rerank", "rerank:minilm", "hyde:minilm"])
def test_what_stands_on_absent_weights_is_refused_too(nothing_here: Shelf, name: str) -> None:
    with pytest.raises(ModelWeightsMissingError):
        open_retriever(name, replace(nothing_here, writer=Writer()))


def test_folder_of_the_user_is_taken_and_digested(nothing_here: Shelf, tmp_path: Path) -> None:
    for file in ("config.json", "tokenizer.json", "model.safetensors"):
        (tmp_path / file).write_text("{}")
    found = encoders.locate("bge-m3", Places({"bge-m3": tmp_path}))
    assert found.folder == tmp_path
    assert found.source.source == f"bge-m3 from folder {tmp_path.name}"
    assert len(found.source.sha256) == 64


def test_other_weights_do_not_go_by_an_embedded_name(nothing_here: Shelf, tmp_path: Path) -> None:
    for file in ("config.json", "tokenizer.json", "model.safetensors"):
        (tmp_path / file).write_text("{}")
    with pytest.raises(ModelWeightsMissingError, match="need another name"):
        encoders.locate("minilm", Places({"minilm": tmp_path}))


@pytest.mark.parametrize(
    ("name", "error", "said"),
    [
        ("bm52", UnknownNameError, "did you mean 'bm25'"),
        ("hybrid:bm25", InputError, "two retrievers"),
        ("hyde:bm25", InputError, "--writer"),
        ("bm25:x", InputError, "nothing after the colon"),
        ("rerank:bm25@gpt", InputError, "unknown encoder 'gpt'"),
        ("rerank:bm25@bge-m3", ModelWeightsMissingError, "bge-m3"),
    ],
)
def test_names_that_fit_nothing(
    nothing_here: Shelf, name: str, error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=re.escape(said)):
        open_retriever(name, nothing_here)


def test_every_way_to_combine_has_a_default_that_is_filed() -> None:
    for name in COMBINERS.names():
        assert COMBINERS.get(name).default


def test_ranks_are_fused() -> None:
    first, second = ([Passage(n, 9.0) for n in names] for names in ("abc", "cab"))
    scores = {p.doc_id: p.score for p in fuse([first, second])}
    assert scores["a"] == pytest.approx(1 / 61 + 1 / 62)
    assert [*scores] == ["a", "c", "b"]


def test_first_k_of_hybrid_and_rerank_do_not_depend_on_k() -> None:
    index = bm25(DOCUMENTS)
    for retrieve in (Hybrid([("a", index), ("b", index)]), Reranked("a", index, Length())):
        assert list(retrieve("blue boat at noon", 3))[:2] == list(retrieve("blue boat at noon", 2))


def test_mean_of_queries_is_the_mean_of_their_scores() -> None:
    index = bm25(DOCUMENTS)
    assert isinstance(index, Averaging)
    alone = [{p.doc_id: p.score or 0 for p in index(q, 9)} for q in ("blue boat", "noon")]
    for passage in index.average(["blue boat", "noon"], 9):
        mean = sum(scores.get(passage.doc_id, 0.0) for scores in alone) / 2
        assert passage.score == pytest.approx(mean, rel=1e-5)


def test_made_up_passages_change_what_is_found_and_are_the_same_again() -> None:
    writer = Writer()
    retrieve = Hyde("bm25", bm25(DOCUMENTS), writer)
    assert retrieve("when do we eat", 1)[0].doc_id == "m3"
    assert len(set(writer.seeds)) == 4
    retrieve("when do we eat", 1)
    assert writer.seeds[:4] == writer.seeds[4:]


def _spans(retriever: Any, query: str = "blue boat at noon") -> Any:
    sink = MemorySink()
    with Recorder(sink, clock=SteppingClock(), ids=CountingIds()) as recorder:
        ask = traced(retriever, recorder, ranker="whole", data_source="mails")
        request = Request(item="i", text=query, suite="s")
        with item_span(recorder, request, run="r", assistant_kind="rag") as span:
            ask(query, 2)
            return fold(recorder.so_far(span))


def test_reranking_leaves_a_retrieval_and_a_rerank_in_the_trace() -> None:
    trace = _spans(Reranked("bm25", bm25(DOCUMENTS), Length()))
    assert [(one.stage, one.ranker, one.internal) for one in trace.retrievals] == [
        ("retrieval", "bm25", False),
        ("rerank", "length", False),
    ]
    assert [p.doc_id for p in trace.retrievals[-1].passages or ()] == ["m2", "m1"]
    assert trace.retrievals[0].top_k == DEPTH


def test_parts_of_a_hybrid_are_internal_retrievals() -> None:
    index = bm25(DOCUMENTS)
    trace = _spans(Hybrid([("one", index), ("two", index)]))
    assert {one.ranker: one.internal for one in trace.retrievals} == {
        "one": True,
        "two": True,
        "whole": False,
    }


def test_writer_of_passages_is_in_the_trace() -> None:
    trace = _spans(Hyde("bm25", bm25(DOCUMENTS), Writer()))
    assert len(trace.model_calls) == 4
    assert [one.ranker for one in trace.retrievals] == ["whole"]


class Encoder:
    """Counts letters; stands for an encoder whose weights are large."""

    def __init__(self) -> None:
        self.encoder = SimpleNamespace(name="letters")
        self.located = SimpleNamespace(source=ModelSource("local", "letters.onnx", "ab" * 32))

    def cut(self, text: str) -> list[str]:
        return [text]

    def queries(self, texts: Sequence[str]) -> Any:
        rows = [[text.count(letter) for letter in "abcdefghij"] for text in texts]
        return np.array(rows, dtype=np.float32)

    documents = queries


@pytest.mark.parametrize("averaged", [False, True])
def test_encoding_of_queries_is_a_span_below_the_retrieval(averaged: bool) -> None:
    index: Any = DenseIndex(DOCUMENTS, cast(Any, Encoder()))
    plain = [p.doc_id for p in index("blue boat at noon", 2)]
    retriever = Hyde("letters", index, Writer()) if averaged else index
    sink = MemorySink()
    with Recorder(sink) as recorder:
        found = traced(retriever, recorder, ranker="whole", data_source="mails")(
            "blue boat at noon", 2
        )
    spans = {span.name: span for span in sink.spans()}
    encoded = spans["embeddings letters"]
    assert encoded.parent_id == spans["retrieval"].span_id
    assert encoded.attributes["gen_ai.operation.name"] == "embeddings"
    assert encoded.attributes["gen_ai.embeddings.dimension.count"] == 10
    assert encoded.attributes["stagetrace.model.sha256"] == "ab" * 32
    assert "input.value" not in encoded.attributes
    assert averaged or [p.doc_id for p in found] == plain


def _words(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in re.finditer(r"\S+", text)]


@given(st.text(alphabet="ab \n", max_size=200), st.integers(2, 20), st.integers(0, 5))
def test_no_character_is_cut_away(text: str, most: int, overlap: int) -> None:
    pieces = split(text, _words, most, overlap)
    assert all(len(_words(piece)) <= most for piece in pieces)
    place = 0
    for piece in pieces:
        start = text.rfind(piece, 0, place + len(piece))
        assert start <= place
        place = max(place, start + len(piece))
    assert place == len(text)


def test_document_stands_where_its_best_passage_does() -> None:
    pieces = Pieces.of({"b": "x y", "a": "z"}, lambda text: text.split())
    found = pieces.ranked([0.2, 0.1, 0.9], 5)
    assert [(p.doc_id, p.score, p.text) for p in found] == [("b", 0.9, "x y"), ("a", 0.2, "z")]


def test_vectors_are_encoded_once_a_model_and_text(tmp_path: Path) -> None:
    asked: list[str] = []

    def encode(texts: list[str]) -> list[bytes]:
        asked.extend(texts)
        return [text.upper().encode() for text in texts]

    cache = VectorCache(tmp_path, "model-1")
    assert cache.encode(["a", "b", "a"], encode) == [b"A", b"B", b"A"]
    assert VectorCache(tmp_path, "model-1").encode(["b", "c"], encode) == [b"B", b"C"]
    VectorCache(tmp_path, "model-2").encode(["a"], encode)
    assert asked == ["a", "b", "c", "a"]


def test_recall_is_that_of_ir_measures() -> None:
    """On the rankings that BM25 makes of these documents."""
    measures = pytest.importorskip("ir_measures")
    index = bm25(DOCUMENTS)
    queries = {"q1": ("blue boat", {"m2"}), "q2": ("noon", {"m1", "m3"}), "q3": ("lunch", {"m4"})}
    run, qrels = [], []
    own: dict[int, float] = {}
    for query_id, (text, gold) in queries.items():
        ranked = [p.doc_id for p in index(text, 10)]
        run += [
            measures.ScoredDoc(query_id, doc_id, float(-rank)) for rank, doc_id in enumerate(ranked)
        ]
        qrels += [measures.Qrel(query_id, doc_id, 1) for doc_id in gold]
        for k in (1, 5, 10):
            share = recall_at(k, ranked, dict.fromkeys(gold, 1.0))
            own[k] = own.get(k, 0.0) + (share or 0.0) / len(queries)
    theirs = measures.calc_aggregate([measures.R @ k for k in own], qrels, run)
    assert {k: theirs[measures.R @ k] for k in own} == pytest.approx(own)


def test_opened_retriever_is_built_over_documents() -> None:
    opened = open_retriever("bm25", Shelf())
    assert isinstance(opened, Opened)
    assert opened.build(DOCUMENTS)("lunch", 1)[0].doc_id == "m3"
