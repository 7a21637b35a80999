"""`tasks:PATH`: the user's own questions over the user's own documents.

PATH is a folder that holds `tasks.jsonl` and, for retrieval, `documents.jsonl`; or the tasks file
itself, with `documents.jsonl` beside it. Their fields stand in `user_tasks.schema.json`. All
documents are held in memory: up to about a million mails, or 2 GiB of text, on a 24 GiB machine.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Literal

from jsonschema import Draft202012Validator

from sandboxes.base import SANDBOXES, Corpus, DataFolder
from tracer.answer_text import answer_match, exact_match
from tracer.errors import DataMissingError, InputError, UnknownNameError
from tracer.records import Change, Json, Outcome, Task, Tool, Trace, Turn


@SANDBOXES.add("tasks")
class UserTasks:
    """Questions and documents of a user; a world without tools.

    Args:
        part: Path of the tasks, as it stands after `tasks:`.
        mode: Grading mode; `strict` is the only one.
        data: Not used: the path says where the files are.

    Raises:
        DataMissingError: There is no such file.
        InputError: A line of a file is no task or document.
        UnknownNameError: There is no such mode.
    """

    parts = ("PATH",)
    mode = "strict"
    briefing = ""
    schema_hash = ""

    def __init__(self, part: str, *, mode: str | None = None, data: DataFolder) -> None:
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
        self._records = list(_tasks(tasks_file))
        documents_file = tasks_file.parent / "documents.jsonl"
        self._corpora = _corpora(documents_file) if documents_file.is_file() else {}
        self.data_version = "sha256:" + _digest([tasks_file, documents_file])
        self._check_relevant(tasks_file)

    def tasks(self) -> Iterable[Task]:
        """The questions in the order of the file."""
        return [_task(record, self.name) for record in self._records]

    def reset(self, task: Task) -> None:
        """Nothing: there is no state."""

    def begin_turn(self, task: Task, turn: int) -> None:
        """Nothing: there is no state."""

    def tools(self) -> Sequence[Tool]:
        """None."""
        return ()

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
            for condition, text in record.get("rewrites", {}).items():
                found.setdefault(condition, {})[record["item"]] = {"text": text}
        return found

    def state_digest(self) -> str:
        """The same always: there is no state."""
        return hashlib.sha256(b"").hexdigest()[:16]

    def take_changes(self) -> tuple[Change, ...]:
        """None."""
        return ()

    def grade(self, task: Task, trace: Trace) -> Outcome:
        """Whether the answer holds, or equals, a gold answer."""
        correct: bool | None = None
        matcher = "em" if task.detail.get("answer_match") == "exact" else "am"
        if task.answers and trace.error is None:
            match = exact_match if matcher == "em" else answer_match
            correct = match(trace.answer or "", task.answers) == 1.0
        elif task.answers:
            correct = False
        return Outcome(
            mode=self.mode,
            data_version=self.data_version,
            relevant=task.relevant,
            gold_answers=task.answers,
            answer_correct=correct,
            answer_matcher=matcher if task.answers else "",
            errored=trace.error is not None,
        )

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


def _task(record: Mapping[str, Json], suite: str) -> Task:
    relevant = record.get("relevant")
    detail = {key: record[key] for key in ("corpus", "answer_match") if key in record}
    return Task(
        item=record["item"],
        suite=suite,
        form="question",
        turns=(Turn(record["text"]),),
        cluster=record.get("cluster", ""),
        protected=tuple(record.get("protected", ())),
        answers=tuple(record.get("answers", ())),
        relevant=None if relevant is None else tuple(tuple(group) for group in relevant),
        groups=record.get("groups", {}),
        detail=detail,
    )


def _tasks(path: Path) -> Iterator[Mapping[str, Json]]:
    seen: set[str] = set()
    for number, record in _records(path, "task"):
        if record["item"] in seen:
            raise InputError(f"{path}:{number}: item {record['item']!r} stands in the file twice")
        seen.add(record["item"])
        yield record
    if not seen:
        raise InputError(f"{path}: no task in it; write one JSON object a line")


def _corpora(path: Path) -> dict[str, dict[str, str]]:
    corpora: dict[str, dict[str, str]] = {}
    for number, record in _records(path, "document"):
        documents = corpora.setdefault(record.get("corpus", ""), {})
        if record["id"] in documents:
            raise InputError(
                f"{path}:{number}: document id {record['id']!r} stands in its corpus twice"
            )
        documents[record["id"]] = record["text"]
    return corpora


def _records(
    path: Path, kind: Literal["task", "document"]
) -> Iterator[tuple[int, Mapping[str, Json]]]:
    validator = _validator(kind)
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except json.JSONDecodeError as error:
                raise InputError(
                    f"{path}:{number}: not JSON ({error}); write one object a line"
                ) from error
            problem = next(iter(validator.iter_errors(record)), None)
            if problem is not None:
                field = ".".join(str(step) for step in problem.absolute_path) or "the object"
                raise InputError(f"{path}:{number}: {field}: {problem.message}")
            yield number, record


@cache
def _validator(kind: str) -> Draft202012Validator:
    schema = json.loads((files("sandboxes") / "user_tasks.schema.json").read_text(encoding="utf-8"))
    return Draft202012Validator({"$ref": f"#/$defs/{kind}", "$defs": schema["$defs"]})


def _merged(corpora: tuple[Mapping[str, str], ...]) -> Mapping[str, str]:
    return {doc_id: text for documents in corpora for doc_id, text in documents.items()}


def _digest(paths: Sequence[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        if path.is_file():
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
