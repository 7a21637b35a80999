"""What a sandbox is, and where sandboxes are filed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from tracer.records import Change, Json, Message, Outcome, Task, Tool, Trace
from tracer.registry import Registry


@dataclass(frozen=True, slots=True)
class Corpus:
    """Documents that a retriever searches."""

    name: str
    """Equal names, equal documents: an index is built once a name."""
    documents: Mapping[str, str]
    """Id to text, in a fixed order."""


class Sandbox(Protocol):
    """A closed world with tasks, tools, state and its benchmark's rules of grading.

    State lives in the object, so two runs can stand side by side.
    """

    name: str
    """As on the command line, such as `workbench:email`."""
    mode: str
    """Grading mode: official, strict or revised."""
    data_version: str
    schema_hash: str
    """Digest of the tools' names, descriptions and parameters."""
    briefing: str
    """What an assistant is told of the world: who the user is, what time it is; not the rules."""

    def tasks(self) -> Iterable[Task]:
        """The items in a fixed order, each with its original wording and what is expected."""
        ...

    def reset(self, task: Task) -> None:
        """Bring the world into the state the task begins with."""
        ...

    def begin_turn(self, task: Task, turn: int) -> None:
        """Bring in what the world does at the start of a turn, counted from 0."""
        ...

    def tools(self) -> Sequence[Tool]:
        """The tools, bound to this object's state; each says whether it writes."""
        ...

    def corpus(self, task: Task) -> Corpus | None:
        """The documents a RAG assistant searches for this task; None when there are none."""
        ...

    def rewrites(self) -> Mapping[str, Mapping[str, Mapping[str, Json]]]:
        """Wordings shipped with the suite: condition to item to its record (at least `text`)."""
        ...

    def state_digest(self) -> str:
        """Digest of the whole state; equal digests, equal states."""
        ...

    def take_changes(self) -> tuple[Change, ...]:
        """The changes since the last time this was asked, in order."""
        ...

    def grade(self, task: Task, trace: Trace) -> Outcome:
        """The verdict by the benchmark's own rules, from the stored trace alone.

        It must not depend on the object's present state: old and foreign traces are graded too.
        """
        ...


@runtime_checkable
class Forcing(Protocol):
    """A sandbox of conversations whose later turns go on from the answer key (teacher forcing)."""

    def gold_turn(self, task: Task, turn: int) -> Sequence[Message]:
        """What follows the user's text of a turn; empty when the assistant's own turns count."""
        ...


class SandboxFactory(Protocol):
    """Makes a fresh sandbox; `part` is what stands after the colon of a suite name."""

    @property
    def parts(self) -> Sequence[str]:
        """What may stand after the colon; "" where the name is a suite by itself."""
        ...

    def __call__(self, part: str, *, mode: str | None, data: DataFolder) -> Sandbox:
        """A sandbox in its first state.

        Raises:
            DataMissingError: Its files are not there.
            UnknownNameError: There is no such part or mode.
        """
        ...


DataFolder = Callable[[str], str]
"""Name of a benchmark to its folder, given by the front door; raises DataMissingError."""

SANDBOXES: Registry[SandboxFactory] = Registry("suite", "sandboxes")
