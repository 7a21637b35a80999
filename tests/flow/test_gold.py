"""The answer key reaches a full score on every suite, from agent to grade."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistants.run import run_slot
from assistants.slots import Slot, base_wording
from stagetrace.parts import FORMS, Choice, bench
from tracer.record import Recorder
from tracer.testing import MemorySink


def score_all(suite: str, assistant: str) -> list[str]:
    """Items of the suite that the answer key does not get right."""
    choice = Choice(suite, assistant, "gold", "bm25", None, 5, 0, None)
    parts = bench(choice)
    wrong = []
    tasks = [task for task in parts.sandbox.tasks() if task.form in FORMS[choice.kind]]
    assert tasks
    with Recorder(MemorySink()) as recorder:
        for task in tasks:
            outcome = run_slot(parts, recorder, Slot(task, base_wording(task))).outcome
            assert outcome is not None, task.item
            good = outcome.success is not False and outcome.answer_correct is not False
            if not good or outcome.errored or outcome.unwanted_side_effect:
                wrong.append(task.item)
    assert recorder.made == recorder.stored > len(tasks)
    return wrong


@pytest.mark.parametrize("assistant", ["rag", "llm", "tools"])
def test_office(assistant: str) -> None:
    assert score_all("office", assistant) == []


def test_workbench_email(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAGETRACE_DATA", str(data_dir))
    assert score_all("workbench:email", "tools") == []
