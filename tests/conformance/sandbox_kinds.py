"""Cases of faults in sandboxes: which check answers which part and input."""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sandboxes.base import SANDBOXES, Sandbox
from sandboxes.office.state import State
from sandboxes.office.tools import bind
from sandboxes.office.world import load
from sandboxes.tooltalk.replay import Made
from sandboxes.tooltalk.similarity import equal_texts
from sandboxes.tooltalk.verdict import Verdict, judge
from tests.conformance.cases import data_folder
from tests.sandboxes.hostile import listening
from tracer.records import Call, Json, Request, Trace

Case = Mapping[str, Any]
Said = Callable[[], str]
_SUITES = ("office", "tooltalk", "workbench")


def _box(name: str) -> Sandbox:
    part = {"office": ""}.get(name, "all")
    return SANDBOXES.get(name)(part, mode=None, data=data_folder)


def _kinds_of_error(case: Case, folder: Path, said: Said) -> None:
    """So many calls are wanted, so many are matched, and so many match none."""
    given = case["input"]
    tool, wanted_count, matched = given["tool"], given["gold_calls"], given["matched"]
    wanted = [
        Made(tool, {"start_time": str(n)}, {"events": [{"event_id": str(n)}]})
        for n in range(wanted_count)
    ]
    stray = [
        Made(tool, {"start_time": f"stray {n}"}, {"events": []})
        for n in range(given["bad_predictions"])
    ]
    verdicts: dict[str, Verdict] = {
        mode: judge([[*wanted[:matched], *stray]], [wanted], mode, equal_texts)
        for mode in ("official", "strict")
    }
    assert verdicts["strict"].counts.matches == matched
    for mode, words in case["right"].items():
        kind = words.split()[0].replace("_", " ")
        counts = verdicts[mode].error_types(1)
        assert counts[kind] >= 1, (mode, counts)
        assert sum(counts.values()) == counts[kind], (mode, counts)


def _overdue(case: Case, folder: Path, said: Said) -> None:
    """What is due before a moment leaves the moment's own day out."""
    state = State(load())
    tools = {tool.name: tool for tool in bind(state)}
    owner = load().owner
    for day in case["input"]["task_due"]:
        tools["create_todo"].run(title=f"due {day}", owner=owner, due=day)
    now = case["input"]["now"]
    for moment in (now, now.split()[0]):
        found: Any = tools["list_todos"].run(due_before=moment, limit=50)
        days = [row["due"] for row in found["todos"] if row["title"].startswith("due ")]
        assert days == case["right"]["overdue"]


def _end_state(case: Case, folder: Path, said: Said) -> None:
    """A good answer over a wrong end state is no success, in no suite."""
    for name in _SUITES:
        box = _box(name)
        task = next(task for task in box.tasks() if any(call.writes for call in task.calls or ()))
        calls = () if not case["input"]["end_state_equal"] else task.calls or ()
        trace = Trace(
            "1" * 32,
            Request(task.item, task.text),
            answer=case["input"]["answer_contains"],
            calls=tuple(Call(call.name, call.arguments, turn=call.turn or 0) for call in calls),
        )
        assert box.grade(task, trace).success is case["right"]["outcome_correct"], name


def _escape(case: Case, folder: Path, said: Said) -> None:
    """Every tool of every suite takes code for text: refused, or kept letter by letter."""
    with tempfile.TemporaryDirectory() as place, contextlib.chdir(place):
        for name in _SUITES:
            box = _box(name)
            box.reset(next(iter(box.tasks())))
            for tool in box.tools():
                for text in case["input"]["args"]:
                    _meet(tool.name, tool.parameters, tool.run, text, case)
        assert list(Path(place).iterdir()) == []
        assert case["right"]["file_pwned_exists"] is False


def _meet(
    name: str, parameters: Mapping[str, Any], run: Callable[..., Json], text: str, case: Case
) -> None:
    arguments = dict.fromkeys(parameters["properties"], text)
    start = time.process_time()
    refused: bool
    with listening() as seen:
        try:
            result = run(**arguments)
        except Exception:
            refused = True
        else:
            refused = "error" in str(result).lower() or "no data" in str(result).lower()
    assert seen == [], (name, seen)
    assert time.process_time() - start <= case["right"]["seconds_max"], name
    ids = [key for key in parameters.get("required", ()) if key.endswith(("_id", "_ids"))]
    if ids:
        assert refused, f"{name}: {text} was taken for an id"


CHECKS: Mapping[tuple[str, frozenset[str]], Callable[[Case, Path, Said], None]] = {
    ("sandboxes", frozenset({"tool", "gold_calls", "matched", "bad_predictions"})): _kinds_of_error,
    ("sandboxes", frozenset({"now", "task_due"})): _overdue,
    ("sandboxes", frozenset({"end_state_equal", "answer_contains"})): _end_state,
    ("sandboxes", frozenset({"tool", "args"})): _escape,
}
IN_WORDS: Mapping[tuple[str, frozenset[str]], str] = {
    ("sandboxes", frozenset({"do"})): "tests/sandboxes/test_bug_cases.py",
}
