"""ToolTalk: conversations over 28 tools of seven suites, graded call by call.

Source:
    microsoft/ToolTalk at e05f4ce (2024-05-31), MIT.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from sandboxes.base import SANDBOXES, Corpus, DataFolder
from sandboxes.tooltalk.files import SPLITS, read_conversations, read_databases
from sandboxes.tooltalk.grade import grade
from sandboxes.tooltalk.replay import Conversation, begin, read_conversation
from sandboxes.tooltalk.similarity import Similarity, from_part
from sandboxes.tooltalk.state import World
from sandboxes.tooltalk.tasks import gold_messages, known_names, make_task
from sandboxes.tooltalk.toolkit import SYNTHETIC, tool_specs
from tracer.errors import DataMissingError, UnknownNameError
from tracer.protocols import Embedder
from tracer.records import Change, Json, Message, Outcome, Task, Tool, Trace
from tracer.registry import nearest

MODES = ("official", "strict")
FREE = "-free"
"""Ending of the parts in which the assistant lives with its own earlier turns."""
DATA_VERSION = "e05f4ce (2024-05-31)"
_PARTS = {"easy": ("easy",), "hard": ("hard",), "all": SPLITS}


@SANDBOXES.add("tooltalk")
class Tooltalk:
    """The databases, tools and conversations of one part.

    Args:
        part: `easy`, `hard` or `all`: each turn begins where the answer key would be. With
            `-free` behind it, the world stays as the assistant left it.
        mode: Grading mode; None for `official`.
        data: Finds the folder `tooltalk`.
        similarity: Likeness of texts: an embedder, whose cosine is taken, or a function of two
            texts. Without one, equal texts have 1.0 and others 0.0, and results say so.

    Raises:
        UnknownNameError: There is no such part or mode.
        DataMissingError: A file is absent or does not fit.
    """

    parts = (*_PARTS, *(part + FREE for part in _PARTS))
    takes_similarity = True
    """The front door may hand in `similarity`."""
    synthetic_arguments = SYNTHETIC
    """Arguments whose values are invented, so that redaction has to leave them alone."""

    def __init__(
        self,
        part: str,
        *,
        mode: str | None = None,
        data: DataFolder,
        similarity: Similarity | Embedder | None = None,
    ) -> None:
        self.mode = mode or "official"
        _check("part", part, self.parts)
        _check("grading mode", self.mode, MODES)
        self.name = f"tooltalk:{part}"
        self.data_version = DATA_VERSION
        self.briefing = ""
        self._splits = _PARTS[part.removesuffix(FREE)]
        self._free = part.endswith(FREE)
        self._folder = Path(data("tooltalk"))
        if not self._folder.is_dir():
            raise DataMissingError(
                f"{self._folder}: there is no such folder; set STAGETRACE_DATA to the folder that "
                "holds the folder 'tooltalk'"
            )
        self._similarity = from_part(similarity)
        self._databases = read_databases(self._folder)
        self._world = World(self._databases)
        self._tools = tuple(spec.bound(self._world) for spec in tool_specs().values())
        self.schema_hash = _schema_hash(self._tools)
        self._tasks: tuple[Task, ...] | None = None
        self._conversations: dict[str, Conversation] = {}

    def tasks(self) -> Iterable[Task]:
        """The conversations, easy ones first, in the order of their names."""
        if self._tasks is None:
            names = known_names(self._databases)
            self._tasks = tuple(
                make_task(name, split, document, suite=self.name, free=self._free, names=names)
                for split in self._splits
                for name, document in read_conversations(self._folder, split).items()
            )
        return self._tasks

    def reset(self, task: Task) -> None:
        """Bring the world into the state the conversation begins with."""
        conversation = self._conversation(task)
        begin(self._world, conversation)
        self.briefing = _briefing(conversation)

    def begin_turn(self, task: Task, turn: int) -> None:
        """With teacher forcing, bring the world to where the answer key would be; else nothing.

        The published run starts over before each turn and makes all earlier gold calls.
        """
        if not task.detail["free_running"]:
            begin(self._world, self._conversation(task), turn)

    def gold_turn(self, task: Task, turn: int) -> tuple[Message, ...]:
        """What follows the user's text of a turn in the history of later ones.

        Gold calls, their results and the gold text; () when the assistant lives with its own turns.
        """
        if task.detail["free_running"]:
            return ()
        return gold_messages(self._conversation(task), turn)

    def tools(self) -> Sequence[Tool]:
        """All 28 tools, by name."""
        return self._tools

    def corpus(self, task: Task) -> Corpus | None:
        """None: there is nothing to retrieve from."""
        return None

    def rewrites(self) -> Mapping[str, Mapping[str, Mapping[str, Json]]]:
        """None are shipped."""
        return {}

    def secrets(self) -> frozenset[str]:
        """Invented passwords, tokens and codes: those of the data, and those issued so far."""
        found = {*self._world.issued}
        _collect(self._databases["Account"], found)
        for task in self.tasks():
            _collect(task.detail["conversation"], found)
        return frozenset(found)

    def state_digest(self) -> str:
        """Digest of databases, session, clock, what was sent, and where the ids stand."""
        return self._world.digest()

    def take_changes(self) -> tuple[Change, ...]:
        """Rows added, replaced and removed and things sent since the last time this was asked."""
        return self._world.take_changes()

    def grade(self, task: Task, trace: Trace) -> Outcome:
        """The verdict by the rules of the mode, from a replay over fresh databases."""
        blank = Outcome(self.mode, self.data_version, self.schema_hash)
        return grade(task, trace, self._databases, self._similarity, blank)

    def _conversation(self, task: Task) -> Conversation:
        if task.item not in self._conversations:
            self._conversations[task.item] = read_conversation(task.detail["conversation"])
        return self._conversations[task.item]


def _check(what: str, name: str, known: Sequence[str]) -> None:
    if name not in known:
        raise UnknownNameError(
            f"tooltalk: unknown {what} {name!r}; {nearest(name, list(known))} "
            f"(there are: {', '.join(known)})"
        )


def _briefing(conversation: Conversation) -> str:
    """Who the user is, where and when, as the published system text tells it."""
    user = conversation.user["username"]
    who = f"The user is signed in as {user}." if conversation.signed_in else "Nobody is signed in."
    where = f" The user is in {conversation.location}." if conversation.location else ""
    return f"It is {conversation.now}.{where} {who}"


def _collect(value: Json, found: set[str]) -> None:
    """Add the texts that stand under the name of a secret."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if name in SYNTHETIC and isinstance(inner, str):
                found.add(inner)
            _collect(inner, found)
    elif isinstance(value, list):
        for inner in value:
            _collect(inner, found)


def _schema_hash(tools: Sequence[Tool]) -> str:
    """Digest of names, descriptions and parameters."""
    shape = [[tool.name, tool.description, tool.parameters] for tool in tools]
    return hashlib.sha256(json.dumps(shape, ensure_ascii=True).encode()).hexdigest()
