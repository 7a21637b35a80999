"""Every suite is a closed world: whatever the arguments are, its tools touch nothing outside."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from sandboxes.base import SANDBOXES, Sandbox
from tests.sandboxes import shop_tools
from tests.sandboxes.hostile import hostile, listening
from tests.sandboxes.shop_tools import Shop
from tracer.records import Call, Json, Outcome, Request, Task, Trace

ROWS = Path(__file__).parent.parent / "data" / "enronqa"
PLAIN: tuple[Json, ...] = ("x", "2023-11-29", "2023-11-29 09:00", "x@y.example", 1, None, ["x"])
"""Arguments that make Python import what it imports at first use."""
EACH = 3
"""A hostile value goes to every third tool, so that all meet every family."""


def own_tasks(folder: Path) -> str:
    """A file of own tasks: a question, and an action with every kind of rule."""
    wanted = [
        {"rule": "ci", "value": "x"},
        {"rule": "set", "value": ["x"]},
        {"rule": "number", "value": 3},
        {"rule": "date", "value": "2026-03-09"},
        {"rule": "regex", "value": "x+y"},
        {"rule": "similar", "value": "x y"},
        {"rule": "any"},
        "x",
    ]
    calls = [{"tool": "find_order", "arguments": {"order": rule}} for rule in wanted]
    rows = [
        {"item": "a", "text": "?", "calls": calls, "expect": []},
        {"item": "q", "text": "?", "answers": ["x"]},
    ]
    (folder / "tasks.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(folder)


BOXES: dict[str, Callable[[Path, Callable[[str], str]], Sandbox]] = {
    "enronqa": lambda folder, data: SANDBOXES.get("enronqa")(str(ROWS), mode=None, data=data),
    "office": lambda folder, data: SANDBOXES.get("office")("", mode=None, data=data),
    "tasks": lambda folder, data: SANDBOXES.get("tasks")(
        own_tasks(folder),
        mode=None,
        data=data,
        tools=(Shop, shop_tools.__name__),  # type: ignore[call-arg]
    ),
    "tooltalk": lambda folder, data: SANDBOXES.get("tooltalk")("all", mode=None, data=data),
    "workbench": lambda folder, data: SANDBOXES.get("workbench")("all", mode=None, data=data),
}
"""A suite that is filed and has no entry here fails: each is to be tested."""


def first_of_each_form(box: Sandbox) -> list[Task]:
    found: dict[str, Task] = {}
    for task in box.tasks():
        found.setdefault(task.form, task)
    return list(found.values())


def meet(box: Sandbox, task: Task, value: Json, offset: int) -> Outcome | None:
    """Every third tool is called with the value, and the calls are graded."""
    calls = []
    for tool in list(box.tools())[offset % EACH :: EACH]:
        arguments = dict.fromkeys(tool.parameters["properties"], value)
        with contextlib.suppress(Exception):
            tool.run(**arguments)
        calls.append(Call(tool.name, arguments, kind="write" if tool.writes else "read"))
    box.take_changes()
    box.state_digest()
    text = value if isinstance(value, str) else repr(value)
    trace = Trace("t", Request(task.item, text[:5000]), answer=text[:5000], calls=tuple(calls))
    with contextlib.suppress(Exception):
        return box.grade(task, trace)
    return None


def test_there_are_500_hostile_arguments() -> None:
    assert len(hostile()) >= 500


@pytest.mark.parametrize("name", SANDBOXES.names())
def test_hostile_arguments_touch_nothing_outside(name: str, tmp_path: Path, data_dir: Path) -> None:
    """Nothing is opened, executed, imported, connected to or started."""
    box = BOXES[name](tmp_path, lambda part: str(data_dir / part))
    tasks = first_of_each_form(box)
    values = hostile()
    for task in tasks:
        box.reset(task)
        for offset in range(EACH):
            for value in PLAIN:
                meet(box, task, value, offset)
    with listening() as seen:
        for number, value in enumerate(values):
            task = tasks[number % len(tasks)]
            if number % 20 < len(tasks):
                before = len(seen)
                box.reset(task)
                del seen[before:]  # making a user's tools anew may do what it likes
            meet(box, task, value, number)
        assert seen == []
        Path(__file__).read_bytes()
        assert [event.split()[0] for event in seen] == ["open"]


@pytest.mark.parametrize("name", SANDBOXES.names())
def test_a_reset_brings_the_untouched_world_back(name: str, tmp_path: Path, data_dir: Path) -> None:
    box = BOXES[name](tmp_path, lambda part: str(data_dir / part))
    task = first_of_each_form(box)[0]
    box.reset(task)
    fresh = box.state_digest()
    for number, value in enumerate(hostile()[::25]):
        meet(box, task, value, number)
    box.reset(task)
    assert box.state_digest() == fresh
    assert box.take_changes() == ()
