"""Faults of other sandboxes that are told in words, each under its number in the list of cases."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path

import pytest

from sandboxes.base import SANDBOXES, Sandbox
from tracer.records import Call, Request, Task, Trace

SUITES = {"office": "actions", "tooltalk": "all", "workbench": "all"}
TASKS = {"office": 100, "tooltalk": 78, "workbench": 690}


@cache
def open_box(name: str, data: str) -> Sandbox:
    return SANDBOXES.get(name)(SUITES[name], mode=None, data=lambda part: str(Path(data) / part))


def gold_trace(task: Task) -> Trace:
    """The run of an agent that does what the answer key says."""
    calls = tuple(Call(c.name, c.arguments, turn=c.turn or 0) for c in task.calls or ())
    return Trace(
        "1" * 32, Request(task.item, task.text), answer=" ".join(task.answers[:1]), calls=calls
    )


@pytest.mark.parametrize("name", SUITES)
def test_bug_079_the_answer_key_of_every_task_succeeds(name: str, data_dir: Path) -> None:
    box = open_box(name, str(data_dir))
    tasks = list(box.tasks())
    assert len(tasks) == TASKS[name]
    assert [t.item for t in tasks if box.grade(t, gold_trace(t)).success is not True] == []


def end_of(name: str, data: str, item: str) -> tuple[str, str, int]:
    """Item, digest after the calls of its key, and the changes they made."""
    box = open_box(name, data)
    task = next(task for task in box.tasks() if task.item == item)
    box.reset(task)
    tools = {tool.name: tool for tool in box.tools()}
    for call in task.calls or ():
        tools[call.name].run(**call.arguments)
    return item, box.state_digest(), len(box.take_changes())


@pytest.mark.slow
def test_bug_080_one_and_eight_workers_and_the_other_order_end_alike(data_dir: Path) -> None:
    """Forty writing tasks; each ends as it does alone, whatever went before in its process."""
    box = open_box("workbench", str(data_dir))
    writing = [task.item for task in box.tasks() if any(c.writes for c in task.calls or ())]
    items = writing[:: len(writing) // 40][:40]
    assert len(items) == 40
    data = str(data_dir)
    alone = [end_of("workbench", data, item) for item in items]
    assert all(changes for _, _, changes in alone)
    context = multiprocessing.get_context("spawn")
    for workers, order in ((8, items), (8, items[::-1]), (1, items[::-1])):
        with ProcessPoolExecutor(workers, mp_context=context) as pool:
            found = pool.map(end_of, *zip(*[("workbench", data, i) for i in order], strict=True))
            assert sorted(found) == sorted(alone)
