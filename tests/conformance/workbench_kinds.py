"""WorkBench cases: flags of call strings, and what sequences of tool calls return and change."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sandboxes.workbench import Workbench
from sandboxes.workbench.grade import READING_TOOLS, WRITING_TOOLS, grade_calls
from sandboxes.workbench.state import Table
from tests.conformance.cases import Case, cases_of, data_folder, read_lines
from tracer.records import Task

DOMAINS = ("email", "company_directory")
"""Domains whose tools are built."""
_KNOWN = WRITING_TOOLS | READING_TOOLS


def due_cases(golden_dir: Path) -> list[Case]:
    """Every case that needs only the tools that are built."""
    return [
        *cases_of(golden_dir / "workbench_cases.jsonl", _flag_cases),
        *cases_of(golden_dir / "workbench_model_calls.jsonl", _flag_cases),
        *cases_of(golden_dir / "workbench_sandbox.jsonl", _sequence_cases),
    ]


def is_due(row: Mapping[str, Any]) -> bool:
    """Whether a row of call strings is of the e-mail tasks and calls no other domain's tools."""
    texts = [*row["predicted"], *row.get("gold", ())]
    return row["domain"] == "email" and not any(_elsewhere(_tool(text)) for text in texts)


def _elsewhere(name: str) -> bool:
    return name in _KNOWN and name.split(".")[0] not in DOMAINS


def _tool(text: str) -> str:
    return text.partition("(")[0].strip().removesuffix(".func")


@functools.cache
def box() -> Workbench:
    return Workbench("email", data=data_folder)


@functools.cache
def _tasks() -> list[Task]:
    return list(box().tasks())


@functools.cache
def originals() -> Mapping[str, Table]:
    sandbox = Workbench("email", data=data_folder)
    return {name: sandbox._state.table(name) for name in sandbox._originals}


def flags_of(row: Mapping[str, Any]) -> Mapping[str, bool]:
    """The seven flags by our grader; rows of real runs take their gold from the task."""
    gold = row["gold"] if "gold" in row else _tasks()[row["task_index"]].detail["gold"]
    return grade_calls(row["predicted"], gold, row["error"], originals()).flags


def _flag_cases(path: Path) -> list[Case]:
    return [
        (row["id"], functools.partial(_check_flags, row)) for row in read_lines(path) if is_due(row)
    ]


def _check_flags(row: Mapping[str, Any]) -> None:
    assert flags_of(row) == row["expected"]


def _sequence_cases(path: Path) -> list[Case]:
    return [
        (row["id"], functools.partial(_check_sequence, row))
        for row in read_lines(path)
        if all(call["name"].split(".")[0] in DOMAINS for call in row["calls"])
    ]


def _check_sequence(row: Mapping[str, Any]) -> None:
    sandbox = box()
    sandbox.reset(_tasks()[0])
    tools = {tool.name: tool for tool in sandbox.tools()}
    seen = []
    for call in row["calls"]:
        try:
            returned = tools[call["name"]].run(**call["arguments"])
            seen.append({"exception": None, "return": returned})
        except Exception as error:
            seen.append({"exception": type(error).__name__, "return": None})
    assert seen == row["expected"]
    assert _changes(sandbox) == row["changes"]


def _changes(sandbox: Workbench) -> dict[str, Any]:
    """Rows by id against the first state, in table order; a table without any is left out."""
    net = {}
    logged = {(change.entity, change.key): change for change in sandbox.take_changes()}
    for name, before in originals().items():
        after = sandbox._state.table(name)
        old = {before.key_of(row): before.record(row) for row in before.entries}
        new = {after.key_of(row): after.record(row) for row in after.entries}
        added = [key for key in new if key not in old]
        modified = [key for key in new if key in old and new[key] != old[key]]
        removed = [key for key in old if key not in new]
        assert [logged[name, key].op for key in added] == ["add"] * len(added)
        assert [logged[name, key].op for key in removed] == ["remove"] * len(removed)
        if added or modified or removed:
            net[name] = {
                "added": [logged[name, key].after for key in added],
                "modified": [new[key] for key in modified],
                "removed": removed,
            }
    return net
