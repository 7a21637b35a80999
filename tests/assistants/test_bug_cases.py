"""Faults of other retrievers that are told in words, each under its number in the list of cases."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assistants import encoders
from assistants.base import RETRIEVERS, Places, Shelf
from assistants.models import weights
from assistants.passages import split
from assistants.retrievers.dense import DenseIndex
from stagetrace import settings
from tracer.records import ModelSource

INSTALLED = importlib.util.find_spec("sentence_transformers") is not None
COMMON = " ".join(f"word{number % 97}" for number in range(3_990))
MAILS = {
    "a": f"{COMMON} The launch moves to the ninth of March, says Oona.",
    "b": f"{COMMON} The caterer has no chairs left for the garden.",
}
QUERY = "Are there chairs for the garden?"


class BagOfWords:
    """An encoder that reads 256 words at most and counts them."""

    encoder = encoders.named("minilm")
    located = encoders.Located(encoder, Path(), ModelSource("local", "given", "0" * 64))

    def cut(self, text: str) -> list[str]:
        return split(text, lambda t: [m.span() for m in re.finditer(r"\S+", t)], 256)

    def documents(self, texts: Sequence[str]) -> Any:
        rows = np.zeros((len(texts), 512), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in re.findall(r"\w+", text.lower())[:256]:
                row[sum(word.encode()) % 512] += 1.0
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    queries = documents


def test_bug_095_two_long_mails_with_one_start_differ_at_their_ends() -> None:
    encoder = BagOfWords()
    pieces = {name: encoder.cut(text) for name, text in MAILS.items()}
    assert all("".join(MAILS[name].split()[-1:]) in cut[-1] for name, cut in pieces.items())
    last = encoder.documents([pieces["a"][-1], pieces["b"][-1]])
    assert not np.array_equal(last[0], last[1])
    found = DenseIndex(MAILS, encoder)(QUERY, 2)  # type: ignore[arg-type]
    assert found[0].doc_id == "b"
    assert found[0].score > found[1].score


@pytest.mark.service
@pytest.mark.skipif(not INSTALLED, reason="the extra 'retrieval' is not installed")
@pytest.mark.parametrize("name", ["minilm", "splade-tiny", "chroma"])
def test_bug_095_two_long_mails_with_one_start_differ_by_real_encoders(name: str) -> None:
    folders = settings.model_folders()
    for known in ("minilm", "splade-tiny"):
        if weights.locate(known, folders) is None:
            weights.fetch(known, folders[-1], print)
    factory: Any = RETRIEVERS.get(name)
    found = factory(MAILS, shelf=Shelf(Places(folders=folders)))(QUERY, 2)
    assert found[0].doc_id == "b"
    # A sparse retriever leaves out what shares nothing with the query.
    assert all(other.score < found[0].score for other in found[1:])
