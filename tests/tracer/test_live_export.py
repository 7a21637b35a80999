"""Live export never slows, breaks or changes anything, and accounts for every span."""

from __future__ import annotations

import contextlib
import gzip
import json
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

from tests.tracer.graphs import agent_graph
from tests.tracer.test_langgraph import QUESTION, WHOLE, tree
from tracer.errors import InputError
from tracer.formats.otlp_json import decode_line
from tracer.langgraph import trace_graph
from tracer.live_export import LiveExporter
from tracer.otlp import REQUEST_BYTES
from tracer.record import Recorder
from tracer.records import Tool
from tracer.references import restored
from tracer.store import FileSink
from tracer.testing import MemorySink
from tracer.wrap import wrap_tool


class FaultyReceiver:
    """An OTLP/HTTP endpoint that misbehaves in one way, for some of its requests or all."""

    def __init__(self, mode: str = "ok", times: int = 10**9) -> None:
        self.mode, self.times = mode, times
        self.spans: list = []
        self.sizes: list[int] = []
        self.spans_each: list[int] = []
        self.requests = 0
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.headers.get("Content-Encoding") == "gzip":
                    body = gzip.decompress(body)
                receiver.requests += 1
                mode = receiver.mode if receiver.requests <= receiver.times else "ok"
                receiver.answer(self, mode, body)

            def log_message(self, *args):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self, handler, mode, body):
        if mode == "never":
            time.sleep(30)
        if mode == "slow":
            time.sleep(0.3)
        if mode == "reset":
            handler.connection.close()
            return
        if mode == "garbage":
            handler.wfile.write(b"\x00\x01 not http at all\r\n\r\n")
            return
        answer = ExportTraceServiceResponse()
        status = int(mode) if mode.isdigit() else 200
        if status == 200:
            self.keep(body)
        if mode == "lost":
            handler.connection.close()
            return
        if mode == "partial":
            answer.partial_success.rejected_spans = 2
        text = b"\xff\xfe?" if mode == "unreadable" else answer.SerializeToString()
        handler.send_response(status)
        if status == 429:
            handler.send_header("Retry-After", "1")
        handler.send_header("Content-Type", "application/x-protobuf")
        handler.send_header("Content-Length", str(len(text)))
        handler.end_headers()
        handler.wfile.write(text)

    def keep(self, body):
        self.sizes.append(len(body))
        request = ExportTraceServiceRequest()
        request.ParseFromString(body)
        before = len(self.spans)
        for group in request.resource_spans:
            for scoped in group.scope_spans:
                self.spans.extend(scoped.spans)
        self.spans_each.append(len(self.spans) - before)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def run_agent(url: str | None, **kwargs):
    """One run of the agent beside an endpoint: result, store, exporter."""
    exporter = None if url is None else LiveExporter(url, **{"exit_s": 1.5} | kwargs)
    sink = MemorySink()
    with Recorder(sink, beside=[exporter] if exporter else []) as recorder:
        result = trace_graph(agent_graph(), recorder, name="demo").invoke(QUESTION)
    return [message.content for message in result["messages"]], sink, exporter


PLAIN = run_agent(None)[0]
MODES = ["ok", "down", "slow", "429", "500", "503", "reset", "garbage", "tls", "never"]
MODES += ["partial", "unreadable", "lost"]
DELIVERED = dict.fromkeys(["ok", "slow", "unreadable"], (10, 0, 0)) | {"partial": (8, 2, 0)}
"""Modes in which spans arrive: delivered, rejected, dropped."""


@pytest.mark.parametrize("mode", MODES)
def test_no_fault_of_the_endpoint_reaches_the_agent_and_every_span_is_accounted_for(mode):
    with FaultyReceiver(mode) as receiver:
        url = receiver.url
        if mode == "down":
            url = f"http://127.0.0.1:{free_port()}"
        elif mode == "tls":
            url = url.replace("http:", "https:")
        begun = time.monotonic()
        # What is answered is waited for, however busy the machine is.
        exit_s = 60 if mode in DELIVERED else 1.5
        result, sink, exporter = run_agent(url, exit_s=exit_s)
        ran = time.monotonic() - begun
        count = exporter.close()
        closed = time.monotonic() - begun - ran
    assert result == PLAIN
    assert tree(sink) == WHOLE
    assert count.made == len(WHOLE) == count.delivered + count.rejected + count.dropped
    assert mode in DELIVERED or closed < 3
    wanted = DELIVERED.get(mode, (0, 0, 10))
    assert (count.delivered, count.rejected, count.dropped) == wanted
    line = exporter.summary()
    assert "\n" not in line
    assert f"10 spans = {count.delivered} delivered" in line


@pytest.mark.parametrize(("mode", "times"), [("503", 2), ("429", 1), ("reset", 1), ("garbage", 1)])
def test_what_the_endpoint_takes_later_is_delivered(mode, times):
    with FaultyReceiver(mode, times) as receiver:
        exporter = LiveExporter(receiver.url, exit_s=60)
        with Recorder(MemorySink(), beside=[exporter]) as recorder:
            for _ in range(300):
                recorder.start("chain", "s").end()
        count = exporter.close()
    assert (count.made, count.delivered) == (300, 300)
    assert len({span.span_id for span in receiver.spans}) == 300


def test_an_endpoint_that_refuses_for_a_while_gets_all_of_it():
    port = free_port()
    exporter = LiveExporter(f"http://127.0.0.1:{port}")
    with Recorder(MemorySink(), beside=[exporter]) as recorder:
        for _ in range(300):
            recorder.start("chain", "s").end()
        recorder.flush()
        time.sleep(0.7)
        receiver = FaultyReceiver.__new__(FaultyReceiver)
        with unittest_port(port, receiver):
            count = exporter.close()
    assert (count.delivered, count.dropped) == (300, 0)


@contextlib.contextmanager
def unittest_port(port, receiver):
    """A good receiver on a port that was closed until now."""
    FaultyReceiver.__init__(receiver)
    receiver.server.shutdown()
    receiver.server.server_close()
    server = ThreadingHTTPServer(("127.0.0.1", port), receiver.server.RequestHandlerClass)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()


def test_an_answer_that_is_lost_repeats_spans_and_the_reader_counts_them_once():
    """Only the first request's answer is lost; a busy machine may need several for all spans."""
    with FaultyReceiver("lost", times=1) as receiver:
        exporter = LiveExporter(receiver.url, exit_s=60)
        with Recorder(MemorySink(), beside=[exporter]) as recorder:
            for _ in range(300):
                recorder.start("chain", "s").end()
        count = exporter.close()
    first = receiver.spans_each[0]
    sent = [span.span_id for span in receiver.spans]
    assert count.delivered == 300
    assert sent[:first] == sent[first : 2 * first]
    assert (len(sent), len(set(sent))) == (300 + first, 300)


@pytest.mark.slow
def test_a_burst_beyond_the_queue_is_dropped_counted_and_stored(tmp_path):
    sink = FileSink(tmp_path / "t.otlp.jsonl")
    with FaultyReceiver("slow") as receiver:
        exporter = LiveExporter(receiver.url, queue_bytes=2**20, exit_s=1)
        with Recorder(sink, durability="item", beside=[exporter]) as recorder:
            root = recorder.start("agent", "a")
            for _ in range(20_000):
                recorder.start("chain", "s", {"text": "x" * 100}, parent=root).end()
            root.end()
        count = exporter.close()
    assert recorder.stored == recorder.made == count.made == 20_001
    assert count.dropped > 0
    assert count.delivered + count.rejected + count.dropped == 20_001


@pytest.mark.slow
def test_requests_are_split_by_bytes():
    with FaultyReceiver() as receiver:
        exporter = LiveExporter(receiver.url, content=True, queue_bytes=2**28, exit_s=60)
        with Recorder(MemorySink(), beside=[exporter]) as recorder:
            for n in range(512):
                recorder.start("tool", "t", {"output.value": f"{n}" + "x" * 100_000}).end()
            recorder.start("tool", "t", {"output.value": "y" * 50_000_000}).end()
        count = exporter.close()
    assert count.delivered == 513 == len(receiver.spans)
    assert max(receiver.sizes) <= REQUEST_BYTES
    pairs = {pair.key: pair.value.string_value for pair in receiver.spans[-1].attributes}
    assert json.loads(pairs["output.value.truncated"])["length"] == 50_000_000
    assert set(pairs["output.value"]) == {"y"}


def test_words_leave_only_when_asked_and_are_whole_then():
    for content in (False, True):
        with FaultyReceiver() as receiver:
            _, sink, exporter = run_agent(receiver.url, content=content)
            exporter.close()
        sent = b"".join(span.SerializeToString() for span in receiver.spans)
        assert (b"Where is it?" in sent) is content
        assert b"stagetrace.defs" not in sent
        assert b"stagetrace.content_missing" not in sent
        if content:
            stored = {s.span_id: s for s in sink.spans()}
            for span in receiver.spans:
                keys = {pair.key for pair in span.attributes}
                assert keys == set(stored[span.span_id.hex()].attributes)


def test_only_http_addresses_are_taken_and_passwords_are_not_shown():
    with pytest.raises(InputError, match="http"):
        LiveExporter("file:///tmp/x")
    assert "hunter2" not in LiveExporter("http://u:hunter2@127.0.0.1:9").summary()


@contextlib.contextmanager
def grpc_receiver(fail):
    """An OTLP/gRPC endpoint; `fail(context, n)` may refuse the n-th request."""
    import grpc
    from opentelemetry.proto.collector.trace.v1 import trace_service_pb2_grpc as service

    class Servicer(service.TraceServiceServicer):
        spans: list = []  # noqa: RUF012
        requests = 0

        def Export(self, request, context):  # noqa: N802
            Servicer.requests += 1
            fail(context, Servicer.requests)
            for group in request.resource_spans:
                for scoped in group.scope_spans:
                    self.spans.extend(scoped.spans)
            return ExportTraceServiceResponse()

    server = grpc.server(ThreadPoolExecutor(2))
    service.add_TraceServiceServicer_to_server(Servicer(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield f"http://127.0.0.1:{port}", Servicer
    server.stop(0)


@pytest.mark.parametrize(
    ("code", "delivered"), [("UNAVAILABLE", 10), ("INVALID_ARGUMENT", 0), ("", 10)]
)
def test_grpc_follows_the_rules_of_retrying(code, delivered):
    import grpc

    def fail(context, n):
        if code and n == 1:
            context.abort(grpc.StatusCode[code], "not now")

    with grpc_receiver(fail) as (url, servicer):
        result, _, exporter = run_agent(url, protocol="grpc")
        count = exporter.close()
    assert result == PLAIN
    assert (count.made, count.delivered, count.dropped) == (10, delivered, 10 - delivered)
    assert len(servicer.spans) == delivered


def test_the_store_is_what_it_is_without_an_exporter():
    with FaultyReceiver("500") as receiver:
        _, sink, exporter = run_agent(receiver.url)
        exporter.close()
    plain = run_agent(None)[1]
    assert tree(sink) == tree(plain)


def test_a_lost_line_of_definitions_is_named_on_what_is_sent():
    with FaultyReceiver() as receiver:
        exporter = LiveExporter(receiver.url, content=True)
        sink = MemorySink()
        with Recorder(sink, durability="span") as recorder, recorder.span("agent", "a"):
            for _ in range(2):
                recorder.start("tool", "t", {"text": "z" * 400}).end()
        assert len(list(restored(s for line in sink.lines() for s in decode_line(line)))) == 3
        exporter.offer(sink.lines()[1], 1)
        assert exporter.close().delivered == 1
    assert "stagetrace.content_missing" in {p.key for p in receiver.spans[0].attributes}


def test_another_handler_in_the_process_doubles_nothing_of_ours(recorder, sink):
    from langchain_core.callbacks import BaseCallbackHandler
    from opentelemetry.sdk.trace import TracerProvider

    tracer = TracerProvider().get_tracer("other instrumentor")

    class Other(BaseCallbackHandler):
        run_inline = True

        def __init__(self):
            self.open = {}

        def on_chain_start(self, *args, run_id, **kwargs):
            self.open[run_id] = tracer.start_span("other")

        def on_chain_end(self, *args, run_id, **kwargs):
            self.open.pop(run_id).end()

    graph = trace_graph(agent_graph(), recorder, name="demo")
    graph.invoke(QUESTION, {"callbacks": [Other()]})
    assert tree(sink) == WHOLE


def test_an_agent_that_is_wrapped_twice_is_traced_once(recorder, sink):
    from tracer.wrap import trace

    trace(trace(agent_graph(), recorder, name="demo"), recorder, name="demo").invoke(QUESTION)
    trace(trace(lambda q: q, recorder, name="f"), recorder, name="f")("x")
    tool = wrap_tool(Tool("t", "", {}, False, lambda: 1), recorder)
    wrap_tool(tool, recorder).run()
    names = [span.name for span in sink.spans()]
    assert names.count("invoke_agent demo") == names.count("invoke_agent f") == 1
    assert names.count("execute_tool t") == 1
