"""WorkBench cases: flags of call strings, and what sequences of tool calls return and change."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sandboxes.workbench import Workbench
from sandboxes.workbench.grade import grade_calls
from sandboxes.workbench.tables import Table
from tests.conformance.cases import Case, cases_of, data_folder, read_json, read_lines
from tracer.records import Task

_CALLS = "workbench_model_calls.jsonl"


def due_cases(golden_dir: Path) -> list[Case]:
    """Every case."""
    return [
        *cases_of(golden_dir / "workbench_cases.jsonl", _flag_cases),
        *cases_of(golden_dir / _CALLS, _flag_cases),
        *cases_of(golden_dir / "workbench_sandbox.jsonl", _sequence_cases),
        *cases_of(golden_dir / "workbench_model_totals.json", _total_cases),
    ]


@functools.cache
def box() -> Workbench:
    return Workbench("all", data=data_folder)


@functools.cache
def _tasks() -> Mapping[tuple[str, int], Task]:
    return {(task.detail["domain"], task.detail["task_index"]): task for task in box().tasks()}


@functools.cache
def originals() -> Mapping[str, Table]:
    return box()._originals


def flags_of(row: Mapping[str, Any]) -> Mapping[str, bool]:
    """The seven flags by our grader; rows of real runs take their gold from the task."""
    task = _tasks()[row["domain"], row["task_index"]]
    gold = row["gold"] if "gold" in row else task.detail["gold"]
    return grade_calls(row["predicted"], gold, row["error"], originals()).flags


def _flag_cases(path: Path) -> list[Case]:
    return [(row["id"], functools.partial(_check_flags, row)) for row in read_lines(path)]


def _check_flags(row: Mapping[str, Any]) -> None:
    assert flags_of(row) == row["expected"]


def _total_cases(path: Path) -> list[Case]:
    """Sums over each run of which the file of calls beside it holds all rows."""
    calls = path.parent / _CALLS
    rows = Counter(map(_run, read_lines(calls)))
    return [
        (f"total-{run}", functools.partial(_check_total, calls, run, expected))
        for run, expected in read_json(path).items()
        if rows[run] == expected["tasks"]
    ]


def _run(row: Mapping[str, Any]) -> str:
    return f"{row['domain']}/{row['model']}/{row['tool_selection']}"


def _check_total(calls: Path, run: str, expected: Mapping[str, Any]) -> None:
    sums = _sums(calls)[run]
    wanted = {key: value for key, value in expected.items() if key != "source_file"}
    assert {key: sums[key] for key in wanted} == wanted


@functools.cache
def _sums(calls: Path) -> Mapping[str, Counter[str]]:
    sums: dict[str, Counter[str]] = {}
    for row in read_lines(calls):
        run, flags = _run(row), flags_of(row)
        sums.setdefault(run, Counter())["tasks"] += 1
        sums[run].update(name for name, value in flags.items() if value)
    return sums


def _sequence_cases(path: Path) -> list[Case]:
    return [(row["id"], functools.partial(_check_sequence, row)) for row in read_lines(path)]


def _check_sequence(row: Mapping[str, Any]) -> None:
    sandbox = box()
    sandbox.reset(next(iter(sandbox.tasks())))
    tools = {tool.name: tool for tool in sandbox.all_tools()}
    seen = []
    for call in row["calls"]:
        try:
            returned = tools[call["name"]].run(**call["arguments"])
            seen.append({"exception": None, "return": returned})
        except Exception as error:
            seen.append({"exception": _class_name(error), "return": None})
    assert seen == row["expected"]
    assert _changes(sandbox) == row["changes"]


def _class_name(error: Exception) -> str:
    """The class as Python 3.11 names it; 3.13 calls the error of a pattern otherwise."""
    name = type(error).__name__
    return "error" if name == "PatternError" else name


def _changes(sandbox: Workbench) -> dict[str, Any]:
    """Rows by id against the first state, in table order; a table without any is left out."""
    net = {}
    logged = {(change.entity, change.key): change for change in sandbox.take_changes()}
    for name, before in originals().items():
        after = sandbox._state.table(name)
        if after is before:
            continue
        old = {before.key_of(row): before.record(row) for row in before.entries}
        new = {after.key_of(row): after.record(row) for row in after.entries}
        added = [key for key in new if key not in old]
        modified = [key for key in new if key in old and new[key] != old[key]]
        removed = [key for key in old if key not in new]
        assert [logged[name, key].op for key in added] == ["add"] * len(added)
        assert [logged[name, key].op for key in modified] == ["replace"] * len(modified)
        assert [logged[name, key].op for key in removed] == ["remove"] * len(removed)
        if added or modified or removed:
            net[name] = {
                "added": [new[key] for key in added],
                "modified": [new[key] for key in modified],
                "removed": removed,
            }
    return net
