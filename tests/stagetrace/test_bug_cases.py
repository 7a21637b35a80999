"""Faults of other tools that are told in words, each under its number in the list of cases."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from stagetrace import console
from stagetrace.commandline import run
from tests.assistants.fault_server import FaultServer
from tracer.errors import StoreError
from tracer.record import Recorder
from tracer.records import Done, Outcome, Request
from tracer.spans import item_span, set_answer
from tracer.store import RunStore, read_run

MANIFEST = {"run": "one", "suite": "office", "assistant": "tools", "mode": "strict", "seed": 7}


@pytest.fixture(autouse=True)
def _fresh_consoles():
    console.out.cache_clear()
    console.err.cache_clear()
    yield
    console.out.cache_clear()
    console.err.cache_clear()


def add(store, sink, numbers):
    """Finish items of a run that stays open."""
    recorder = Recorder(sink, run="one")
    for number in numbers:
        request = Request(f"t{number:02}", "do it", suite="office")
        with item_span(recorder, request, assistant_kind="tools") as span:
            set_answer(span, "done")
        recorder.flush()
        outcome = Outcome("strict", success=True, required_calls=())
        store.add_done(
            Done(request.item, "base", 0, "ok", span.trace_id, request, outcome, spans=1)
        )
    recorder.close()
    return recorder


@pytest.mark.parametrize(
    "body", [{"error": {"message": "x"}}, "<html>bad gateway</html>", {"choices": []}]
)
def test_bug_059_an_error_page_is_no_call_that_was_not_made(body, tmp_path, monkeypatch, capsys):
    """A model endpoint that sends rubbish with status 200: failed items, never a no-call rate."""
    step = body if isinstance(body, dict) else "garbage"
    with FaultServer(step) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "x")
        folder = tmp_path / "run"
        arguments = ["run", "office", "--assistant", "tools", "--model", "openai:m"]
        assert run([*arguments, "--limit", "1", "--conditions", "base", "--out", str(folder)]) == 1
    stored = read_run(folder)
    assert [done.status for done in stored.failed] == ["failed"]
    assert list(stored.traces()) == []
    capsys.readouterr()
    assert run(["analyze", str(folder), "--metrics", "no_call"]) == 2
    assert "no finished item to analyze (1 failed)" in capsys.readouterr().err


def test_bug_102_totals_cover_both_sittings_of_a_run(tmp_path, capsys):
    folder = tmp_path / "run"
    with RunStore.create(folder, MANIFEST) as store:
        first = add(store, store.sink(0), range(25))
        store.finish(
            {"status": "interrupted", "spans_made": first.made, "spans_stored": first.stored}
        )
    with RunStore.resume(folder) as store:
        second = add(store, store.sink(1), range(25, 40))
        store.finish({"spans_made": second.made, "spans_stored": second.stored})
    assert run(["analyze", str(folder), "--json", "--metrics", "success,spans"]) == 0
    (block,) = json.loads(capsys.readouterr().out)["blocks"]
    assert block["items"] == {"base": 40}
    assert block["subject"]["spans_made"] == block["subject"]["spans_stored"] == 40
    levels = {level["metric"]: level["n"] for level in block["levels"]}
    assert levels == {"success": 40, "spans": 40}


@pytest.mark.slow
def test_bug_104_two_runs_that_start_at_once_do_not_mix(tmp_path):
    arguments = ["run", "office", "--assistant", "rag", "--model", "gold", "--limit", "2"]
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "stagetrace", *arguments, "--conditions", "base"],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    endings = [(process.communicate(timeout=120), process.returncode) for process in processes]
    assert [status for _, status in endings] == [0, 0], endings
    folders = sorted(path for path in (tmp_path / "runs").iterdir() if path.is_dir())
    assert len(folders) == 2
    for folder in folders:
        stored = read_run(folder)
        assert len(stored.done) == len(list(stored.traces())) == 2


def test_bug_104_a_folder_that_a_run_writes_to_is_refused(tmp_path: Path):
    with RunStore.create(tmp_path / "run", MANIFEST):
        for again in (
            lambda: RunStore.create(tmp_path / "run", MANIFEST),
            lambda: RunStore.resume(tmp_path / "run"),
        ):
            with pytest.raises(StoreError):
                again()
