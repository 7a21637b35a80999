"""Traces of a running Jaeger or Phoenix come whole, page after page, and what is amiss is said."""

from __future__ import annotations

import json
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from stagetrace.commandline import run as command
from tests.tracer.test_store import write_run
from tracer.errors import InputError, TraceFormatError
from tracer.formats import address
from tracer.formats.report import Report
from tracer.limits import json_text
from tracer.record import Recorder
from tracer.store import FileSink, read_spans, read_traces

MINUTE = 60_000_000
"""In microseconds, as all times of Jaeger."""


class Server:
    """What two APIs answer, over traces and spans that are given."""

    def __init__(self) -> None:
        self.services: list[str] = ["jaeger-all-in-one", "stagetrace"]
        self.traces: list[dict] = []
        """Of Jaeger."""
        self.rows: list[dict] = []
        """Of Phoenix."""
        self.answer: tuple[int, str, bytes] | None = None
        """Given to every question where it is set."""
        self.asked: list[str] = []
        self.arriving: list[dict] = []
        """Rows that come in once a page was asked for."""
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                server.asked.append(self.path)
                parts = urllib.parse.urlsplit(self.path)
                query = dict(urllib.parse.parse_qsl(parts.query))
                status, kind, body = server.answer or server.answered(parts.path, query)
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        self.thread = threading.Thread(target=self.http.serve_forever, args=(0.01,), daemon=True)
        self.thread.start()

    def answered(self, path: str, query: dict[str, str]) -> tuple[int, str, bytes]:
        status, found = 200, None
        if path == "/api/services":
            found = {"data": self.services, "total": len(self.services), "errors": None}
        elif path == "/api/traces" and "service" not in query and "traceID" not in query:
            status = 400
            found = {"data": None, "errors": [{"code": 400, "msg": "parameter 'service' is ..."}]}
        elif path.startswith("/api/traces"):
            found = {"data": self._found(path, query), "total": 0, "errors": None}
        elif path == "/v1/projects/default/spans":
            found = self._page(query)
        elif path == "/v1/projects" and self.rows:
            found = {"data": [{"name": "default"}], "next_cursor": None}
        if found is None:
            return 404, "application/json", b'{"detail":"no such thing"}'
        return status, "application/json", json.dumps(found, indent=1).encode()

    def _found(self, path: str, query: dict[str, str]) -> list[dict]:
        wanted = path.removeprefix("/api/traces").strip("/") or query.get("traceID")
        if wanted:
            return [one for one in self.traces if one["traceID"] == wanted]
        low, high = int(query["start"]), int(query["end"])
        found = [
            trace
            for trace in self.traces
            if query["service"] == trace["processes"]["p1"]["serviceName"]
            and any(low <= span["startTime"] <= high for span in trace["spans"])
        ]
        return found[: int(query["limit"])]

    def _page(self, query: dict[str, str]) -> dict:
        rows = list(reversed(self.rows)) if query.get("order") == "desc" else self.rows
        first, size = int(query.get("cursor", 0)), int(query["limit"])
        rest = len(rows) > first + size
        page = {"data": rows[first : first + size], "next_cursor": None}
        page["next_cursor"] = str(first + size) if rest else None
        self.rows, self.arriving = [*self.rows, *self.arriving], []
        return page

    def close(self) -> None:
        self.http.shutdown()
        self.http.server_close()
        self.thread.join()


@pytest.fixture
def server():
    server = Server()
    yield server
    server.close()


def jaeger_trace(number: int, at: int, service: str = "stagetrace") -> dict:
    trace = f"{number:032x}"
    return {
        "traceID": trace,
        "spans": [
            {
                "traceID": trace,
                "spanID": f"{part:016x}",
                "operationName": f"s{part}",
                "references": [],
                "startTime": at + part,
                "duration": 5,
                "tags": [{"key": "note", "type": "string", "value": "a\nb"}],
                "processID": "p1",
            }
            for part in (1, 2)
        ],
        "processes": {"p1": {"serviceName": service, "tags": []}},
    }


def now() -> int:
    import time

    return time.time_ns() // 1000


def as_jaeger(path: Path) -> list[dict]:
    """The spans of a store as Jaeger answers them: every list a text, links and kinds as tags."""
    traces: dict[str, dict] = {}
    for span in read_spans(path):
        tags = [{"key": "span.kind", "type": "string", "value": "internal"}]
        for key, value in span.attributes.items():
            types = {bool: "bool", int: "int64", float: "float64"}
            kind = types.get(type(value), "string")
            text = value if kind != "string" or isinstance(value, str) else json_text(value)
            tags.append({"key": key, "type": kind, "value": text})
        parent = {"refType": "CHILD_OF", "traceID": span.trace_id, "spanID": span.parent_id}
        trace = traces.setdefault(
            span.trace_id,
            {
                "traceID": span.trace_id,
                "spans": [],
                "processes": {"p1": {"serviceName": "stagetrace", "tags": []}},
            },
        )
        trace["spans"].append(
            {
                "traceID": span.trace_id,
                "spanID": span.span_id,
                "operationName": span.name,
                "references": [parent] if span.parent_id else [],
                "startTime": span.started_ns // 1000,
                "duration": ((span.ended_ns or 0) - span.started_ns) // 1000,
                "tags": tags,
                "logs": [],
                "processID": "p1",
            }
        )
    return list(traces.values())


def test_a_run_in_jaeger_is_read_as_it_was_stored(server, tmp_path):
    path = tmp_path / "t.otlp.jsonl"
    with Recorder(FileSink(path), run="r1") as recorder, recorder.span("agent", "a", {}):
        found = {"stagetrace.retrieval.ids": ["d2", "d1"], "stagetrace.retrieval.scores": [2.0, 1]}
        recorder.start("retrieval", "retrieval", found).end()
        recorder.start(
            "tool",
            "execute_tool t",
            {"gen_ai.tool.name": "t", "gen_ai.tool.call.arguments": '{"n":1}'},
        ).end()
    server.traces = as_jaeger(path)
    (stored,), (read,) = read_traces(path), read_traces(f"{server.url}/api/traces")
    assert [one.arguments for one in read.calls] == [{"n": 1}]
    assert [one.passages for one in read.retrievals] == [one.passages for one in stored.retrievals]
    assert [one.doc_id for one in read.retrievals[0].passages] == ["d2", "d1"]


def test_all_traces_come_once_however_many_a_page_holds(server, monkeypatch):
    monkeypatch.setattr(address, "TRACES", 3)
    begin = now() - 1000 * MINUTE
    server.traces = [jaeger_trace(n + 1, begin + n * n * MINUTE // 10) for n in range(40)]
    report = Report()
    spans = list(read_spans(f"{server.url}/api/traces?service=stagetrace", report))
    assert len(spans) == 80
    assert len({(span.trace_id, span.span_id) for span in spans}) == 80
    assert not report.counts
    assert {span.attributes["note"] for span in spans} == {"a\nb"}


def test_a_window_that_begins_inside_traces_is_read_whole(server, monkeypatch):
    monkeypatch.setattr(address, "TRACES", 3)
    begin = now() - 100 * MINUTE
    server.traces = [jaeger_trace(n + 1, begin + n) for n in range(20)]
    asked = f"{server.url}/api/traces?service=stagetrace&start={begin + 10}&end={begin + 30}"
    assert len({span.trace_id for span in read_spans(asked)}) == 12


def test_a_limit_of_the_users_is_one_question_and_said(server):
    server.traces = [jaeger_trace(n + 1, now() - n * MINUTE) for n in range(5)]
    report = Report()
    asked = f"{server.url}/api/traces?service=stagetrace&limit=4"
    assert len(list(read_traces(asked, report))) == 4
    assert report.kinds == ["limit_reached"]
    assert "4 traces came" in report.findings[0].text
    assert len(server.asked) == 1
    with pytest.warns(UserWarning, match="there may be more"):
        list(read_traces(asked))
    with pytest.raises(TraceFormatError, match="limit_reached"):
        list(read_traces(asked, Report(strict=True)))


def test_more_traces_of_one_moment_than_a_page_are_said(server, monkeypatch):
    monkeypatch.setattr(address, "TRACES", 3)
    at = now() - MINUTE
    server.traces = [jaeger_trace(n + 1, at) for n in range(5)]
    for trace in server.traces:
        del trace["spans"][1]
    report = Report()
    assert len(list(read_traces(f"{server.url}/api/traces?service=stagetrace", report))) == 3
    assert report.kinds == ["limit_reached"]


def test_one_trace_is_read_by_its_id(server):
    server.traces = [jaeger_trace(n + 1, 1000 * n) for n in range(3)]
    (trace,) = read_traces(f"{server.url}/api/traces/{2:032x}")
    assert trace.trace_id == f"{2:032x}"


def test_the_address_of_the_page_is_enough(server):
    server.traces = [jaeger_trace(1, now() - MINUTE)]
    report = Report()
    assert len(list(read_traces(server.url, report))) == 1
    assert any("'stagetrace' of the last 30 days" in note for note in report.notes)
    server.services = ["jaeger", "a"]
    server.traces = [jaeger_trace(1, now() - MINUTE, "a")]
    assert len(list(read_traces(server.url))) == 1


def test_a_service_is_named_where_it_is_wrong_or_open(server):
    server.services = ["shop", "cart"]
    with pytest.raises(InputError, match="services 'shop', 'cart'; name one"):
        list(read_traces(server.url))
    with pytest.raises(InputError, match="no service 'shp'; did you mean 'shop'"):
        list(read_traces(f"{server.url}/api/traces?service=shp"))
    with pytest.raises(InputError, match=r"nothing is there of service 'shop' of the last 30 days"):
        list(read_traces(f"{server.url}/api/traces?service=shop"))


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((200, "text/html", b"<html>sign in</html>"), "no JSON of traces"),
        ((404, "text/plain", b"404 page not found"), "it answered 404 Not Found"),
        ((500, "application/json", b'{"errors":[{"msg":"disk"}]}'), "500 Internal Server Error: d"),
        ((200, "application/json", b'{"data":null,"errors":[{"msg":"x"}]}'), "Jaeger says: x"),
        ((200, "application/json", b'{"status":"ok"}'), "no list of traces"),
        ((200, "application/json", b'{"data":7}'), "no JSON of traces"),
        ((200, "application/json", b'{"data":[{"spans":[]}]}'), "none of Jaeger's"),
    ],
)
def test_what_is_no_jaeger_is_one_clear_line(server, capsys, answer, said):
    server.answer = answer
    assert command(["check", f"{server.url}/api/traces?service=x"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert err.startswith(f"stagetrace: {server.url}")
    assert err.count("\n") == 1


def test_neither_and_nobody_are_told_apart(server):
    server.answer = 404, "text/plain", b"no"
    with pytest.raises(InputError, match="neither Jaeger's query API nor Phoenix"):
        list(read_traces(server.url))
    server.close()
    with pytest.raises(InputError, match=r"no answer .*refused.*; look whether the server runs"):
        list(read_traces(server.url))


def test_a_password_in_an_address_is_refused_and_not_repeated():
    with pytest.raises(InputError, match="without a name or password") as refused:
        list(read_traces("http://me:hush@127.0.0.1:1"))
    assert "hush" not in str(refused.value)


def test_commands_take_an_address(server, capsys, tmp_path):
    server.traces = [jaeger_trace(1, now() - MINUTE)]
    for arguments in (["check"], ["show"], ["show", "--json"]):
        assert command([arguments[0], server.url, *arguments[1:]]) == 0
    out = capsys.readouterr().out
    copy = tmp_path / "copy.jsonl"
    assert command(["export", server.url, "--otlp-json", str(copy), "--scores"]) == 0
    assert {trace.trace_id for trace in read_traces(copy)} == {f"{1:032x}"}
    assert f"{server.url}: 1 traces, 2 of 2 spans used" in out
    assert f"{1:032x}" in out


def phoenix_row(number: int, **fields: object) -> dict:
    at = f"2026-11-30T10:00:00.{number:06}+00:00"
    return {
        "id": str(number),
        "name": f"s{number}",
        "context": {"trace_id": "5" * 32, "span_id": f"{number:016x}"},
        "span_kind": "UNKNOWN",
        "parent_id": None,
        "start_time": at,
        "end_time": at,
        "status_code": "UNSET",
        "status_message": "",
        "attributes": {},
        "events": [],
        **fields,
    }


def test_all_spans_of_a_project_come_in_the_order_in_which_they_came_in(server, monkeypatch):
    server.rows = [phoenix_row(n + 1) for n in range(7)]
    monkeypatch.setattr(address, "SPANS", 3)
    report = Report()
    monkeypatch.setattr(
        server, "answered", _without(server.answered, "/api/services"), raising=True
    )
    spans = list(read_spans(server.url, report))
    assert [span.name for span in spans] == [f"s{n + 1}" for n in range(7)]
    assert not report.notes
    server.arriving = [phoenix_row(8)]
    assert len(list(read_spans(server.url, report))) == 8
    server.rows, server.arriving = server.rows[:3], [phoenix_row(9)]
    assert len(list(read_spans(server.url, report))) == 3
    assert report.notes == ["more spans came in while they were read; read once more"]


def _without(answered, path):
    return lambda asked, query: (
        (404, "text/plain", b"no") if asked == path else answered(asked, query)
    )


def test_a_limit_of_phoenix_and_a_project_that_is_not_there_are_said(server):
    server.rows = [phoenix_row(n + 1) for n in range(3)]
    report = Report()
    asked = f"{server.url}/v1/projects/default/spans?limit=2"
    assert len(list(read_spans(asked, report))) == 2
    assert report.kinds == ["limit_reached"]
    with pytest.raises(InputError, match="404 Not Found: no such thing"):
        list(read_spans(f"{server.url}/v1/projects/other/spans"))


def test_what_phoenix_takes_apart_is_put_together(server):
    given = {
        "tool.parameters.n": 1,
        "tool.parameters.at.0.day": "mon",
        "tool.parameters.at.1.day": "tue",
        "metadata.langgraph_node": "x",
        "tool.name": "search",
        "l": ["a"],
    }
    event = {"name": "exception", "timestamp": "2026-11-30T10:00:00+00:00", "attributes": {}}
    event["attributes"] = {"exception.message": "why"}
    server.rows = [
        phoenix_row(
            2,
            span_kind="TOOL",
            parent_id=f"{1:016x}",
            attributes=given,
            events=[event],
            status_code="ERROR",
            status_message="why",
        ),
        phoenix_row(1, span_kind="AGENT"),
    ]
    asked = f"{server.url}/v1/projects/default/spans"
    (call,) = next(read_traces(asked)).calls
    assert call.arguments == {"n": 1, "at": [{"day": "mon"}, {"day": "tue"}]}
    assert (call.name, call.status, call.error) == ("search", "error", "why")
    span = next(read_spans(asked))
    assert span.attributes["metadata"] == '{"langgraph_node":"x"}'
    assert span.attributes["l"] == ["a"]
    assert (span.parent_id, span.started_ns % 10**9) == (f"{1:016x}", 2000)


def test_grading_leaves_out_traces_that_hold_scores(tmp_path):
    from stagetrace.grading import grouped
    from tracer.export_json import write_otlp_json
    from tracer.export_scores import TraceScore, score_spans

    write_run(tmp_path / "run", ["i0"])
    spans = list(read_spans(tmp_path / "run"))
    score = TraceScore("m", 1.0, spans[0].trace_id, spans[0].span_id, 1)
    write_otlp_json(tmp_path / "t", [*spans, *score_spans([score])])
    assert list(grouped(tmp_path / "t")) == [spans[0].trace_id]
