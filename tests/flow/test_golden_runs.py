"""One run of each assistant, from reset to grade, span by span against a golden file."""

from __future__ import annotations

from typing import Any

import pytest

from assistants.run import run_slot
from assistants.slots import Slot, base_wording
from stagetrace.parts import Choice, bench
from tests.golden_spans import assert_golden, plain
from tracer.record import Recorder
from tracer.testing import CountingIds, MemorySink, SteppingClock


def one_run(assistant: str, model: str, item: str) -> list[dict[str, Any]]:
    choice = Choice("office", assistant, model, "bm25", None, 5, 0, None, "golden")
    parts = bench(choice)
    parts.clock = SteppingClock()
    task = next(task for task in parts.sandbox.tasks() if task.item == item)
    sink = MemorySink()
    with Recorder(
        sink, run="golden", clock=SteppingClock(), ids=CountingIds(), durability="item"
    ) as recorder:
        done = run_slot(parts, recorder, Slot(task, base_wording(task)))
    assert done.status == "ok"
    return plain(sink.spans())


@pytest.mark.parametrize(
    ("assistant", "model", "item"),
    [("rag", "extractive", "office-q00"), ("tools", "gold", "office-t04")],
)
def test_the_spans_of_one_run_are_the_golden_ones(assistant: str, model: str, item: str):
    assert_golden(f"run_{assistant}.json", one_run(assistant, model, item))


@pytest.mark.parametrize("assistant", ["rag", "tools"])
def test_two_runs_give_equal_spans(assistant: str):
    item = "office-q00" if assistant == "rag" else "office-t04"
    assert one_run(assistant, "gold", item) == one_run(assistant, "gold", item)
