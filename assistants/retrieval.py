"""From the name of a retriever, such as `rerank:bm25`, to one whose weights are here."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Sequence
from typing import Any, cast

from assistants import encoders
from assistants.base import COMBINERS, RETRIEVERS, Opened, RetrieverFactory, Shelf, Staged
from assistants.encoding import need_sentence_transformers
from tracer.errors import InputError, UnknownNameError
from tracer.protocols import Retriever
from tracer.record import Recorder
from tracer.records import ModelSource
from tracer.registry import nearest
from tracer.wrap import wrap_retriever

_CHROMA = "minilm"
"""Encoder whose vectors Chroma is handed."""


def open_retriever(name: str, shelf: Shelf) -> Opened:
    """The retriever called `name`; nothing is loaded yet, but all that it needs is here.

    `rerank:OTHER`, `rerank:OTHER@MODEL` and `hyde:OTHER` stand on another retriever, `hybrid:A+B`
    on several, and OTHER may be such a name itself.

    Raises:
        UnknownNameError: There is no such retriever; the nearest names are offered.
        InputError: The parts do not fit together.
        ModelWeightsMissingError: Weights are not on this machine.
        MissingExtraError: A package that encoders need is not installed.
    """
    scheme, _, rest = name.partition(":")
    if scheme in COMBINERS.names():
        combiner = COMBINERS.get(scheme)
        inner, _, model = (rest or combiner.default).partition("@")
        inner = inner or combiner.default
        # Only the innermost names are parted by a plus: rerank:hybrid:bm25+minilm.
        names = [inner] if scheme != "hybrid" else inner.split("+")
        return combiner.combine([open_retriever(one, shelf) for one in names], model, shelf)
    if scheme in RETRIEVERS.names():
        return _plain(scheme, rest, shelf)
    if ":" in name:
        return Opened(name, _with_shelf(RETRIEVERS.get(name), shelf), label=name)
    known = sorted({*RETRIEVERS.names(), *COMBINERS.names()})
    raise UnknownNameError(f"unknown retriever {name!r}; {nearest(name, known)}")


def _plain(name: str, place: str, shelf: Shelf) -> Opened:
    factory = _with_shelf(RETRIEVERS.get(name), shelf)
    if place:
        if "place" not in inspect.signature(factory).parameters:
            raise InputError(f"retriever {name!r} takes nothing after the colon, got {place!r}")
        factory = functools.partial(cast(Any, factory), place=place)
    encoder = _CHROMA if name == "chroma" else name
    if encoder not in [one.name for one in encoders.known("dense", "sparse")]:
        return Opened(name, factory, label=name)
    need_sentence_transformers(f"the retriever {name!r}")
    located = encoders.locate(encoder, shelf.places)
    label = name if name == "chroma" else located.encoder.shown
    return Opened(name, factory, (located.source,), label)


def _with_shelf(factory: RetrieverFactory, shelf: Shelf) -> RetrieverFactory:
    if "shelf" in inspect.signature(factory).parameters:
        return functools.partial(cast(Any, factory), shelf=shelf)
    return factory


def traced(retriever: Retriever, recorder: Recorder, *, ranker: str, data_source: str) -> Retriever:
    """The same retriever; each call is a span, and each of its steps one where it has several."""
    if isinstance(retriever, Staged):
        return retriever.traced(recorder, ranker=ranker, data_source=data_source)
    return wrap_retriever(retriever, recorder, ranker=ranker, data_source=data_source)


def sources_of(others: Sequence[Opened]) -> tuple[ModelSource, ...]:
    """Where the models of some retrievers come from, each once."""
    return tuple(dict.fromkeys(source for other in others for source in other.sources))


def plus(others: Sequence[Opened]) -> str:
    """Names of retrievers as they stand in the name of one made of them."""
    return "+".join(other.name for other in others)
