"""What `check` says of a file or a run, and the status that it ends with."""

from __future__ import annotations

import json

import pytest

from stagetrace import console
from stagetrace.commandline import run
from tests.tracer.otlp_inputs import line, span, tool, write
from tests.tracer.test_store import write_run
from tracer.check import check
from tracer.errors import TraceFormatError


@pytest.fixture(autouse=True)
def _fresh_consoles():
    console.out.cache_clear()
    console.err.cache_clear()
    yield
    console.out.cache_clear()
    console.err.cache_clear()


def test_a_good_file_and_a_good_run_end_with_0(tmp_path, capsys):
    good = write(tmp_path / "x", line(span(1), tool(2)))
    write_run(tmp_path / "run")
    assert run(["check", str(good)]) == 0
    assert "1 traces, 2 of 2 spans used" in capsys.readouterr().out
    assert run(["check", str(tmp_path / "run")]) == 0
    checked = check(tmp_path / "run")
    assert (checked.traces, checked.validated, checked.ok) == (3, 6, True)


def test_findings_end_with_1_and_are_counted_by_class_with_their_place(tmp_path, capsys):
    path = write(tmp_path / "x", line(span(1)), b"garbage\n", line(tool(2, arguments="{")))
    assert run(["check", str(path), "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["ok"] is False
    assert {one["kind"]: one["count"] for one in said["findings"]} == {
        "arguments_unparsed": 1,
        "bad_json_line": 1,
    }
    assert said["bad_lines"] == [{"file": str(path), "line": 2}]
    assert (said["spans"], said["spans_used"], said["records"]) == (2, 2, 3)
    assert run(["check", str(path)]) == 1
    assert f"{path}:2" in capsys.readouterr().out


def test_strict_refuses_in_one_line_with_status_2(tmp_path, capsys):
    path = write(tmp_path / "x", line(span(1)), b"garbage\n")
    assert run(["check", str(path), "--strict"]) == 2
    said = capsys.readouterr().err
    assert f"{path}:2: bad_json_line" in said
    assert said.count("\n") == 1


def test_an_empty_file_is_an_error_unless_it_is_allowed(tmp_path, capsys):
    path = write(tmp_path / "x", b"")
    assert run(["check", str(path)]) == 2
    assert "--allow-empty" in capsys.readouterr().err
    assert run(["check", str(path), "--allow-empty"]) == 1
    assert "empty_input" in capsys.readouterr().out


def test_a_line_that_is_not_as_its_schema_has_it_is_found(tmp_path):
    folder = tmp_path / "run"
    write_run(folder)
    path = folder / "traces" / "0.otlp.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"kind":1', b'"kind":"1"', 1))
    counts = check(folder).report.counts
    assert counts["checksum_mismatch"] == 1
    assert counts["schema_mismatch"] == 1
    assert counts["enum_name"] == 1


def test_a_manifest_is_validated_and_its_counts_are_held_against_each_other(tmp_path):
    folder = tmp_path / "run"
    write_run(folder)
    path = folder / "run.json"
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps({**manifest, "status": "x", "spans_made": 9}))
    counts = check(folder).report.counts
    assert counts == {"schema_mismatch": 1, "spans_lost": 3}


def test_a_done_record_without_its_trace_is_found(tmp_path):
    folder = tmp_path / "run"
    write_run(folder)
    path = folder / "traces" / "0.otlp.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-2]))
    report = check(folder).report
    assert report.counts == {"trace_missing": 1}
    assert "i2" in report.findings[0].text
    with pytest.raises(TraceFormatError, match="trace_missing"):
        check(folder, strict=True)
