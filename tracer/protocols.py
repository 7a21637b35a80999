"""What can be traced, put together and swapped: the shapes a user's own parts must have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from tracer.records import Change, Message, ModelSource, Passage, Reply, Request, Task, Tool

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@runtime_checkable
class ChatModel(Protocol):
    """A chat model: messages and tools in, one message out."""

    name: str
    """As it is asked for on the command line, such as `local:smollm2`."""
    source: ModelSource

    def chat(self, messages: Sequence[Message], tools: Sequence[Tool] = ()) -> Reply:
        """The next message.

        Raises:
            EndpointError: The endpoint is down or answers with an error.
        """
        ...


@runtime_checkable
class Prompted(Protocol):
    """A model that is told which item begins: the answer key and recorded calls need it."""

    def begin(self, task: Task, request: Request) -> None:
        """Note the item and the wording that the next calls belong to."""
        ...


class Retriever(Protocol):
    """A ranked list for a query."""

    def __call__(self, query: str, k: int) -> Sequence[Passage]:
        """At most `k` passages, best first, ties in the order of their ids."""
        ...


class Embedder(Protocol):
    """Vectors of texts."""

    name: str
    source: ModelSource

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row a text, shape (len(texts), dimension)."""
        ...


class Assistant(Protocol):
    """Something that answers a request, by reading or by calling tools."""

    name: str
    kind: str
    """`rag`, `tools`, `llm` or `user`."""

    def answer(self, request: Request) -> str:
        """The final answer.

        Raises:
            Exception: The agent's own failure; it is recorded as the outcome of the item.
        """
        ...


class World(Protocol):
    """State that tools change, as far as the tracer looks at it."""

    name: str

    def state_digest(self) -> str:
        """Digest of the whole state; equal digests, equal states; empty where it is not known."""
        ...

    def take_changes(self) -> tuple[Change, ...]:
        """The changes since the last time this was asked, in order."""
        ...
