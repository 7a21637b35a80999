"""Stored spans sent elsewhere as OTLP: original ids and times, in requests below 4 MiB, counted."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tracer.errors import StagetraceError
from tracer.otlp import OtlpProtocol, RetryLaterError, Send, open_sender, pause_s, requests_of
from tracer.store import read_spans

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


def export_otlp(
    path: Path | str,
    url: str,
    *,
    protocol: OtlpProtocol = "http",
    content: bool = True,
    timeout_s: float = 10.0,
    sleep: Callable[[float], None] = time.sleep,
) -> ExportCount:
    """Send the spans of a run folder, a folder or a file of OTLP JSON lines to an OTLP endpoint.

    At least once: a request whose answer is lost is sent again; the receiver tells spans by id.

    Args:
        path: What to send; of a run folder the traces that count.
        url: Endpoint, such as `http://127.0.0.1:4318`; http without a path gets `/v1/traces`.
        protocol: OTLP over HTTP or over gRPC.
        content: False leaves out prompts, arguments, results and documents.
        timeout_s: Longest wait for one answer.
        sleep: Waits between tries.

    Returns:
        How many spans went where.

    Raises:
        InputError: The address is no http(s) one.
        TraceFormatError: `path` cannot be read.
        StagetraceError: The endpoint did not take the spans; the text says how many it took.
    """
    send, close = open_sender(url, protocol, timeout_s)
    count = ExportCount()
    try:
        for request, spans in requests_of(read_spans(path), content):
            count = replace(count, made=count.made + spans)
            try:
                rejected = _persist(send, request, sleep)
            except RetryLaterError as error:
                raise StagetraceError(
                    f"export to {url}: {error}; {count.delivered} spans were delivered before, the "
                    "rest stays in the store: look whether the endpoint runs, then export again"
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
