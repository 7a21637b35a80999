"""Cases of faults in readers and exporters: which check answers which part and input."""

from __future__ import annotations

import json
import math
import re
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from analyzers.base import METRICS
from stagetrace.commandline import run
from tests.conformance.input_cases import Reading
from tests.tracer.otlp_inputs import line, span, tool
from tracer.errors import TraceFormatError
from tracer.export_json import write_jaeger_json, write_otlp_json
from tracer.fold import fold
from tracer.formats.reading import read_file
from tracer.formats.report import Report
from tracer.records import Outcome
from tracer.store import read_traces
from tracer.stored import StoredSpan

Case = Mapping[str, Any]
Said = Callable[[], str]
_METRIC = "recall@5"


def _inputs(folder: Path) -> Path:
    return folder.parent / "trace-inputs"


def _same_ids(case: Case, folder: Path, said: Said) -> None:
    for name in case["input"]["files"]:
        ids = {one.trace_id for one in read_file(_inputs(folder) / name, Report())}
        assert ids == {case["right"]["same_trace_id"]}


def _any_name(case: Case, folder: Path, said: Said) -> None:
    data = (_inputs(folder) / case["input"]["file"]).read_bytes()
    with tempfile.TemporaryDirectory() as place:
        for name in ("x.jsonl", "x.txt", "x", "x.json"):
            path = Path(place) / name
            path.write_bytes(data)
            assert len(list(read_file(path, Report()))) == case["right"]["span_count"]


def _nothing_in_it(case: Case, folder: Path, said: Said) -> None:
    """Each content is refused by name, by the reader and by the commands."""
    with tempfile.TemporaryDirectory() as place:
        for number, content in enumerate(case["input"]["contents"]):
            path = Path(place) / f"odd-{number}.json"
            path.write_text(content)
            with pytest.raises(TraceFormatError, match=re.escape(path.name)):
                list(read_traces(path, Report()))
            for command in ("check", "show"):
                assert run([command, str(path)]) == 2, (command, content)


def _poison(case: Case, folder: Path, said: Said) -> None:
    good = [line(span(1, trace=f"{n:032x}"), tool(2, trace=f"{n:032x}")) for n in (1, 2)]
    data = (_inputs(folder) / case["input"]["file"]).read_bytes()
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "x.jsonl"
        if "traces_read" in case["right"]:
            path.write_bytes(b"".join([data, *good]))
            assert len(list(read_traces(path, Report()))) == case["right"]["traces_read"]
            return
        record = json.loads(line(span(1), tool(2), tool(3)))
        spans = record["resourceSpans"][0]["scopeSpans"][0]["spans"]
        spans[1:1] = [{"spanId": "a" * 16}, {"traceId": "b" * 31, "spanId": "c" * 16}]
        path.write_bytes(data + json.dumps(record).encode() + b"\n")
        report = Report()
        kept = list(read_file(path, report))
        assert len(kept) == 3 + len(
            list(read_file(_inputs(folder) / case["input"]["file"], Report()))
        )
        assert report.counts["span_skipped"] == case["right"]["skipped"]
        assert all(one.line == 2 for one in report.findings if one.kind == "span_skipped")


def _shape(case: Case, folder: Path, said: Said) -> None:
    start = time.monotonic()
    reading = Reading(_inputs(folder) / case["input"]["file"])
    assert time.monotonic() - start < case["right"]["seconds_max"]
    assert len(reading.spans) == case["right"]["span_count"]
    assert case["right"]["warning"] in reading.report.kinds


def _spans(case: Case, folder: Path, said: Said) -> None:
    if "llm_calls" in case["right"]:
        _twice(case)
    else:
        _without_documents(case)


def _twice(case: Case) -> None:
    given = [
        span(
            1 + ord(str(one["span"])[0]),
            attributes={
                "gen_ai.operation.name": "chat",
                "gen_ai.usage.input_tokens": one["input_tokens"],
            },
        )
        for one in case["input"]["spans"]
    ]
    models = fold(given).model_calls
    assert len(models) == case["right"]["llm_calls"]
    assert sum(one.input_tokens or 0 for one in models) == case["right"]["input_tokens"]


def _without_documents(case: Case) -> None:
    kind = {"openinference.span.kind": "RETRIEVER", "input.value": "q"}
    metric = METRICS.get(_METRIC)
    for more, wanted in (({}, None), ({"gen_ai.retrieval.documents": "[]"}, 0.0)):
        trace = fold([span(1, attributes={**kind, **more})])
        graded = _graded(trace)
        assert metric.score(graded) == wanted, more
    empty = fold([span(1, attributes={**kind, "output.value": '{"documents": []}'})])
    assert metric.score(_graded(empty)) == 0.0


def _graded(trace: Any) -> Any:
    from dataclasses import replace

    return replace(trace, outcome=Outcome("strict", relevant=(("d1",),)))


def _deep(case: Case, folder: Path, said: Said) -> None:
    number = int(case["input"]["argument_text"].split()[0])
    report = Report()
    trace = fold([span(1), tool(2, arguments="[" * number), tool(3)], report)
    assert [call.arguments for call in trace.calls] == [None, {"q": 1}]
    assert report.kinds == ["arguments_unparsed"]


def _parameters(case: Case, folder: Path, said: Said) -> None:
    given, right = case["input"]["parameters_texts"], case["right"]
    calls = fold([span(1), *(tool(n + 2, arguments=one) for n, one in enumerate(given))]).calls
    assert len(calls) == right["calls"]
    assert [call.arguments for call in calls] == right["arguments"]
    for call, text in zip(calls, given, strict=True):
        assert call.arguments is not None or call.raw == text


def _written(spans: list[StoredSpan], jaeger: bool = False) -> str:
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "x.json"
        (write_jaeger_json if jaeger else write_otlp_json)(path, spans)
        return path.read_text(encoding="utf-8")


def _ids_as_hex(case: Case, folder: Path, said: Said) -> None:
    record = json.loads(_written([span(1)]))
    written = record["resourceSpans"][0]["scopeSpans"][0]["spans"][0]
    assert re.fullmatch(case["right"]["traceId_regex"], written["traceId"])
    assert re.fullmatch(case["right"]["spanId_regex"], written["spanId"])
    assert type(written["kind"]) is int
    assert all("_" not in key for key in (*record, *written))


def _one_object(case: Case, folder: Path, said: Said) -> None:
    text = _written([span(1), tool(2), span(3, trace="6" * 32)], jaeger=True)
    record = json.loads(text)
    assert list(record) == [case["right"]["top_level_key"]]
    assert len(text.splitlines()) == case["right"]["json_objects_in_file"]
    assert text.count('Id":""') == case["right"]["empty_ids"]


def _integers(case: Case, folder: Path, said: Said) -> None:
    text = _written([span(1, attributes=case["input"]["attributes"])])
    for key, wanted in case["right"]["written_as"].items():
        assert f'{{"key":"{key}","value":{{"intValue":{wanted}}}}}' in text


def _not_finite(case: Case, folder: Path, said: Said) -> None:
    count = case["input"]["spans"]
    spans = [
        span(n, attributes={"score": math.nan if n == 17 else 0.5}) for n in range(1, count + 1)
    ]

    def refuse(name: str) -> None:
        raise AssertionError(name)

    for jaeger in (False, True):
        for text in _written(spans, jaeger).splitlines():
            json.loads(text, parse_constant=refuse)
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "x.jsonl"
        write_otlp_json(path, spans)
        kept = list(read_file(path, Report()))
    assert len(kept) == case["right"]["spans_kept"]
    assert math.isnan(kept[16].attributes["score"])


CHECKS: Mapping[tuple[str, frozenset[str]], Callable[[Case, Path, Said], None]] = {
    ("reader", frozenset({"files"})): _same_ids,
    ("reader", frozenset({"file", "also"})): _any_name,
    ("reader", frozenset({"contents"})): _nothing_in_it,
    ("reader", frozenset({"file", "plus"})): _poison,
    ("reader", frozenset({"file"})): _shape,
    ("reader", frozenset({"spans"})): _spans,
    ("reader", frozenset({"argument_text"})): _deep,
    ("reader", frozenset({"parameters_texts"})): _parameters,
    ("exporters", frozenset({"write"})): _ids_as_hex,
    ("exporters", frozenset({"export"})): _one_object,
    ("exporters", frozenset({"attributes"})): _integers,
    ("exporters", frozenset({"spans", "bad"})): _not_finite,
}

IN_WORDS: Mapping[tuple[str, frozenset[str]], str] = {
    ("exporters", frozenset({"endpoint", "spans"})): "tests/tracer/test_export_faults.py",
    ("exporters", frozenset({"server", "spans"})): "tests/tracer/test_export_faults.py",
    ("exporters", frozenset({"spans", "bytes_each", "server_limit_bytes"})): (
        "tests/tracer/test_export_faults.py"
    ),
}
"""Cases of a receiver that misbehaves, told in words."""
