"""`run` with a plan only, with a budget, with a tape, and with many workers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from stagetrace.commandline import run
from tracer.store import read_run

pytest.importorskip("langgraph")
OFFICE = ("run", "office", "--assistant", "rag", "--limit", "4")


def test_dry_run_says_the_plan_and_leaves_nothing(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run([*OFFICE, "--conditions", "base,typos", "--dry-run"]) == 0
    said = capsys.readouterr().out
    assert "4 items, 2 conditions (base, typos), 8 runs" in said
    assert "about 8 calls" in said
    assert list(tmp_path.iterdir()) == []


def test_run_ends_in_good_order_when_the_budget_is_used_up(
    tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    assert run([*OFFICE, "--max-tokens", "10", "--out", str(out)]) == 1
    assert "--max-tokens is 10" in capsys.readouterr().err
    assert len(read_run(out).done) == 1
    assert run(["run", str(out), "--resume"]) == 0
    assert len(read_run(out).done) == 4


def test_cost_needs_prices(tmp_path: Any) -> None:
    assert run([*OFFICE, "--max-cost", "1", "--out", str(tmp_path / "run")]) == 2


@pytest.mark.slow
def test_eight_workers_give_what_one_gives(
    project: Any, tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """200 questions about 200 small mails."""
    mails, tasks = tmp_path / "documents.jsonl", tmp_path / "tasks.jsonl"
    with mails.open("w") as documents, tasks.open("w") as questions:
        for number in range(200):
            text = f"Order {number:03d} of the {number % 7} lamps leaves on {number % 28 + 1} May."
            documents.write(json.dumps({"id": f"m{number}", "corpus": "c", "text": text}) + "\n")
            task = {
                "item": f"i{number:03d}",
                "text": f"When does order {number:03d} leave?",
                "answers": [f"{number % 28 + 1} May"],
                "relevant": [[f"m{number}"]],
                "corpus": "c",
            }
            questions.write(json.dumps(task) + "\n")
    tables = []
    for workers in ("1", "8"):
        out = str(tmp_path / f"run-{workers}")
        going = ("run", f"tasks:{tmp_path}", "--assistant", "rag", "--workers", workers)
        status, _, err = (project.inside if workers == "1" else project.run)(*going, "--out", out)
        assert status == 0, err
        capsys.readouterr()
        assert run(["analyze", out, "--json"]) == 0
        tables.append(_without_times(json.loads(capsys.readouterr().out)))
    assert tables[0] == tables[1]


def _without_times(found: Any) -> Any:
    """The tables without what differs from run to run: names of folders and durations."""
    if isinstance(found, dict):
        return {
            key: _without_times(value)
            for key, value in found.items()
            if not any(word in key for word in ("latency", "seconds", "run", "path", "created"))
        }
    if isinstance(found, list):
        return [
            _without_times(one)
            for one in found
            if not (isinstance(one, dict) and "latency" in str(one.get("metric", "")))
        ]
    return found
