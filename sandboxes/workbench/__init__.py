"""WorkBench (v1, 2024): an office worker's tools over fixed tables, graded by the end state.

So far the e-mail part with the e-mail and directory tools, in the grading mode `official`.

Source:
    olly-styles/WorkBench at 42f1b6d (2024-07-23), MIT.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from sandboxes.base import SANDBOXES, Corpus, DataFolder
from sandboxes.workbench.grade import grade
from sandboxes.workbench.state import State, load_table
from sandboxes.workbench.tasks import load_tasks
from sandboxes.workbench.toolkit import TABLES, tool_specs
from sandboxes.workbench.tools.directory import addresses
from tracer.errors import DataMissingError, UnknownNameError
from tracer.records import Change, Json, Outcome, Task, Tool, Trace
from tracer.registry import nearest

PARTS = ("email", "calendar", "analytics", "project_management", "crm", "multi_domain", "all")
BUILT_PARTS = ("email",)
MODES = ("official", "strict", "revised")
BUILT_MODES = ("official",)
DATA_VERSION = "v1 (2024-07-23, 42f1b6d)"
BRIEFING = (
    "You work for Sam. Today is Thursday, 2023-11-30, and it is 00:00:00. "
    "No meeting may begin before 9am or last beyond 6pm."
)


@SANDBOXES.add("workbench")
class Workbench:
    """The tables, tools and tasks of one part.

    Args:
        part: What stands after the colon of the suite's name.
        mode: Grading mode; None for `official`.
        data: Finds the folder `workbench`.

    Raises:
        UnknownNameError: There is no such part or mode, or it is not built yet.
        DataMissingError: A file is absent or has other columns.
    """

    parts = BUILT_PARTS

    def __init__(self, part: str, *, mode: str | None = None, data: DataFolder) -> None:
        _check("part", part, PARTS, BUILT_PARTS)
        self.mode = mode or "official"
        _check("grading mode", self.mode, MODES, BUILT_MODES)
        self.name = f"workbench:{part}"
        self.data_version = DATA_VERSION
        self.briefing = BRIEFING
        self._part = part
        self._specs = tool_specs()
        self.schema_hash = _schema_hash([spec.bound(State({})) for spec in self._specs.values()])
        self._folder = Path(data("workbench"))
        if not self._folder.is_dir():
            raise DataMissingError(
                f"{self._folder}: there is no such folder; set STAGETRACE_DATA to the folder that "
                "holds the folder 'workbench'"
            )
        self._originals = {
            name: load_table(TABLES.get(name), self._folder) for name in TABLES.names()
        }
        self._state = State(self._originals)
        self._tools = [spec.bound(self._state) for spec in self._specs.values()]
        self._tasks: list[Task] | None = None

    def tasks(self) -> Iterable[Task]:
        """The items in the order of the file."""
        if self._tasks is None:
            self._tasks = load_tasks(self._folder, self._part, self._names())
        return tuple(self._tasks)

    def reset(self, task: Task) -> None:
        """Bring the tables back; every task begins with the same ones."""
        self._state.reset()

    def begin_turn(self, task: Task, turn: int) -> None:
        """Nothing: the tables change by calls only."""

    def tools(self) -> Sequence[Tool]:
        """The tools that are built, by name."""
        return tuple(self._tools)

    def corpus(self, task: Task) -> Corpus | None:
        """None: the tasks ask for actions."""
        return None

    def rewrites(self) -> Mapping[str, Mapping[str, Mapping[str, Json]]]:
        """None are shipped."""
        return {}

    def state_digest(self) -> str:
        """Digest of all tables with their labels and their order."""
        return self._state.digest()

    def take_changes(self) -> tuple[Change, ...]:
        """Rows added, replaced and removed since the last time this was asked."""
        return self._state.take_changes()

    def grade(self, task: Task, trace: Trace) -> Outcome:
        """The verdict by the published rules, from a replay over fresh tables."""
        blank = Outcome(self.mode, self.data_version, self.schema_hash)
        return grade(task, trace, self._originals, blank)

    def _names(self) -> list[str]:
        """First and last names of the directory."""
        parts = (re.split(r"[.@]", address)[:2] for address in addresses(self._state))
        return sorted({name for pair in parts for name in pair})


def _check(what: str, name: str, known: Sequence[str], built: Sequence[str]) -> None:
    if name not in known:
        raise UnknownNameError(
            f"workbench: unknown {what} {name!r}; {nearest(name, list(known))} "
            f"(available so far: {', '.join(built)})"
        )
    if name not in built:
        raise UnknownNameError(
            f"workbench: the {what} {name!r} is not built yet; available: {', '.join(built)}"
        )


def _schema_hash(tools: Sequence[Tool]) -> str:
    """Digest of names, descriptions and parameters."""
    shape = [[tool.name, tool.description, tool.parameters] for tool in tools]
    return hashlib.sha256(json.dumps(shape, ensure_ascii=True).encode()).hexdigest()
