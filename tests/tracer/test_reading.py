"""Whatever an input is called, it is read by what is in it; what is not used is said."""

from __future__ import annotations

import gzip
import io
import json
import random
import struct
import subprocess
import sys
import time
import warnings

import pytest
import zstandard
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

from tests.conformance.input_cases import SUFFIX, Reading
from tests.tracer.otlp_inputs import TRACE, line, span, tool, write
from tracer.errors import TraceFormatError
from tracer.fold import fold
from tracer.formats.base import FORMATS
from tracer.formats.reading import read_file
from tracer.formats.report import KINDS, REFUSALS, Report
from tracer.formats.source import Limits
from tracer.grouping import grouped
from tracer.otlp import requests_of
from tracer.store import read_spans, read_traces

SPANS = [span(1), tool(2), tool(3, arguments=None)]


def kinds_of(path, **options):
    report = Report(**options)
    spans = list(read_file(path, report))
    return spans, report


def proto() -> bytes:
    ((request, _),) = requests_of(SPANS, True)
    return TracesData.FromString(request.SerializeToString()).SerializeToString()


def varint(size: int) -> bytes:
    out = b""
    while size > 0x7F:
        out += bytes([size & 0x7F | 0x80])
        size >>= 7
    return out + bytes([size])


def forms() -> dict[str, bytes]:
    one, message = line(*SPANS), proto()
    record = json.loads(one)
    packed = zstandard.ZstdCompressor().compress(one)
    return {
        "lines": line(SPANS[0]) + line(*SPANS[1:]),
        "no line end": one[:-1],
        "bom and crlf": b"\xef\xbb\xbf" + one.replace(b"\n", b"\r\n"),
        "array": json.dumps([record]).encode(),
        "array over lines": b"[\n" + one.strip() + b",\n" + line(SPANS[0]).strip() + b"\n]\n",
        "indented": json.dumps(record, indent=2).encode(),
        "indented twice": json.dumps(record, indent=2).encode() * 2,
        "gzip": gzip.compress(one),
        "gzip in members": gzip.compress(line(SPANS[0])) + gzip.compress(line(*SPANS[1:])),
        "zstd": packed,
        "protobuf": message,
        "protobuf, big lengths": struct.pack(">I", len(message)) + message,
        "protobuf, little lengths": struct.pack("<I", len(message)) + message,
        "protobuf, varint lengths": varint(len(message)) + message,
        "collector's packed records": struct.pack(">I", len(packed)) + packed,
    }


@pytest.mark.parametrize("form", forms())
@pytest.mark.parametrize("name", ["x.jsonl", "x.txt", "x.json.gz", "x"])
def test_each_form_is_told_by_its_content(form, name, tmp_path):
    path = write(tmp_path / name, forms()[form])
    spans = {one.span_id: one for one in read_file(path, Report())}
    assert sorted(spans) == [one.span_id for one in SPANS]
    for one in SPANS:
        assert dict(spans[one.span_id].attributes) == dict(one.attributes)
        assert spans[one.span_id].started_ns == one.started_ns


def test_standard_input_is_read_to_its_end(tmp_path, monkeypatch):
    class Pipe:
        buffer = io.BufferedReader(io.BytesIO(gzip.compress(line(*SPANS))))

    monkeypatch.setattr(sys, "stdin", Pipe)
    (trace,) = read_traces("-", Report())
    assert trace.spans == 3


@pytest.mark.parametrize("name", FORMATS.names())
def test_every_format_has_a_title_and_recognises_no_number(name):
    form = FORMATS.get(name)
    assert form.title
    for other in (None, 1, "x", [], {}, [1], {"a": 1}, {"resourceSpans": []}):
        assert not form.recognises(other)


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"", "empty_input"),
        (b"\n\n", "empty_input"),
        (b"[]", "empty_input"),
        (b"{}", "empty_input"),
        (b'{"resourceSpans": null}', "empty_input"),
        (b"null", "unknown_format"),
        (b"123", "unknown_format"),
        (b"true", "unknown_format"),
        (b'"text"', "unknown_format"),
        (b"hello\nworld\n", "unknown_format"),
        (b"\x00\x01\x02", "unknown_format"),
        (b'{"resourceLogs": []}', "unknown_format"),
        (b'{"name": "x", "context": {"trace_id": "0x1"}}', "unknown_format"),
        (b"\xff\xfe{\x00", "unknown_format"),
        (b"PAR1xxxxPAR1", "unknown_format"),
    ],
)
def test_an_input_without_a_trace_is_an_error_that_names_it(content, kind, tmp_path):
    path = write(tmp_path / "x.jsonl", content)
    with pytest.raises(TraceFormatError) as caught:
        list(read_traces(path, Report()))
    assert caught.value.kind == kind
    assert str(path) in str(caught.value)
    if kind == "empty_input":
        assert list(read_traces(path, Report(), allow_empty=True)) == []


def test_a_span_without_ids_is_named_and_the_others_stay(tmp_path):
    record = json.loads(line(*SPANS))
    spans = record["resourceSpans"][0]["scopeSpans"][0]["spans"]
    spans.insert(1, {"spanId": "0" * 15 + "9", "name": "no trace id"})
    spans.insert(2, {"traceId": "1" * 31, "spanId": "0" * 15 + "8"})
    spans.append({"traceId": TRACE, "spanId": "0" * 16})
    spans.append({"traceId": TRACE, "spanId": "0" * 15 + "7", "attributes": [{"value": {}}, 5]})
    found, report = kinds_of(write(tmp_path / "x", json.dumps(record).encode()))
    assert len(found) == 4
    assert (report.counts["span_skipped"], report.skipped) == (3, 3)
    assert report.counts["attr_unreadable"] == 2


@pytest.mark.parametrize("position", [0, 1, 2])
def test_a_damaged_line_leaves_the_others(position, tmp_path):
    lines = [line(one) for one in SPANS]
    lines.insert(position, b'{"resourceSpans": [{"resou\n')
    path = write(tmp_path / "x", *lines)
    found, report = kinds_of(path)
    assert len(found) == 3
    assert report.bad_lines == [(str(path), position + 1)]
    with pytest.warns(UserWarning, match=rf"x:{position + 1}: no JSON"):
        assert len(list(read_file(path))) == 3


@pytest.mark.parametrize("cut", [1, 7, 30])
def test_packed_data_that_ends_early_gives_what_came_out(cut, tmp_path):
    for packed in (gzip.compress(line(*SPANS) * 50), zstandard.compress(line(*SPANS) * 50)):
        found, report = kinds_of(write(tmp_path / "x", packed[:-cut]))
        assert report.counts["truncated_gzip"] == 1
        assert len(found) <= 150


def test_all_runs_of_an_input_are_named(tmp_path):
    other = span(1, trace="6" * 32, attributes={"stagetrace.run.id": "b"})
    path = write(tmp_path / "x", line(span(1, attributes={"stagetrace.run.id": "a"})), line(other))
    report = Report()
    assert len(list(read_traces(path, report))) == 2
    assert report.findings[-1].text == "spans of 2 runs: 'a', 'b'"


def test_what_is_no_traces_in_a_folder_is_left_out_and_said(tmp_path):
    write(tmp_path / "a.jsonl", line(SPANS[0]))
    write(tmp_path / "b.gz", gzip.compress(line(*SPANS[1:])))
    write(tmp_path / "README.md", b"# Notes\n")
    report = Report()
    assert len(list(read_spans(tmp_path, report))) == 3
    assert len(report.notes) == 1
    assert "README.md" in report.notes[0]


def test_every_class_has_a_meaning():
    assert not set(KINDS) & set(REFUSALS)
    assert all(KINDS.values())


def test_strict_names_file_line_and_class(specs_dir):
    """Over all inputs that have warnings, whatever they are."""
    for sidecar in sorted((specs_dir / "trace-inputs").glob(f"*{SUFFIX}")):
        path = sidecar.with_name(sidecar.name.removesuffix(SUFFIX))
        lenient = Reading(path)
        report = Report(strict=True)
        if lenient.error or not lenient.report.counts:
            continue
        with pytest.raises(TraceFormatError) as caught:
            list(read_traces(path, report, allow_empty=True))
        assert caught.value.kind in lenient.report.counts
        assert caught.value.kind in str(caught.value)
        assert str(path) in str(caught.value)


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_lines_and_files_changes_nothing(seed, tmp_path):
    """Two spans of one id that differ, too: the later end counts."""
    rng = random.Random(seed)
    spans = [span(1)] + [tool(n, started_ns=n // 2 * 1000 + n) for n in range(2, 30)]
    spans += [tool(9, arguments='{"q": 2}', ended_ns=10**9), tool(11, arguments='{"q": 3}')]
    expected = fold(spans)
    lines = [line(one) for one in spans]
    rng.shuffle(lines)
    half = rng.randrange(len(lines))
    write(tmp_path / "a.jsonl", *lines[:half])
    write(tmp_path / "b.jsonl", *lines[half:])
    (trace,) = read_traces(tmp_path, Report())
    assert trace.calls == expected.calls
    assert trace.warnings == expected.warnings


def big(path, count, depth=False):
    with path.open("wb") as file:
        file.write(line(span(1)))
        for start in range(2, count + 1, 500):
            numbers = range(start, min(start + 500, count + 1))
            file.write(line(*(span(n, n - 1 if depth else 1) for n in numbers)))
    return path


@pytest.mark.slow
@pytest.mark.parametrize("depth", [False, True])
def test_a_hundred_thousand_spans_take_linear_time_and_no_recursion(depth, tmp_path):
    def cost(count):
        path = big(tmp_path / "x.jsonl", count, depth)
        start = time.process_time()
        (trace,) = read_traces(path, Report())
        assert trace.spans == count
        return time.process_time() - start

    cost(1_000)
    small = cost(10_000)
    assert cost(100_000) < 20 * small + 1


@pytest.mark.slow
def test_one_line_of_twenty_megabytes_is_read(tmp_path):
    path = write(tmp_path / "x", line(*(tool(n) for n in range(2, 40_002))))
    assert path.stat().st_size > 12_000_000
    found, report = kinds_of(path)
    assert (len(found), report.lines) == (40_000, 1)
    with pytest.raises(TraceFormatError, match="limit line_bytes") as caught:
        list(read_file(path, Report(), limits=Limits(line_bytes=1_000_000)))
    assert caught.value.kind == "limit_exceeded"


def in_a_process(code, path):
    """What code prints that may call `peak()`, the most memory that its process had, in kB."""
    head = (
        "import sys\n"
        "from tracer.errors import TraceFormatError\n"
        "from tracer.formats.reading import read_file\n"
        "from tracer.formats.report import Report\n"
        "from tracer.store import read_traces\n"
        "def peak():\n"
        "    with open('/proc/self/status') as status:\n"
        "        return next(line.split()[1] for line in status if line.startswith('VmHWM'))\n"
    )
    return subprocess.run(
        [sys.executable, "-c", head + code, str(path)], capture_output=True, text=True, check=True
    ).stdout


@pytest.mark.slow
@pytest.mark.parametrize("pack", ["gzip", "zstd"])
def test_a_bomb_is_stopped_with_flat_memory(pack, tmp_path):
    path = tmp_path / "bomb"
    spaces = b" " * 2**20
    opened = gzip.open if pack == "gzip" else zstandard.open
    with opened(path, "wb") as out:
        for _ in range(512):
            out.write(spaces)
    said = in_a_process(
        "try: list(read_file(sys.argv[1], Report()))\n"
        "except TraceFormatError as error: print(error.kind, peak(), error)\n",
        path,
    )
    kind, peak_kb, text = said.split(" ", 2)
    assert kind == "limit_exceeded"
    assert int(peak_kb) < 120_000
    assert "200 to 1" in text
    with pytest.raises(TraceFormatError, match="unpacked_bytes"):
        list(read_file(path, Report(), limits=Limits(ratio=10**9, unpacked_bytes=10**7)))


@pytest.mark.slow
def test_a_value_of_fifty_megabytes_is_read_whole_and_cut_on_export(tmp_path):
    from tracer.export_json import json_span

    path = write(tmp_path / "x", line(tool(2, arguments=None)))
    record = json.loads(path.read_bytes())
    pairs = record["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["attributes"]
    pairs.append({"key": "output.value", "value": {"stringValue": "é" * 25_000_000}})
    path.write_text(json.dumps(record, ensure_ascii=False))
    (found,) = read_file(path, Report())
    assert len(found.attributes["output.value"]) == 25_000_000
    pairs = {pair["key"]: pair["value"] for pair in json_span(found)["attributes"]}
    assert len(pairs["output.value"]["stringValue"]) == 128 * 1024
    assert '"length":50000000' in pairs["output.value.truncated"]["stringValue"]


@pytest.mark.parametrize("held", [1, 10_000, 10**9])
def test_traces_that_lie_apart_are_whole_whatever_fits_into_memory(held, tmp_path):
    spans = [
        span(n, 1 if n > 1 else 0, trace=f"{t:032x}") for n in range(1, 8) for t in range(1, 40)
    ]
    lines = [line(*spans[at : at + 5]) for at in range(0, len(spans), 5)]
    path = write(tmp_path / "x", *lines)
    report = Report()
    found = list(grouped([path], report, small_bytes=0, held_bytes=held))
    assert sorted(len(group) for group in found) == [7] * 39
    assert len({group[0].trace_id for group in found}) == 39
    assert bool(report.notes) is (held < 10**9)


@pytest.mark.slow
def test_memory_stays_flat_over_a_large_file(tmp_path):
    path = tmp_path / "x.jsonl"
    text = {"input.value": "x" * 2000}
    with path.open("wb") as file:
        for t in range(1, 1500):
            trace = f"{t:032x}"
            file.write(
                line(*(span(n, 1 if n > 1 else 0, trace, attributes=text) for n in range(1, 30)))
            )
    assert path.stat().st_size > 80_000_000
    said = in_a_process(
        "print(sum(t.spans for t in read_traces(sys.argv[1], Report())), peak())\n", path
    )
    spans, peak_kb = map(int, said.split())
    assert spans == 1499 * 29
    assert peak_kb < 100_000


def test_no_warning_of_python_is_given_where_a_report_is_kept(tmp_path):
    path = write(tmp_path / "x", b"garbage\n", line(*SPANS))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        list(read_file(path, Report()))
