"""A real log of Inspect AI: sample to item, epoch to replicate, metadata to condition."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest

from stagetrace.commandline import run as command
from stagetrace.grading import grouped
from tests.tracer.otlp_inputs import write
from tracer.attributes import CONDITION_NAME
from tracer.errors import TraceFormatError
from tracer.formats.inspect_log import _member
from tracer.formats.report import Report
from tracer.formats.source import Limits
from tracer.store import read_traces

LOG = Path(__file__).parents[1] / "data" / "inspect" / "mail.eval"


@pytest.fixture(scope="module")
def as_json(tmp_path_factory):
    """The same log in its JSON form."""
    with LOG.open("rb") as file:
        archive = zipfile.ZipFile(file)
        report, limits = Report(), Limits()
        log = _member(archive, file, "header.json", report, limits)
        log["samples"] = [
            _member(archive, file, name, report, limits)
            for name in archive.namelist()
            if name.startswith("samples/")
        ]
    return write(tmp_path_factory.mktemp("log") / "log", json.dumps(log, indent=2).encode())


def test_each_sample_and_epoch_is_a_trace_with_its_identity():
    report = Report()
    traces = list(read_traces(LOG, report))
    assert sorted((t.request.item, t.request.condition, t.request.replicate) for t in traces) == [
        ("m1", "base", 0),
        ("m1", "base", 1),
        ("m2", "indirect", 0),
        ("m2", "indirect", 1),
    ]
    assert len({trace.run for trace in traces}) == 1
    assert {trace.request.suite for trace in traces} == {"mail"}
    assert not report.counts


def test_calls_answers_and_tokens_are_those_of_the_log():
    for trace in read_traces(LOG, Report()):
        assert trace.answer == "Done: on Friday."
        good, bad = trace.calls
        assert (good.name, good.arguments) == ("search_emails", {"query": "budget", "limit": 5})
        assert (good.status, good.result) == ("ok", [{"email_id": "00000042"}])
        assert (bad.status, bad.error) == ("error", "Email not found.")
        assert len(trace.model_calls) == 3
        assert sum(call.output_tokens for call in trace.model_calls) == 80
        assert [call.call_id for call in trace.calls] == [
            call.call_id for model in trace.model_calls for call in model.requested_calls
        ]
        assert trace.agent_runs == 1


def test_both_forms_of_a_log_give_the_same(as_json):
    assert list(read_traces(as_json, Report())) == list(read_traces(LOG, Report()))


def test_another_key_of_the_metadata_can_name_the_condition():
    report = Report(condition_key="cluster")
    assert {t.request.condition for t in read_traces(LOG, report)} == {"c1", "base"}


def test_the_commands_take_the_key_of_the_condition(capsys):
    def conditions(*arguments):
        assert command([*arguments, "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    shown = conditions("show", str(LOG), "--inspect-condition", "cluster")
    assert {one["request"]["condition"] for one in shown["traces"]} == {"c1", "base"}
    shown = conditions("show", str(LOG))
    assert {one["request"]["condition"] for one in shown["traces"]} == {"indirect", "base"}
    graded = grouped(LOG, "cluster").values()
    assert {one.attributes[CONDITION_NAME] for spans in graded for one in spans} == {"c1", "base"}
    tables = conditions("analyze", str(LOG), "--inspect-condition", "cluster")
    assert '"c1"' in json.dumps(tables)


def test_another_archive_and_a_damaged_one_are_named(tmp_path):
    other = io.BytesIO()
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("x.txt", "x")
    for data in (other.getvalue(), LOG.read_bytes()[:-300]):
        path = write(tmp_path / "x", data)
        with pytest.raises(TraceFormatError, match="no whole Inspect log"):
            list(read_traces(path, Report()))


def test_a_damaged_sample_leaves_the_others(tmp_path):
    data = bytearray(LOG.read_bytes())
    with zipfile.ZipFile(LOG) as archive:
        at = archive.getinfo("samples/m1_epoch_1.json").header_offset + 90
    data[at : at + 40] = bytes(40)
    report = Report()
    traces = list(read_traces(write(tmp_path / "x", bytes(data)), report))
    assert len(traces) == 3
    assert report.counts
