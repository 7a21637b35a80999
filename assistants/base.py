"""Where assistants, retrievers and chat models are filed, and what their factories are handed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from tracer.protocols import Assistant, ChatModel, Embedder, Retriever
from tracer.records import Tool
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
    """Builds an index over documents."""

    def __call__(self, documents: Mapping[str, str]) -> Retriever:
        """A retriever over `documents` (id to text)."""
        ...


ASSISTANTS: Registry[AssistantFactory] = Registry("assistant", "assistants")
MODELS: Registry[ModelFactory] = Registry("model", "assistants.models")
RETRIEVERS: Registry[RetrieverFactory] = Registry("retriever", "assistants.retrievers")
EMBEDDERS: Registry[EmbedderFactory] = Registry("embedder", "assistants.embedders")
