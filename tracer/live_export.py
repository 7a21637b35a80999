"""Spans sent to an OTLP endpoint while the agent runs, beside the store and never in its way.

Its queue is bounded in bytes: what does not fit, and what the endpoint does not take, is dropped
and counted, since the store has it. Whatever the endpoint does, the agent goes on at its pace.
"""

from __future__ import annotations

import os
import threading
import time
import urllib.parse
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tracer.errors import StagetraceError
from tracer.export import ExportCount
from tracer.formats.otlp_json import decode_line
from tracer.otlp import (
    OtlpProtocol,
    RetryLaterError,
    Send,
    jittered,
    open_sender,
    pause_s,
    requests_of,
)
from tracer.printable import printable
from tracer.references import Definitions
from tracer.stored import StoredSpan

if TYPE_CHECKING:
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

QUEUE_BYTES: Final = 16 * 2**20
EXIT_S: Final = 5.0
"""So long the end of the process waits for the endpoint, at most."""
_TIMEOUT_S: Final = 10.0
_GIVE_UP_S: Final = 60.0
"""So long one request is tried."""
_BATCH_S: Final = 0.2
_KEPT_TRACES: Final = 256


@dataclass(slots=True)
class _Tally:
    made: int = 0
    delivered: int = 0
    rejected: int = 0
    dropped: int = 0
    requests: int = 0


class LiveExporter:
    """Sends the lines that a recorder has stored.

    Args:
        url: OTLP endpoint; http without a path gets `/v1/traces`.
        protocol: OTLP over HTTP or over gRPC.
        content: Whether prompts, arguments, results and documents are sent.
        queue_bytes: Most that waits to be sent; a longer line is taken where nothing waits.
        exit_s: Most that `close` waits.
        sleep: Waits between tries; gives True when waiting was cut short.

    Raises:
        InputError: The address is no http(s) one.
    """

    def __init__(
        self,
        url: str,
        *,
        protocol: OtlpProtocol = "http",
        content: bool = False,
        queue_bytes: int = QUEUE_BYTES,
        exit_s: float = EXIT_S,
        sleep: Callable[[float], object] | None = None,
    ) -> None:
        self._open: Callable[[], tuple[Send, Callable[[], None]]] = lambda: open_sender(
            url, protocol, _TIMEOUT_S
        )
        self._open()[1]()
        self.url = _without_user(url)
        self.protocol = protocol
        self._content = content
        self._queue_bytes = queue_bytes
        self._exit_s = exit_s
        self._sleep = sleep
        self._last_error = ""
        self.start_over()

    @classmethod
    def to(cls, url: str, *, content: bool = False) -> LiveExporter:
        """An exporter to an address as it is written for us; `grpc://HOST:PORT` sends over gRPC.

        Raises:
            InputError: The address is none of http, https and grpc.
        """
        if url.startswith("grpc://"):
            return cls("http" + url.removeprefix("grpc"), protocol="grpc", content=content)
        return cls(url, content=content)

    def start_over(self) -> None:
        """Begin with nothing queued: at first, and in a forked child."""
        self._queue: deque[tuple[bytes, int]] = deque()
        self._waiting_bytes = 0
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._tally = _Tally()
        self._in_flight = 0
        self._definitions: dict[str, Definitions] = {}
        self._closing = threading.Event()
        self._deadline: float | None = None
        self._closed = False
        self._idle = threading.Event()
        self._idle.set()
        self._thread: threading.Thread | None = None
        self._pid = os.getpid()

    @property
    def count(self) -> ExportCount:
        """Where the spans went so far; made = delivered + rejected + dropped once it is closed."""
        with self._lock:
            tally = self._tally
            return ExportCount(
                tally.made, tally.delivered, tally.rejected, tally.dropped, tally.requests
            )

    def offer(self, line: bytes, spans: int) -> None:
        """Queue one stored line, or drop and count it; never waits."""
        with self._lock:
            self._tally.made += spans
            waiting = self._waiting_bytes
            # One line of any length fits where nothing waits: its values are cut when it is sent.
            if self._closed or (waiting and waiting + len(line) > self._queue_bytes):
                self._tally.dropped += spans
                return
            self._waiting_bytes += len(line)
            self._queue.append((line, spans))
            self._idle.clear()
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._run, name="stagetrace-export", daemon=True
                )
                self._thread.start()
        self._wake.set()

    def flush(self, timeout_s: float) -> bool:
        """Whether everything that was offered before has gone somewhere within the time."""
        return self._idle.wait(timeout_s)

    def close(self) -> ExportCount:
        """Send what is queued for at most the time of the exit; the rest is dropped and counted."""
        if not self._closed:
            self._deadline = time.monotonic() + self._exit_s
            self._closing.set()
            self._wake.set()
            self._idle.wait(self._exit_s)
            with self._lock:
                self._closed = True
                # What is under way may still arrive; nobody will hear of it.
                self._tally.dropped += self._in_flight + sum(n for _, n in self._queue)
                self._in_flight = 0
                self._queue.clear()
        return self.count

    def summary(self) -> str:
        """One line that accounts for every span."""
        count = self.count
        why = f" ({printable(self._last_error)})" if count.dropped and self._last_error else ""
        return (
            f"export to {self.url}: {count.made} spans = {count.delivered} delivered + "
            f"{count.rejected} rejected + {count.dropped} dropped{why}"
        )

    def _run(self) -> None:
        from opentelemetry import context

        # A user's instrumented HTTP client makes no spans of our sending.
        context.attach(context.set_value("suppress_instrumentation", True))
        send, close = self._open()
        try:
            while not self._closed:
                self._wake.wait()
                self._wake.clear()
                # Lines that come soon after one another share a request.
                self._closing.wait(_BATCH_S)
                while lines := self._take():
                    self._send_lines(send, lines)
        finally:
            close()

    def _take(self) -> list[tuple[bytes, int]]:
        with self._lock:
            lines = []
            size = 0
            while self._queue and size < QUEUE_BYTES // 4:
                lines.append(self._queue.popleft())
                size += len(lines[-1][0])
            self._waiting_bytes -= size
            self._in_flight = sum(spans for _, spans in lines)
            if not lines:
                self._idle.set()
            return lines

    def _send_lines(self, send: Send, lines: list[tuple[bytes, int]]) -> None:
        left = sum(spans for _, spans in lines)
        try:
            for request, spans in requests_of(self._spans(lines), self._content):
                delivered, rejected = self._deliver(send, request, spans)
                self._note(spans, delivered, rejected)
                left -= spans
        except Exception as error:
            # A span that cannot be encoded must not end the sending of all others.
            self._last_error = f"{type(error).__name__}: {error}"
        if left:
            self._note(left, 0, 0)

    def _note(self, spans: int, delivered: int, rejected: int) -> None:
        with self._lock:
            if self._closed:
                return
            self._in_flight -= spans
            self._tally.delivered += delivered
            self._tally.rejected += rejected
            self._tally.dropped += spans - delivered - rejected
            self._tally.requests += delivered > 0

    def _spans(self, lines: list[tuple[bytes, int]]) -> Iterator[StoredSpan]:
        for line, _ in lines:
            for span in decode_line(line):
                if not self._content:
                    yield span
                    continue
                known = self._definitions.pop(span.trace_id, None) or Definitions()
                self._definitions[span.trace_id] = known
                known.take(span)
                yield known.restore(span, final=True) or span
        while len(self._definitions) > _KEPT_TRACES:
            del self._definitions[next(iter(self._definitions))]

    def _deliver(
        self, send: Send, request: ExportTraceServiceRequest, spans: int
    ) -> tuple[int, int]:
        """How many of the spans were delivered and rejected; the rest is dropped."""
        begun = time.monotonic()
        attempt = 0
        while not self._closed:
            left = self._left(begun)
            if left <= 0:
                return 0, 0
            try:
                rejected = min(spans, send(request, min(_TIMEOUT_S, left)))
            except RetryLaterError as error:
                self._last_error = str(error)
                self._pause(min(jittered(pause_s(error, attempt)), left))
                attempt += 1
            except StagetraceError as error:
                self._last_error = str(error).partition(";")[0]
                return 0, 0
            else:
                return spans - rejected, rejected
        return 0, 0

    def _left(self, begun: float) -> float:
        now = time.monotonic()
        if self._deadline is not None:
            return self._deadline - now
        return begun + _GIVE_UP_S - now

    def _pause(self, seconds: float) -> None:
        if self._sleep is not None:
            self._sleep(seconds)
        elif self._closing.is_set():
            time.sleep(seconds)
        else:
            # The end of the process cuts a long pause short.
            self._closing.wait(seconds)


def _without_user(url: str) -> str:
    """The address without a password that may stand in it."""
    parts: Any = urllib.parse.urlsplit(url)
    return str(parts._replace(netloc=parts.netloc.rpartition("@")[2], query="").geturl())
