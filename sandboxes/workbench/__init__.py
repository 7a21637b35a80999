"""WorkBench (v1, 2024): an office worker's 27 tools over fixed tables, graded by the end state.

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
from sandboxes.workbench.grade import MODES, grade
from sandboxes.workbench.state import State
from sandboxes.workbench.tables import load_table
from sandboxes.workbench.tasks import FILES, load_tasks
from sandboxes.workbench.toolkit import TABLES, tool_specs
from sandboxes.workbench.tools.directory import addresses
from tracer.errors import DataMissingError, UnknownNameError
from tracer.records import Change, Json, Outcome, Task, Tool, Trace
from tracer.registry import nearest

PARTS = (*FILES, "all")
SELECTIONS = ("domains", "all", "published")
"""What may stand after an `@`: which of the tools an assistant is offered."""
DIRECTORY_TOOLKIT = "company_directory"
DATA_VERSION = "v1 (2024-07-23, 42f1b6d)"
BRIEFING = (
    "You work for Sam. Today is Thursday, 2023-11-30, and it is 00:00:00. "
    "No meeting may begin before 9am or last beyond 6pm."
)


@SANDBOXES.add("workbench")
class Workbench:
    """The tables, tools and tasks of one part.

    The part says which tasks; what follows it after an `@` says which tools are offered:

    - `email` or `email@domains`: the toolkits that the task's column `domains` names, and the
      directory. Tasks of one domain have its tools, those of several have all of theirs.
    - `email@all`: all 27 tools for every task.
    - `email@published`: as `domains`, but without the customers' tools in the 50 tasks over several
      domains whose label `crm` the published code did not know; for comparing with its runs.

    Args:
        part: What stands after the colon of the suite's name, such as `crm` or `multi_domain@all`.
        mode: Grading mode; None for `official`. The tools have the published faults in `official`
            only.
        data: Finds the folder `workbench`.

    Raises:
        UnknownNameError: There is no such part, tool selection or mode.
        DataMissingError: A file is absent or has other columns.
    """

    parts = PARTS

    def __init__(self, part: str, *, mode: str | None = None, data: DataFolder) -> None:
        tasks, at, selection = part.partition("@")
        _check("part", tasks, PARTS)
        self._selection = selection if at else "domains"
        _check("tool selection", self._selection, SELECTIONS)
        self.mode = mode or "official"
        _check("grading mode", self.mode, MODES)
        self.name = f"workbench:{part}"
        self.data_version = DATA_VERSION
        self.briefing = BRIEFING
        self._part = tasks
        self._folder = Path(data("workbench"))
        if not self._folder.is_dir():
            raise DataMissingError(
                f"{self._folder}: there is no such folder; set STAGETRACE_DATA to the folder that "
                "holds the folder 'workbench'"
            )
        self._originals = {
            name: load_table(TABLES.get(name), self._folder) for name in TABLES.names()
        }
        self._state = State(self._originals, self.mode)
        self._tools = [spec.bound(self._state) for spec in tool_specs().values()]
        self.schema_hash = _schema_hash(self._tools)
        self._offered = self._tools_of(None if tasks in ("all", "multi_domain") else [FILES[tasks]])
        self._tasks: list[Task] | None = None

    def tasks(self) -> Iterable[Task]:
        """The items in the order of the file."""
        if self._tasks is None:
            self._tasks = load_tasks(self._folder, self._part, self._names(), self.name)
        return tuple(self._tasks)

    def reset(self, task: Task) -> None:
        """Bring the tables back and lay out the task's tools; all tasks begin with one state."""
        self._state.reset()
        key = "labels" if self._selection == "published" else "toolkits"
        self._offered = self._tools_of(task.detail.get(key))

    def begin_turn(self, task: Task, turn: int) -> None:
        """Nothing: the tables change by calls only."""

    def tools(self) -> Sequence[Tool]:
        """The tools of the task that was reset to, by name; before, all that the part has."""
        return self._offered

    def all_tools(self) -> Sequence[Tool]:
        """All tools, whatever is offered."""
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

    def _tools_of(self, toolkits: Sequence[str] | None) -> tuple[Tool, ...]:
        """The tools of some toolkits and the directory; all for None or by selection."""
        if toolkits is None or self._selection == "all":
            return tuple(self._tools)
        chosen = {*toolkits, DIRECTORY_TOOLKIT}
        return tuple(tool for tool in self._tools if tool.name.split(".")[0] in chosen)


def _check(what: str, name: str, known: Sequence[str]) -> None:
    if name not in known:
        raise UnknownNameError(
            f"workbench: unknown {what} {name!r}; {nearest(name, list(known))}; write "
            f"workbench:PART or workbench:PART@TOOLS with PART one of {', '.join(PARTS)} and TOOLS "
            f"one of {', '.join(SELECTIONS)}; grading modes are {', '.join(MODES)}"
        )


def _schema_hash(tools: Sequence[Tool]) -> str:
    """Digest of names, descriptions and parameters."""
    shape = [[tool.name, tool.description, tool.parameters] for tool in tools]
    return hashlib.sha256(json.dumps(shape, ensure_ascii=True).encode()).hexdigest()
