"""`stagetrace analyze --format html` over run folders and files of traces."""

from __future__ import annotations

import hashlib
import json
import re

import pytest

from stagetrace import console
from stagetrace.commandline import run
from tracer.record import Recorder
from tracer.records import Done, Outcome, Request
from tracer.spans import item_span, set_answer
from tracer.store import RunStore

MANIFEST = {
    "run": "one",
    "suite": "office",
    "assistant": "tools",
    "assistant_kind": "tools",
    "model": "rules",
    "model_source": {"provider": "stagetrace", "source": "built in", "baseline": True},
    "mode": "strict",
    "data_version": "0.1",
    "seed": 7,
}


@pytest.fixture(autouse=True)
def _fresh_consoles():
    console.out.cache_clear()
    console.err.cache_clear()
    yield
    console.out.cache_clear()
    console.err.cache_clear()


@pytest.fixture
def folder(tmp_path):
    """Eight items: all right in the base, every second one wrong under `formal`, one failed."""
    path = tmp_path / "run"
    with RunStore.create(path, MANIFEST) as store:
        recorder = Recorder(store.sink(0), run="one")
        for number in range(8):
            for condition in ("base", "formal", "indirect"):
                right = condition == "base" or number % 2 == 0
                failed = (number, condition) == (1, "indirect")
                request = Request(f"t{number}", f"do {condition}", "office", condition)
                with item_span(recorder, request, assistant_kind="tools") as span:
                    set_answer(span, "done")
                recorder.flush()
                outcome = Outcome("strict", data_version="0.1", success=right, required_calls=())
                store.add_done(
                    Done(
                        request.item,
                        condition,
                        0,
                        "failed" if failed else "ok",
                        span.trace_id,
                        request,
                        None if failed else outcome,
                        spans=1,
                    )
                )
        recorder.close()
        store.finish({"spans_made": recorder.made, "spans_stored": recorder.stored})
    return path


def test_the_page_goes_into_the_run_folder_and_its_path_is_named(folder, capsys):
    assert run(["analyze", str(folder), "--format", "html"]) == 0
    path = folder / "report" / "index.html"
    assert f"report: {path}" in capsys.readouterr().out
    page = path.read_text(encoding="utf-8")
    assert "baseline program: shows the tool, not a finding" in page
    assert "indirect: 1 runs failed and have no score" in page
    assert 'aria-label="failed">✕' in page
    assert hashlib.sha256((folder / "run.json").read_bytes()).hexdigest() in page
    assert path.stat().st_mode & 0o077 == 0


def test_another_folder_can_be_named_and_two_writes_are_the_same(folder, tmp_path):
    for name in ("one", "two"):
        assert run(["analyze", str(folder), "--format", "html", "--out", str(tmp_path / name)]) == 0
    one, two = ((tmp_path / name / "index.html").read_bytes() for name in ("one", "two"))
    assert one == two


def test_the_drill_downs_hold_both_requests(folder, tmp_path):
    assert run(["analyze", str(folder), "--format", "html", "--out", str(tmp_path / "o")]) == 0
    page = (tmp_path / "o" / "index.html").read_text(encoding="utf-8")
    shown = re.findall(r"(\d+) of (\d+) differing pairs shown", page)
    assert set(shown) == {("7", "7")}
    assert page.count('<details class="pair">') == 7
    assert "<del>base</del>" in page
    assert "<ins>formal</ins>" in page


def test_a_smaller_page_can_be_asked_for(folder, tmp_path):
    out = str(tmp_path / "o")
    options = ["--format", "html", "--out", out, "--report-mb", "0.1"]
    assert run(["analyze", str(folder), *options]) == 0
    assert (tmp_path / "o" / "index.html").stat().st_size <= 100_000


def test_a_foreign_file_shows_what_can_be_known(tmp_path, capsys):
    span = {
        "traceId": "a" * 32,
        "spanId": "b" * 16,
        "name": "chat fake-1",
        "startTimeUnixNano": "1000000000",
        "endTimeUnixNano": "2000000000",
        "attributes": [
            {"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}},
            {"key": "gen_ai.request.model", "value": {"stringValue": "fake-1"}},
            {"key": "gen_ai.usage.input_tokens", "value": {"intValue": "33"}},
        ],
    }
    line = {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {}, "spans": [span]}]}]}
    path = tmp_path / "foreign.jsonl"
    path.write_text(json.dumps(line) + "\n", encoding="utf-8")
    assert run(["analyze", str(path), "--format", "html"]) == 0
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert "not graded: no gold for these traces" in page
    assert "fake-1" in page
    assert re.search(r'>success</th><td data-v="">\u2013<sup>', page)


def test_a_folder_that_cannot_be_written_is_one_line(folder, tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert run(["analyze", str(folder), "--format", "html", "--out", str(tmp_path / "file")]) == 2
    err = capsys.readouterr().err
    assert "cannot be written" in err
    assert "--out" in err
