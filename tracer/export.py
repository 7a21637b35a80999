"""Stored spans sent elsewhere as OTLP: original ids and times, in requests below 4 MiB, counted."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tracer.errors import StagetraceError
from tracer.otlp import OtlpProtocol, RetryLaterError, Send, open_sender, pause_s, requests_of
from tracer.outgoing import outgoing
from tracer.stored import StoredSpan

if TYPE_CHECKING:
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

_TRIES: Final = 4


@dataclass(frozen=True, slots=True)
class ExportCount:
    """Where the spans went: made = delivered + rejected + dropped."""

    made: int = 0
    delivered: int = 0
    rejected: int = 0
    """Turned down by the endpoint in an answer that took the rest."""
    dropped: int = 0
    """Never taken: not sent, or the sending failed."""
    requests: int = 0

    def __add__(self, other: ExportCount) -> ExportCount:
        """Both together."""
        return ExportCount(
            self.made + other.made,
            self.delivered + other.delivered,
            self.rejected + other.rejected,
            self.dropped + other.dropped,
            self.requests + other.requests,
        )


def export_otlp(
    path: Path | str,
    url: str,
    *,
    protocol: OtlpProtocol = "http",
    content: bool = True,
    timeout_s: float = 10.0,
    sleep: Callable[[float], None] = time.sleep,
    more: Iterable[StoredSpan] = (),
) -> ExportCount:
    """Send the spans of a run folder, a folder or a file of traces to an OTLP endpoint.

    At least once: a request whose answer is lost is sent again; the receiver tells spans by id.

    Args:
        path: What to send; of a run folder the traces that count.
        url: Endpoint, such as `http://127.0.0.1:4318`; http without a path gets `/v1/traces`.
        protocol: OTLP over HTTP or over gRPC.
        content: False leaves out prompts, arguments, results and documents.
        timeout_s: Longest wait for one answer.
        sleep: Waits between tries.
        more: Spans that are sent after them, such as scores.

    Returns:
        How many spans went where.

    Raises:
        InputError: The address is no http(s) one.
        TraceFormatError: `path` cannot be read.
        StagetraceError: The endpoint did not take the spans; the text says how many it took.
    """
    send, close = open_sender(url, protocol, timeout_s)
    count = ExportCount()
    waiting = requests_of(chain(outgoing(path), more), content)
    try:
        for request, spans in waiting:
            count = replace(count, made=count.made + spans)
            try:
                rejected = _persist(send, request, sleep)
            except RetryLaterError as error:
                left = spans + sum(number for _, number in waiting)
                raise StagetraceError(
                    f"export to {url}: {error}; {left} spans were not exported, {count.delivered} "
                    "were before; all stay in the store: look whether the endpoint runs, then "
                    "export again"
                ) from error
            count = replace(
                count,
                delivered=count.delivered + spans - rejected,
                rejected=count.rejected + rejected,
                requests=count.requests + 1,
            )
    finally:
        close()
    return count


def _persist(send: Send, request: ExportTraceServiceRequest, sleep: Callable[[float], None]) -> int:
    for attempt in range(_TRIES):
        try:
            return send(request)
        except RetryLaterError as error:
            if attempt == _TRIES - 1:
                raise
            sleep(pause_s(error, attempt))
    raise AssertionError("the last try returns or raises")
