"""Retrievers over encoded passages: the same steps for every encoder of a role."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from assistants import encoders
from assistants.base import RETRIEVERS, RetrieverFactory, Shelf
from assistants.encoders import Located, Role
from assistants.encoding import Say, need_sentence_transformers
from tracer.protocols import Retriever

EncoderT = TypeVar("EncoderT")
Load = Callable[[Located, Path | None, Say | None], EncoderT]
Index = Callable[[Mapping[str, str], EncoderT], Retriever]


def file_retrievers(role: Role, load: Load[EncoderT], index: Index[EncoderT]) -> None:
    """Register a retriever for each encoder of a role, under the encoder's name."""
    for encoder in encoders.known(role):
        factory: RetrieverFactory = functools.partial(_build, encoder.name, load, index)
        RETRIEVERS.add(encoder.name)(factory)


def _build(
    name: str,
    load: Load[EncoderT],
    index: Index[EncoderT],
    documents: Mapping[str, str],
    *,
    shelf: Shelf | None = None,
) -> Retriever:
    """Rank `documents` by the vectors that the encoder `name` makes.

    A long document is split into passages and stands where its best passage does.

    Args:
        name: Of an encoder.
        load: From the encoder's files, a folder for vectors and a listener to the encoder at work.
        index: From documents and encoder to the retriever.
        documents: Id to text.
        shelf: Where weights are looked for and vectors kept.

    Raises:
        ModelWeightsMissingError: The weights are not on this machine.
        MissingExtraError: The package `sentence-transformers` is not installed.
    """
    shelf = shelf or Shelf()
    need_sentence_transformers(f"the retriever {name!r}")
    located = encoders.locate(name, shelf.places)
    return index(documents, load(located, shelf.vectors, shelf.say))
