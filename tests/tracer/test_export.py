"""Stored spans arrive whole over HTTP and gRPC, in small requests, each accounted for."""

from __future__ import annotations

import contextlib
import gzip
import socket
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

from tracer.errors import InputError, StagetraceError
from tracer.export import ExportCount, export_otlp
from tracer.record import Recorder
from tracer.store import FileSink, read_spans


class Receiver:
    """An OTLP/HTTP endpoint in this process that keeps what it is sent."""

    def __init__(self, port: int = 0) -> None:
        self.requests: list[ExportTraceServiceRequest] = []
        self.sizes: list[int] = []
        self.answers: list[tuple[int, dict]] = []
        self.rejected = 0
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.headers.get("Content-Encoding") == "gzip":
                    body = gzip.decompress(body)
                status, headers = receiver.answers.pop(0) if receiver.answers else (200, {})
                answer = ExportTraceServiceResponse()
                if status == 200 and self.path == "/v1/traces":
                    request = ExportTraceServiceRequest()
                    request.ParseFromString(body)
                    receiver.requests.append(request)
                    receiver.sizes.append(len(body))
                    answer.partial_success.rejected_spans = receiver.rejected
                text = answer.SerializeToString()
                self.send_response(status)
                for key, value in headers.items():
                    self.send_header(key, value)
                self.send_header("Content-Type", "application/x-protobuf")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *args):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def spans(self):
        return [
            span
            for request in self.requests
            for group in request.resource_spans
            for scoped in group.scope_spans
            for span in scoped.spans
        ]

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


@pytest.fixture
def receiver():
    receiver = Receiver()
    yield receiver
    receiver.close()


@pytest.fixture
def stored(tmp_path) -> Path:
    path = tmp_path / "t.otlp.jsonl"
    with (
        Recorder(FileSink(path), run="r1") as recorder,
        recorder.span("agent", "a", {"input.value": "WORDS"}),
    ):
        for n in range(20):
            recorder.start(
                "tool", f"execute_tool {n}", {"n": n, "x": 0.5, "l": ["a", "b"], "b": True}
            ).end()
        recorder.start("tool", "execute_tool bad").end(ValueError("WORDS"))
    return path


def test_every_span_arrives_with_its_id_time_and_attributes(stored, receiver):
    assert export_otlp(stored, receiver.url) == ExportCount(22, 22, 0, 0, 1)
    there = {span.span_id.hex(): span for span in receiver.spans()}
    for span in read_spans(stored):
        other = there.pop(span.span_id)
        assert (other.trace_id.hex(), other.parent_span_id.hex(), other.name) == (
            span.trace_id,
            span.parent_id,
            span.name,
        )
        assert (other.start_time_unix_nano, other.end_time_unix_nano) == (
            span.started_ns,
            span.ended_ns,
        )
        assert (other.kind, other.status.code) == (span.kind, span.status)
        assert {pair.key for pair in other.attributes} == set(span.attributes)
        assert "stagetrace.run.id" in {pair.key for pair in other.attributes}
    assert not there


def test_without_content_no_words_leave(stored, receiver):
    export_otlp(stored, receiver.url, content=False)
    assert b"WORDS" not in b"".join(r.SerializeToString() for r in receiver.requests)
    assert len(receiver.spans()) == 22


def test_requests_stay_below_four_mebibytes(tmp_path, receiver):
    path = tmp_path / "big.otlp.jsonl"
    with Recorder(FileSink(path)) as recorder, recorder.span("agent", "a"):
        for _ in range(60):
            recorder.start("tool", "t", {"output.value": "x" * 100_000}).end()
        recorder.start("tool", "huge", {f"k{n}": "y" * 2_000_000 for n in range(10)}).end()
        recorder.start("tool", "many", {f"k{n}": "z" * 250_000 for n in range(40)}).end()
    count = export_otlp(path, receiver.url)
    assert count.made == count.delivered == 63
    assert max(receiver.sizes) < 4 * 2**20
    assert len(receiver.sizes) == count.requests > 1
    huge = next(span for span in receiver.spans() if span.name == "huge")
    assert any(
        pair.key == "k0.truncated" and "2000000" in pair.value.string_value
        for pair in huge.attributes
    )


def test_a_busy_endpoint_is_tried_again_after_the_time_it_names(stored, receiver):
    receiver.answers = [(503, {}), (429, {"Retry-After": "1"})]
    pauses: list[float] = []
    assert export_otlp(stored, receiver.url, sleep=pauses.append).delivered == 22
    assert pauses == [0.25, 1.0]


def test_rejected_spans_are_counted(stored, receiver):
    receiver.rejected = 3
    assert export_otlp(stored, receiver.url) == ExportCount(22, 19, 3, 0, 1)


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@pytest.mark.parametrize("protocol", ["http", "grpc"])
def test_a_dead_endpoint_is_one_clear_error(protocol, stored):
    url = f"http://127.0.0.1:{free_port()}"
    with pytest.raises(StagetraceError, match="export again") as caught:
        export_otlp(stored, url, protocol=protocol, timeout_s=2, sleep=lambda _: None)
    assert url in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_answer_that_refuses_is_an_error_and_a_redirect_is_not_followed(stored, receiver):
    for answer in [(400, {}), (302, {"Location": "http://127.0.0.1:9/v1/traces"})]:
        receiver.answers = [answer]
        with pytest.raises(StagetraceError, match=str(answer[0])):
            export_otlp(stored, receiver.url)


@pytest.mark.parametrize("url", ["file:///etc/passwd", "127.0.0.1:4318", "http://"])
def test_only_http_addresses_are_taken(url, stored):
    with pytest.raises(InputError, match="http"):
        export_otlp(stored, url)


@contextlib.contextmanager
def rotel(to: str):
    rotel = pytest.importorskip("rotel")
    agent = Path(rotel.__file__).parent / "rotel-agent"
    ports = {"http": free_port(), "grpc": free_port()}
    process = subprocess.Popen(
        [
            str(agent),
            "start",
            "--otlp-grpc-endpoint",
            f"127.0.0.1:{ports['grpc']}",
            "--otlp-http-endpoint",
            f"127.0.0.1:{ports['http']}",
            "--exporter",
            "otlp",
            "--otlp-exporter-protocol",
            "http",
            "--otlp-exporter-endpoint",
            to,
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        for port in ports.values():
            deadline = time.monotonic() + 20
            while time.monotonic() < deadline:
                with (
                    contextlib.suppress(OSError),
                    socket.create_connection(("127.0.0.1", port), 0.2),
                ):
                    break
                time.sleep(0.05)
        yield {name: f"http://127.0.0.1:{port}" for name, port in ports.items()}
    finally:
        process.terminate()
        process.wait(20)


@pytest.mark.slow
@pytest.mark.parametrize("protocol", ["http", "grpc"])
def test_another_projects_receiver_takes_and_forwards_every_span(protocol, stored, receiver):
    with rotel(receiver.url) as urls:
        assert export_otlp(stored, urls[protocol], protocol=protocol).delivered == 22
        deadline = time.monotonic() + 20
        while len(receiver.spans()) < 22 and time.monotonic() < deadline:
            time.sleep(0.1)
    assert {s.span_id.hex() for s in receiver.spans()} == {s.span_id for s in read_spans(stored)}
