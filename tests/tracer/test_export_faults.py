"""Receivers that refuse, vanish, forget or limit: what arrives, and what is said of the rest."""

from __future__ import annotations

import socket
import threading
import time

import pytest

from tests.tracer.otlp_inputs import line, span, tool, write
from tests.tracer.test_export import Receiver, free_port
from tracer.errors import StagetraceError
from tracer.export import export_otlp
from tracer.export_json import write_otlp_json
from tracer.formats.report import Report
from tracer.record import Recorder
from tracer.store import FileSink, read_spans, read_traces


@pytest.fixture
def stored(tmp_path):
    return write(tmp_path / "t.jsonl", line(span(1), *(tool(n) for n in range(2, 301))))


def ids(receiver):
    return [one.span_id.hex() for one in receiver.spans()]


def test_bug_016_a_refused_connection_is_tried_again(stored, monkeypatch):
    port = free_port()
    opened: list[Receiver] = []

    def sleep(seconds):
        if not opened:
            opened.append(Receiver(port))

    try:
        assert export_otlp(stored, f"http://127.0.0.1:{port}", sleep=sleep).delivered == 300
        assert len(set(ids(opened[0]))) == 300
    finally:
        for receiver in opened:
            receiver.close()


def test_bug_017_a_dead_endpoint_is_one_line_with_the_number_of_spans(stored):
    start = time.monotonic()
    with pytest.raises(StagetraceError) as caught:
        export_otlp(stored, f"http://127.0.0.1:{free_port()}", sleep=lambda _: None)
    assert time.monotonic() - start < 5
    assert "300 spans were not exported" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_bug_018_twenty_thousand_spans_are_stored_and_sent(tmp_path):
    path = tmp_path / "x.otlp.jsonl"
    with Recorder(FileSink(path)) as recorder, recorder.span("agent", "a"):
        for _ in range(19_999):
            recorder.start("tool", "t").end()
    receiver = Receiver()
    try:
        count = export_otlp(path, receiver.url)
        assert (count.made, count.delivered + count.dropped) == (20_000, 20_000)
        assert len(set(ids(receiver))) == count.delivered
    finally:
        receiver.close()


def test_bug_019_what_arrives_twice_is_read_once(stored, tmp_path):
    """The endpoint keeps the request, and the answer is lost."""
    receiver = Receiver()
    receiver.answers = [(503, {"X-Kept": "yes"})]
    try:
        export_otlp(stored, receiver.url, sleep=lambda _: None)
    finally:
        receiver.close()
    spans = list(read_spans(stored, Report()))
    path = tmp_path / "both.jsonl"
    write_otlp_json(path, [*spans, *spans])
    report = Report()
    (trace,) = read_traces(path, report)
    assert (report.spans, trace.spans, len(trace.calls)) == (600, 300, 299)
    assert report.counts["duplicate_span_identical"] == 300


def test_bug_022_requests_are_split_by_bytes(tmp_path):
    path = tmp_path / "x.jsonl"
    text = {"output.value": "x" * 100_000}
    write_otlp_json(path, [span(n, attributes=text) for n in range(1, 513)])
    receiver = Receiver()
    try:
        assert export_otlp(path, receiver.url).delivered == 512
        assert max(receiver.sizes) <= 4 * 2**20
    finally:
        receiver.close()


@pytest.mark.parametrize("protocol", ["http", "grpc"])
def test_an_endpoint_that_never_answers_ends_after_the_bound(protocol, stored):
    """It takes the connection and stays silent."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        held: list[socket.socket] = []

        def take():
            while True:
                try:
                    held.append(server.accept()[0])
                except OSError:
                    return

        thread = threading.Thread(target=take, daemon=True)
        thread.start()
        start = time.monotonic()
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(StagetraceError, match="300 spans were not exported"):
            export_otlp(stored, url, protocol=protocol, timeout_s=0.3, sleep=lambda _: None)
        assert time.monotonic() - start < 10
        for one in held:
            one.close()
        server.shutdown(socket.SHUT_RDWR)
        server.close()
        thread.join(5)
