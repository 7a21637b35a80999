"""WorkBench from agent to stored trace to grade: the published totals, and the answer key."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from assistants.run import run_slot
from assistants.slots import Slot, base_wording
from sandboxes.workbench import Workbench
from stagetrace.commandline import run
from stagetrace.parts import Choice, bench
from tests.conformance.cases import read_json
from tracer.record import Recorder
from tracer.store import read_run
from tracer.testing import MemorySink


@pytest.mark.slow
@pytest.mark.parametrize(
    ("suite", "domain", "model", "selection"),
    [
        ("email", "email", "claude-2", "all"),
        ("calendar", "calendar", "gpt-3.5", "domains"),
        ("analytics", "analytics", "gpt-4", "domains"),
        ("project_management", "project_management", "llama2-70b", "domains"),
        ("crm@all", "customer_relationship_manager", "mistral-8x7B", "all"),
        ("multi_domain@published", "multi_domain", "gpt-4", "all"),
    ],
)
def test_recorded_runs_have_the_published_totals_through_the_store(
    data_dir: Path,
    specs_dir: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    suite: str,
    domain: str,
    model: str,
    selection: str,
) -> None:
    """Also where tools that were called are not offered: the published grader calls them."""
    monkeypatch.setenv("STAGETRACE_DATA", str(data_dir))
    golden = specs_dir / "golden"
    calls = f"recorded:{golden / 'workbench_model_calls.jsonl'}"
    named = f"{calls}?model={model}&tool_selection={selection}"
    folder = str(tmp_path / "run")
    arguments = ["--assistant", "tools", "--model", named, "--out", folder]
    assert run(["run", f"workbench:{suite}", *arguments]) == 0
    box = Workbench(suite, data=lambda name: str(data_dir / name))
    tasks = {task.item: task for task in box.tasks()}
    sums: Counter[str] = Counter()
    for trace in read_run(Path(folder)).traces():
        outcome = box.grade(tasks[trace.request.item], trace)
        assert trace.outcome is not None
        assert outcome.flags == trace.outcome.flags
        sums["tasks"] += 1
        sums.update(name for name, value in outcome.flags.items() if value)
    totals = read_json(golden / "workbench_model_totals.json")
    expected = dict(totals[f"{domain}/{model}/{selection}"])
    del expected["source_file"]
    assert {key: sums[key] for key in expected} == expected


@pytest.mark.slow
@pytest.mark.parametrize("suite", ["workbench:all", "workbench:all@all"])
@pytest.mark.parametrize("mode", ["official", "strict", "revised"])
def test_the_answer_key_succeeds_with_the_tools_it_is_offered(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch, suite: str, mode: str
) -> None:
    monkeypatch.setenv("STAGETRACE_DATA", str(data_dir))
    parts = bench(Choice(suite, "tools", "gold", "bm25", mode, 5, 0, None))
    tasks = list(parts.sandbox.tasks())[::5]
    with Recorder(MemorySink()) as recorder:
        for task in tasks:
            outcome = run_slot(parts, recorder, Slot(task, base_wording(task))).outcome
            assert outcome is not None
            assert outcome.success, task.item
            assert not any(call.failed for call in outcome.calls), task.item
