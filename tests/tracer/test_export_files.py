"""Files that exports write, scores among them; secrets of foreign traces stay behind."""

from __future__ import annotations

import json

import pytest

from stagetrace import console
from stagetrace.commandline import run
from tests.conformance.input_cases import SUFFIX
from tests.tracer.otlp_inputs import line, span, tool, write
from tests.tracer.test_export import Receiver
from tests.tracer.test_store import write_run
from tracer.formats.report import Report
from tracer.outgoing import outgoing
from tracer.store import read_spans, read_traces


@pytest.fixture(autouse=True)
def _fresh_consoles():
    console.out.cache_clear()
    console.err.cache_clear()
    yield
    console.out.cache_clear()
    console.err.cache_clear()


@pytest.fixture
def folder(tmp_path):
    write_run(tmp_path / "run")
    return tmp_path / "run"


TARGETS = {"--jaeger-json": "x.json", "--otlp-json": "x.jsonl", "--parquet": "columns"}


@pytest.mark.parametrize("option", TARGETS)
def test_a_run_is_the_same_read_back_from_each_file(option, folder, tmp_path, capsys):
    out = tmp_path / TARGETS[option]
    assert run(["export", str(folder), option, str(out)]) == 0
    assert "6 spans written" in capsys.readouterr().out
    expected = {trace.trace_id: trace for trace in read_traces(folder)}
    for trace in read_traces(out, Report()):
        other = expected.pop(trace.trace_id)
        assert (trace.answer, trace.calls, trace.warnings) == (other.answer, other.calls, ())
    assert not expected


@pytest.mark.parametrize("option", TARGETS)
def test_without_content_no_words_are_written(option, folder, tmp_path):
    out = tmp_path / TARGETS[option]
    assert run(["export", str(folder), option, str(out), "--no-content"]) == 0
    for one in read_spans(out, Report()):
        assert "answer" not in repr(one.attributes)
        assert "Question" not in repr(one.attributes)


def test_jaegers_file_is_one_object_of_the_uploads_form(folder, tmp_path):
    out = tmp_path / "x.json"
    assert run(["export", str(folder), "--jaeger-json", str(out)]) == 0
    record = json.loads(out.read_text())
    assert list(record) == ["resourceSpans"]
    spans = [
        one
        for group in record["resourceSpans"]
        for scoped in group["scopeSpans"]
        for one in scoped["spans"]
    ]
    assert len(spans) == 6
    for one in spans:
        assert all(one[key] for key in ("traceId", "spanId", "name", "startTimeUnixNano"))
        assert one.get("parentSpanId", "x")
    assert out.stat().st_mode & 0o777 == 0o600
    assert [file.name for file in tmp_path.iterdir() if file.name.startswith(".")] == []


def test_exactly_one_target_is_wanted(folder, tmp_path, capsys):
    assert run(["export", str(folder)]) == 2
    both = ["--otlp-json", str(tmp_path / "a"), "--parquet", str(tmp_path / "b")]
    assert run(["export", str(folder), *both]) == 2
    assert "name one of" in capsys.readouterr().err


def test_a_file_that_cannot_be_written_is_one_line(folder, tmp_path, capsys):
    assert run(["export", str(folder), "--otlp-json", str(tmp_path / "no" / "x")]) == 1
    assert "cannot be written" in capsys.readouterr().err


def test_each_score_is_a_span_of_its_own_linked_to_its_trace(folder, tmp_path):
    out = tmp_path / "x.json"
    assert run(["export", str(folder), "--otlp-json", str(out), "--scores"]) == 0
    spans = list(read_spans(out, Report()))
    runs = {one.span_id: one for one in spans if one.name == "stagetrace.item"}
    scores = [one for one in spans if one.name.startswith("evaluate ")]
    assert len({one.trace_id for one in scores}) == len(scores) > 0
    for one in scores:
        (link,) = one.links
        assert link.trace_id == runs[link.span_id].trace_id
        (event,) = one.events
        assert event.name == "gen_ai.evaluation.result"
        name = event.attributes["gen_ai.evaluation.name"]
        value = event.attributes["gen_ai.evaluation.score.value"]
        assert one.attributes["openinference.span.kind"] == "EVALUATOR"
        assert one.attributes["trace.evaluations.0.evaluation.name"] == name
        assert one.attributes["trace.evaluations.0.evaluation.score"] == value
        assert "gen_ai.operation.name" not in one.attributes
        item = runs[link.span_id].attributes["stagetrace.item.id"]
        assert one.attributes["stagetrace.item.id"] == item
    assert len(list(read_traces(out, Report()))) == 3
    again = tmp_path / "again.json"
    assert run(["export", str(folder), "--otlp-json", str(again), "--scores"]) == 0
    assert again.read_bytes() == out.read_bytes()


def test_scores_go_over_the_wire_and_are_accounted_for(folder, capsys):
    receiver = Receiver()
    try:
        assert run(["export", str(folder), "--otlp", receiver.url, "--scores", "--json"]) == 0
        sent = json.loads(capsys.readouterr().out)
        assert sent["made"] == sent["delivered"] == len(receiver.spans()) > 6
    finally:
        receiver.close()


def test_secrets_of_foreign_traces_stay_behind(specs_dir, tmp_path):
    """Over all inputs that say what must not leave."""
    checked = 0
    for sidecar in sorted((specs_dir / "trace-inputs").glob(f"*{SUFFIX}")):
        secrets = json.loads(sidecar.read_text()).get("redaction_default")
        if not secrets:
            continue
        checked += 1
        path = sidecar.with_name(sidecar.name.removesuffix(SUFFIX))
        for option, name in TARGETS.items():
            out = tmp_path / name
            assert run(["export", str(path), option, str(out)]) == 0
        for data in [file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()]:
            assert not [secret for secret in secrets if secret.encode() in data]
        said = repr(list(outgoing(path)))
        assert not [secret for secret in secrets if secret in said]
    assert checked


def test_equal_secrets_stay_equal(tmp_path):
    key = '{"api_key": "sk-test-0000000000000000000000000000dead"}'
    path = write(tmp_path / "x", line(span(1), tool(2, arguments=key), tool(3, arguments=key)))
    _, one, other = outgoing(path)
    given = "gen_ai.tool.call.arguments"
    assert one.attributes[given] == other.attributes[given]
    assert "sk-test" not in repr(one)
