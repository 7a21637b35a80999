"""`tasks:PATH`: the user's own tasks over the user's own documents and tools.

PATH is a folder that holds `tasks.jsonl` and, for retrieval, `documents.jsonl`; or the tasks file
itself, with `documents.jsonl` beside it. Their fields stand in `user_tasks.schema.json`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sandboxes.base import SANDBOXES, Corpus, DataFolder
from sandboxes.matching import concrete
from sandboxes.user_task_files import calls_of, has_calls, read_corpora, read_tasks
from sandboxes.user_task_grade import grade
from sandboxes.user_tools import OwnWorld, difference, make_world
from tracer.errors import DataMissingError, InputError, UnknownNameError
from tracer.records import Change, Form, GoldCall, Json, Outcome, Task, Tool, Trace, Turn
from tracer.registry import nearest

_NO_WORLD = OwnWorld(())


@SANDBOXES.add("tasks")
class UserTasks:
    """Tasks, documents and tools of a user.

    Args:
        part: Path of the tasks, as it stands after `tasks:`.
        mode: Grading mode; `strict` is the only one.
        data: Not used: the path says where the files are.
        tools: What `--tools` names, and its name; see `user_tools.py`.

    Raises:
        DataMissingError: There is no such file.
        InputError: A line of a file is no task or document, or the tools do not fit the tasks.
        UnknownNameError: There is no such mode.
    """

    parts = ("PATH",)
    takes_tools = True
    """The front door may hand in `tools`."""
    mode = "strict"
    briefing = ""

    def __init__(
        self,
        part: str,
        *,
        mode: str | None = None,
        data: DataFolder,
        tools: tuple[Any, str] | None = None,
    ) -> None:
        if not part:
            raise DataMissingError("tasks: needs a path, such as tasks:questions/tasks.jsonl")
        if mode not in (None, self.mode):
            raise UnknownNameError(f"unknown grading mode {mode!r} of tasks:; known: {self.mode}")
        path = Path(part)
        tasks_file = path / "tasks.jsonl" if path.is_dir() else path
        if not tasks_file.is_file():
            raise DataMissingError(
                f"no tasks at {tasks_file}: give tasks:PATH a JSON-lines file of tasks, "
                "or a folder that holds tasks.jsonl and documents.jsonl"
            )
        self.name = f"tasks:{path}"
        self._records = read_tasks(tasks_file)
        documents_file = tasks_file.parent / "documents.jsonl"
        self._corpora = read_corpora(documents_file) if documents_file.is_file() else {}
        self.data_version = "sha256:" + _digest([tasks_file, documents_file])
        self._check_relevant(tasks_file)
        self._own = tools
        self._world = _NO_WORLD if tools is None else make_world(*tools)
        self._seen = self._look()
        self.schema_hash = _schema_hash(self._world.tools)
        if tools is not None:
            self._check_tools(tasks_file)

    def tasks(self) -> Iterable[Task]:
        """The tasks in the order of the file."""
        writes = {tool.name: tool.writes for tool in self._world.tools}
        return [_task(record, self.name, writes) for record in self._records]

    def reset(self, task: Task) -> None:
        """Make the tools anew where `--tools` names a factory; else nothing can be brought back."""
        if self._own is not None:
            self._world = make_world(*self._own)
            self._seen = self._look()

    def begin_turn(self, task: Task, turn: int) -> None:
        """Nothing: the world changes by calls only."""

    def tools(self) -> Sequence[Tool]:
        """The user's tools, of the world made for the task that was reset to."""
        return self._world.tools

    def corpus(self, task: Task) -> Corpus | None:
        """The documents of the task's corpus, or all where the task names none."""
        name = str(task.detail.get("corpus", ""))
        if not self._corpora:
            return None
        if name:
            return Corpus(name, self._corpora.get(name, {}))
        return Corpus("all", _merged(tuple(self._corpora.values())))

    def rewrites(self) -> Mapping[str, Mapping[str, Mapping[str, Json]]]:
        """The wordings that the tasks bring along."""
        found: dict[str, dict[str, Mapping[str, Json]]] = {}
        for record in self._records:
            for condition, given in record.get("rewrites", {}).items():
                wording = {"text": given} if isinstance(given, str) else {"turns": given}
                found.setdefault(condition, {})[record["item"]] = wording
        return found

    def state_digest(self) -> str:
        """Digest of the state; empty where nobody can look at it."""
        if self._world.state is None:
            return ""
        text = json.dumps(self._look(), sort_keys=True, default=str)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def take_changes(self) -> tuple[Change, ...]:
        """The rows that differ from the last time this was asked."""
        before, self._seen = self._seen, self._look()
        return difference(before, self._seen)

    def grade(self, task: Task, trace: Trace) -> Outcome:
        """Whether the answer, the calls and the end state are those of the answer key."""
        blank = Outcome(self.mode, self.data_version, self.schema_hash)
        return grade(task, trace, {tool.name: tool for tool in self._world.tools}, blank)

    def _look(self) -> Mapping[str, Mapping[str, Mapping[str, Json]]]:
        return {} if self._world.state is None else self._world.state()

    def _check_relevant(self, tasks_file: Path) -> None:
        for number, record in enumerate(self._records, start=1):
            corpora = [record["corpus"]] if "corpus" in record else list(self._corpora)
            known = set[str]().union(*(self._corpora.get(name, {}) for name in corpora))
            for group in record.get("relevant", []):
                unknown = [doc_id for doc_id in group if doc_id not in known]
                if unknown:
                    raise InputError(
                        f"{tasks_file}: task {number} ({record['item']!r}): relevant document "
                        f"{unknown[0]!r} is not among its {len(known)} documents; "
                        "add it to documents.jsonl beside the tasks or correct the id"
                    )

    def _check_tools(self, tasks_file: Path) -> None:
        known = sorted(tool.name for tool in self._world.tools)
        for number, record in enumerate(self._records, start=1):
            where = f"{tasks_file}: task {number} ({record['item']!r})"
            for _, call in calls_of(record):
                if call["tool"] not in known:
                    raise InputError(
                        f"{where}: gold call of {call['tool']!r}, which --tools does not give; "
                        f"{nearest(call['tool'], known)}"
                    )
            if "expect" in record and self._world.state is None:
                raise InputError(
                    f"{where}: expects a state, and what --tools names has no method state() to "
                    "look at; add one that gives table to key to row"
                )


def _task(record: Mapping[str, Json], suite: str, writes: Mapping[str, bool]) -> Task:
    relevant = record.get("relevant")
    turns = record.get("turns") or [record]
    calls = list(calls_of(record))
    detail = {key: record[key] for key in ("corpus", "answer_match", "expect") if key in record}
    return Task(
        item=record["item"],
        suite=suite,
        form=_form(record),
        turns=tuple(Turn(turn["text"], turn.get("reply", "")) for turn in turns),
        cluster=record.get("cluster", ""),
        protected=tuple(record.get("protected", ())),
        answers=tuple(record.get("answers", ())),
        relevant=None if relevant is None else tuple(tuple(group) for group in relevant),
        calls=tuple(
            GoldCall(
                name=call["tool"],
                arguments=concrete(call.get("arguments", {})),
                writes=writes.get(call["tool"], call.get("writes", False)),
                optional=call.get("optional", False),
                turn=turn,
            )
            for turn, call in calls
        )
        if has_calls(record)
        else None,
        groups=record.get("groups", {}),
        detail={**detail, "calls": [call for _, call in calls]},
    )


def _form(record: Mapping[str, Json]) -> Form:
    if "turns" in record:
        return "conversation"
    default: Form = "actions" if "calls" in record or "expect" in record else "question"
    form: Form = record.get("form", default)
    return form


def _merged(corpora: tuple[Mapping[str, str], ...]) -> Mapping[str, str]:
    return {doc_id: text for documents in corpora for doc_id, text in documents.items()}


def _digest(paths: Sequence[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        if path.is_file():
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _schema_hash(tools: Sequence[Tool]) -> str:
    """Digest of names, descriptions and parameters; empty without tools."""
    shape = [[tool.name, tool.description, tool.parameters] for tool in tools]
    text = json.dumps(shape, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest() if tools else ""
