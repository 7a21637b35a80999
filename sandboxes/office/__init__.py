"""The embedded suite: a coordinator's mailbox, calendar, to-dos and files at a maker of lamps."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from sandboxes.base import SANDBOXES, Corpus, DataFolder
from sandboxes.office.conversations import begin, gold_messages
from sandboxes.office.grade import MODE, grade
from sandboxes.office.state import State
from sandboxes.office.tasks import all_tasks
from sandboxes.office.tools import bind
from sandboxes.office.world import DATA, load, records
from tracer.errors import UnknownNameError
from tracer.records import Change, Json, Message, Outcome, Task, Tool, Trace
from tracer.registry import nearest

BRIEFING = (
    "You work for Nell Farrowmead, operations coordinator at Ottermoss Lamps, a maker of reading "
    "lamps in the port of Harrowmere. 'I', 'me' and 'my' in a request are Nell; the mailbox and "
    "the calendar are hers, and her address is nell.farrowmead@ottermoss.example. "
    "It is Friday 2026-02-27, 08:30. Times are written as YYYY-MM-DD HH:MM, prices are in EUR."
)


@SANDBOXES.add("office")
class OfficeSandbox:
    """The office: questions over its mails, requests for its tools, and conversations.

    Args:
        part: `questions`, `actions`, `conversations`, or empty for all. Each turn of a conversation
            begins where the answer key would be.
        mode: Grading mode; `strict` is the only one.
        data: Not used: the suite's data come with the package.

    Raises:
        UnknownNameError: There is no such part or mode.
    """

    parts: ClassVar[Sequence[str]] = ("", "questions", "actions", "conversations")

    def __init__(self, part: str = "", *, mode: str | None = None, data: DataFolder) -> None:
        if part not in self.parts:
            known = [name for name in self.parts if name]
            raise UnknownNameError(f"unknown part {part!r} of office; {nearest(part, known)}")
        if mode not in (None, MODE):
            raise UnknownNameError(f"unknown mode {mode!r}: office is graded in mode {MODE!r} only")
        self.name = f"office:{part}" if part else "office"
        self.mode = MODE
        self.briefing = BRIEFING
        self._part = part
        self._office = load()
        self._state = State(self._office)
        self._tools = bind(self._state)
        self.data_version = self._office.version
        self.schema_hash = _schema_hash(self._tools)

    def tasks(self) -> Iterable[Task]:
        """The items in the order of their ids: questions, actions, conversations."""
        return all_tasks(self._part)

    def reset(self, task: Task) -> None:
        """Bring back the untouched world."""
        self._state.reset()

    def begin_turn(self, task: Task, turn: int) -> None:
        """In a conversation, bring the world to where the answer key would be; else nothing.

        The world's clock stands still and nobody answers.
        """
        if task.form == "conversation":
            begin(self._state, task, turn)

    def gold_turn(self, task: Task, turn: int) -> tuple[Message, ...]:
        """What follows the user's text of a turn in the history of later ones."""
        if task.form != "conversation":
            return ()
        return gold_messages(State(self._office), task, turn)

    def tools(self) -> Sequence[Tool]:
        """The 28 tools over mail, calendar, directory, to-dos and files."""
        return self._tools

    def corpus(self, task: Task) -> Corpus | None:
        """The mails, for questions."""
        if task.form != "question":
            return None
        name = f"office-{self._office.version}-{self._office.digest[:12]}"
        return Corpus(name, self._office.documents())

    def rewrites(self) -> Mapping[str, Mapping[str, Mapping[str, Json]]]:
        """Wordings written for the suite: condition to item to its record."""
        return authored(DATA / "variants")

    def state_digest(self) -> str:
        """Digest of the whole state."""
        return self._state.digest()

    def take_changes(self) -> tuple[Change, ...]:
        """The changes since the last time this was asked."""
        return self._state.take_changes()

    def grade(self, task: Task, trace: Trace) -> Outcome:
        """The verdict, from the task and the trace alone."""
        return grade(self._office, task, trace, self.schema_hash)


def authored(folder: Path) -> dict[str, dict[str, Mapping[str, Json]]]:
    """The records of all files of rewrites in a folder: condition to item to record."""
    found: dict[str, dict[str, Mapping[str, Json]]] = {}
    for path in sorted(folder.glob("*.jsonl")):
        for row in records(path):
            found.setdefault(row["condition"], {})[row["item"]] = row
    return found


def _schema_hash(tools: Sequence[Tool]) -> str:
    shapes = [[tool.name, tool.description, tool.parameters] for tool in tools]
    return hashlib.sha256(json.dumps(shapes, sort_keys=True).encode()).hexdigest()
