"""What holds for every model, retriever and assistant that is filed."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistants.base import ASSISTANTS, COMBINERS, EMBEDDERS, MODELS, RETRIEVERS
from assistants.retrievers.bm25 import bm25
from tracer.records import Message

LIGHT = ["bm25", "bm25-all-words"]
TEXTS = st.text(alphabet="abc de\n.", max_size=30)
DOCUMENTS = st.dictionaries(st.text(alphabet="xyz123", min_size=1, max_size=4), TEXTS, max_size=8)
NOBODY_KNOWS = [name for name in ("extractive", "rules") if name in MODELS.names()]


def test_what_the_command_line_offers_is_filed() -> None:
    assert {"rag", "tools", "llm"} <= set(ASSISTANTS.names())
    assert {"gold", "rules", "extractive", "openai", "local", "recorded"} <= set(MODELS.names())
    assert {"bm25", "minilm", "chroma", "splade-tiny"} <= set(RETRIEVERS.names())
    assert {"hybrid", "rerank", "hyde"} <= set(COMBINERS.names())
    assert "minilm" in EMBEDDERS.names()


@pytest.mark.parametrize("name", LIGHT)
@given(DOCUMENTS, TEXTS, st.integers(1, 5))
@settings(max_examples=40, deadline=None)
def test_first_k_do_not_depend_on_k(
    name: str, documents: dict[str, str], query: str, k: int
) -> None:
    retrieve = RETRIEVERS.get(name)(documents)
    assert list(retrieve(query, k)) == list(retrieve(query, 8))[:k]


@pytest.mark.parametrize("name", LIGHT)
@given(DOCUMENTS, TEXTS)
@settings(max_examples=40, deadline=None)
def test_best_first_ties_by_id_scores_finite(
    name: str, documents: dict[str, str], query: str
) -> None:
    found = list(RETRIEVERS.get(name)(documents)(query, 8))
    assert found == sorted(found, key=lambda p: (-(p.score or 0), p.doc_id))
    assert all(p.score is not None and math.isfinite(p.score) for p in found)
    assert all(p.text == documents[p.doc_id] for p in found)


def test_equal_documents_come_in_the_order_of_their_ids() -> None:
    found = bm25({"b": "blue bus", "a": "blue bus", "c": "red car"})("bus", 5)
    assert [p.doc_id for p in found] == ["a", "b"]


def test_document_without_a_word_of_the_query_is_not_found() -> None:
    assert list(bm25({"a": "blue bus"})("train", 5)) == []


def test_k_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="k is 0"):
        bm25({"a": "blue bus"})("bus", 0)


@pytest.mark.parametrize("name", NOBODY_KNOWS)
@given(st.text(max_size=60))
@settings(max_examples=60, deadline=None)
def test_baseline_programs_answer_any_text_the_same_way_twice(name: str, text: str) -> None:
    model = MODELS.get(name)("")
    first, second = (model.chat([Message("user", text)]) for _ in range(2))
    assert first == second
    assert first.message.content


@pytest.mark.parametrize("name", [*NOBODY_KNOWS, "gold"])
def test_baseline_programs_say_that_they_are(name: str) -> None:
    source = MODELS.get(name)("").source
    assert source.baseline is True
    assert source.provider == "stagetrace"


@pytest.mark.parametrize("name", [*NOBODY_KNOWS, "gold"])
def test_baseline_programs_take_no_argument(name: str) -> None:
    with pytest.raises(ValueError, match="takes nothing after the colon"):
        MODELS.get(name)("large")
