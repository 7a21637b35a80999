"""WorkBench is a closed world: hostile arguments touch nothing, tasks never see each other."""

from __future__ import annotations

import contextlib
import multiprocessing
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from sandboxes.workbench import Workbench
from sandboxes.workbench.calls import call_string
from sandboxes.workbench.grade import MODES, grade_calls
from sandboxes.workbench.patterns import MOST_STEPS, compiled
from tests.sandboxes.hostile import FAMILIES, hostile, listening
from tests.sandboxes.workbench_ends import ends, hashes

SECONDS_A_CALL = 2.0
"""No call may take more of the processor; the slowest allowed search takes a quarter of it."""


@pytest.fixture(scope="module")
def boxes(data_dir: Path) -> dict[str, Workbench]:
    return {mode: Workbench("all", mode=mode, data=lambda n: str(data_dir / n)) for mode in MODES}


def test_there_are_500_hostile_arguments() -> None:
    assert len(hostile()) >= 500


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("family", FAMILIES)
def test_hostile_arguments_touch_nothing_outside(
    boxes: dict[str, Workbench], data_dir: Path, mode: str, family: str
) -> None:
    """Nothing is opened, executed, imported or connected, and nothing hangs."""
    box = boxes[mode]
    box.reset(next(iter(box.tasks())))
    tools = list(box.all_tools())
    values = list(FAMILIES[family]())
    with contextlib.suppress(ValueError):
        tools[0].run(time_min="2023-11-29 1pm")
    next(t for t in tools if t.name == "email.search_emails").run(date_min="November 29, 2023")
    slowest = (0.0, "", None)
    with listening() as seen:
        for number, value in enumerate(values):
            if number % 20 == 0:
                box.reset(next(iter(box.tasks())))
            for tool in tools[number % 3 :: 3]:
                arguments = dict.fromkeys(tool.parameters["properties"], value)
                if number % 2 and "email_id" in arguments:
                    arguments["email_id"] = "00000010"
                started = time.process_time()
                with contextlib.suppress(Exception):
                    tool.run(**arguments)
                slowest = max(slowest, (time.process_time() - started, tool.name, str(value)[:60]))
        assert seen == []
        assert slowest[0] < SECONDS_A_CALL, slowest
        (data_dir / "workbench" / "README.md").read_bytes()
        assert [event.split()[0] for event in seen] == ["open"]


@pytest.mark.parametrize("mode", MODES)
def test_hostile_call_strings_are_read_and_never_evaluated(
    boxes: dict[str, Workbench], mode: str
) -> None:
    box = boxes[mode]
    texts = []
    for number, value in enumerate(hostile()):
        tool = box.all_tools()[number % 27]
        text = str(value)[:50_000]
        texts += [text, call_string(tool.name, dict.fromkeys(tool.parameters["properties"], text))]
        texts += [f"{tool.name}.func({text})", f"{tool.name}.func({text!r})"]
    started = time.process_time()
    with listening() as seen:
        for place in range(0, len(texts), 100):
            grade_calls(texts[place : place + 100], [], "", box._originals, mode)
        assert seen == []
    assert time.process_time() - started < 60


def test_hostile_rows_do_not_stop_a_search(boxes: dict[str, Workbench]) -> None:
    """Long texts that a run wrote itself make no pattern run for ever."""
    box = boxes["official"]
    box.reset(next(iter(box.tasks())))
    tools = {tool.name.split(".")[1]: tool for tool in box.all_tools()}
    event = {"participant_email": "a@b.c", "event_start": "x", "duration": "1"}
    tools["create_event"].run(event_name="a" * 250_000, **event)
    started = time.perf_counter()
    for query in ("a*b", "a*a*b", "a" * 900 + "b", ".*.*.*!"):
        with contextlib.suppress(Exception):
            tools["search_events"].run(query=query)
    assert time.perf_counter() - started < 4 * SECONDS_A_CALL


@pytest.mark.parametrize("pattern", ["a*b", ".*a.*", "(ab)+c", "a|b|c", r"\w+@\w+\.com", "[(+*]+"])
def test_a_plain_pattern_is_searched_in_a_whole_table(pattern: str) -> None:
    texts = ["Quarterly review of the marketing plan with everybody"] * 300
    assert len(compiled(pattern).hits(texts)) == 300


def test_the_costliest_pattern_that_is_allowed_ends_soon() -> None:
    pattern = compiled("a*a*a*!")
    length = next(n for n in range(1, 10_000) if pattern._steps(n + 1) * 10 > MOST_STEPS) - 1
    started = time.perf_counter()
    assert pattern.hits(["a" * length] * 10) == [False] * 10
    assert time.perf_counter() - started < SECONDS_A_CALL


# Isolation


@pytest.mark.parametrize("mode", MODES)
def test_forward_backward_and_two_processes_end_alike(
    boxes: dict[str, Workbench], data_dir: Path, mode: str
) -> None:
    """Forty writing tasks of all parts; the files are not written."""
    writing = [task.item for task in boxes[mode].tasks() if task.calls]
    items = writing[:: len(writing) // 40][:40]
    assert len(items) == 40
    before = hashes(data_dir / "workbench")
    forward = ends(str(data_dir), mode, items)
    assert all(live == graded and changes for live, graded, changes in forward.values())
    assert ends(str(data_dir), mode, items[::-1]) == forward
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        halves = pool.map(ends, [str(data_dir)] * 2, [mode] * 2, [items[::2], items[1::2]])
        together = {item: end for half in halves for item, end in half.items()}
    assert together == forward
    assert hashes(data_dir / "workbench") == before


def test_a_reset_takes_under_a_millisecond(boxes: dict[str, Workbench]) -> None:
    box = boxes["official"]
    tasks = list(box.tasks())
    box.reset(tasks[0])
    fresh = box.state_digest()
    tools = {tool.name.split(".")[1]: tool for tool in box.all_tools()}
    taken = []
    for task in tasks[:200]:
        tools["send_email"].run(recipient="a@b.c", subject="s", body="b")
        tools["delete_task"].run(task_id="00000149")
        started = time.perf_counter()
        box.reset(task)
        taken.append(time.perf_counter() - started)
    assert sorted(taken)[100] < 0.001
    assert box.state_digest() == fresh
