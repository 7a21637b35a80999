"""Where assistants, retrievers and chat models are filed, and what their factories are handed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from tracer.protocols import Assistant, ChatModel, Embedder, Retriever
from tracer.records import Json, ModelSource, Passage, Tool
from tracer.registry import Registry

if TYPE_CHECKING:
    from tracer.record import Recorder


class AgentError(Exception):
    """The agent's own failure, such as a limit it hit: an outcome of the item."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What an assistant is put together from, once an item."""

    recorder: Recorder
    model: ChatModel
    tools: Sequence[Tool] = ()
    """Already wrapped: each call of one is a span."""
    retriever: Retriever | None = None
    """Already wrapped: each call of it is a span."""
    briefing: str = ""
    """What the assistant is told of the world."""
    top_k: int = 5
    limits: Mapping[str, int] | None = None


class AssistantFactory(Protocol):
    """Puts an assistant together."""

    def __call__(self, parts: Parts) -> Assistant:
        """An assistant that serves one item."""
        ...


class ModelFactory(Protocol):
    """Makes a chat model from what stands after the colon of its name."""

    def __call__(self, argument: str) -> ChatModel:
        """A model ready to answer.

        Raises:
            ModelWeightsMissingError: Its weights are not on this machine.
            MissingExtraError: A package it needs is not installed.
        """
        ...


@runtime_checkable
class Seeded(Protocol):
    """A model with randomness: it is given a seed before each item, condition and replicate."""

    def reseed(self, seed: int) -> None:
        """Start the random stream of the next calls at `seed`."""
        ...


@runtime_checkable
class Patient(Protocol):
    """A model that waits and asks again when its endpoint is busy or gone."""

    retries: int
    """Times it has asked again so far."""
    on_wait: Callable[[str], None] | None
    """Told in a line why and how long it waits."""


@runtime_checkable
class Noting(Protocol):
    """A model that tells what happens while it is asked, such as that it asks again."""

    on_event: Callable[[str, Mapping[str, Json]], None] | None
    """Told the name of an event and its attributes; they end up on the span of the call."""


class EmbedderFactory(Protocol):
    """Makes an embedder."""

    def __call__(self, *, folders: Sequence[Path] = ()) -> Embedder:
        """An embedder with its weights loaded.

        Args:
            folders: Where weights are looked for before installed packages.

        Raises:
            ModelWeightsMissingError: Its weights are not on this machine.
            MissingExtraError: A package it needs is not installed.
        """
        ...


class RetrieverFactory(Protocol):
    """Builds an index over documents.

    One with a parameter called `shelf` is handed a `Shelf`, one with a parameter called `place`
    what stands after the colon of its name.
    """

    def __call__(self, documents: Mapping[str, str]) -> Retriever:
        """A retriever over `documents` (id to text)."""
        ...


@dataclass(frozen=True, slots=True)
class Places:
    """Where files of encoders are looked for, in this order; then in the hub's cache."""

    paths: Mapping[str, Path] = field(default_factory=dict)
    """Name to the folder that the user gave."""
    folders: Sequence[Path] = ()
    """Each may hold a folder of the encoder's name."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """What retrievers may need beside their documents."""

    places: Places = field(default_factory=Places)
    """Where files of encoders are looked for."""
    vectors: Path | None = None
    """Folder in which vectors are kept from run to run."""
    writer: ChatModel | None = None
    """Writes the passages that a query is expanded by."""
    say: Callable[[str], None] | None = None
    """Told in a line how long work goes on."""


@runtime_checkable
class Staged(Protocol):
    """A retriever of several steps, which are spans of their own."""

    def traced(self, recorder: Recorder, *, ranker: str, data_source: str) -> Retriever:
        """The same retriever with a span for each step and for the whole."""
        ...


@runtime_checkable
class Encoding(Protocol):
    """A retriever that has a model encode its queries."""

    def noted(self, recorder: Recorder) -> Retriever:
        """The same retriever; each call of the encoder is a span."""
        ...


@runtime_checkable
class Averaging(Protocol):
    """A retriever that can rank by the mean of several queries."""

    def average(self, queries: Sequence[str], k: int) -> Sequence[Passage]:
        """At most `k` passages by the mean of the queries' vectors, best first."""
        ...


@dataclass(frozen=True, slots=True)
class Opened:
    """A retriever by name whose weights are known to be here; its index is not built yet."""

    name: str
    build: RetrieverFactory
    sources: tuple[ModelSource, ...] = ()
    """Of the models it uses."""
    label: str = ""
    """As it stands on spans, where that is not the name."""


@dataclass(frozen=True, slots=True)
class Combiner:
    """A way to make a retriever out of others: `NAME:OTHER`, `NAME:OTHER+OTHER@MODEL`."""

    default: str
    """The others that are meant when none is named."""
    combine: Callable[[Sequence[Opened], str, Shelf], Opened]
    """Others, name of a model or nothing, and shelf to the retriever; weights are looked for."""


ASSISTANTS: Registry[AssistantFactory] = Registry("assistant", "assistants")
MODELS: Registry[ModelFactory] = Registry("model", "assistants.models")
RETRIEVERS: Registry[RetrieverFactory] = Registry("retriever", "assistants.retrievers")
COMBINERS: Registry[Combiner] = Registry("combined retriever", "assistants.retrievers")
EMBEDDERS: Registry[EmbedderFactory] = Registry("embedder", "assistants.embedders")
