"""OTLP requests: spans as protobuf, split below 4 MiB, and who sends them over HTTP or gRPC."""

from __future__ import annotations

import http.client
import random
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from tracer.attributes import SCHEMA_URL, SCOPE, is_content
from tracer.errors import InputError, StagetraceError
from tracer.limits import EXPORT_VALUE_BYTES, cut, json_text, whole_number
from tracer.stored import StoredSpan, Value

if TYPE_CHECKING:
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
    from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
    from opentelemetry.proto.trace.v1.trace_pb2 import Span

OtlpProtocol = Literal["http", "grpc"]
REQUEST_BYTES: Final = 4 * 2**20
_ROOM: Final = 16 * 2**10
"""Left in each request for what stands around the spans."""
_PAUSE_S: Final = 0.25
_LONGEST_PAUSE_S: Final = 5.0
_RETRY_STATUS: Final = frozenset({429, 502, 503, 504})
_RETRY_CODES: Final = frozenset(
    {"CANCELLED", "DEADLINE_EXCEEDED", "ABORTED", "OUT_OF_RANGE", "UNAVAILABLE", "DATA_LOSS"}
)
"""Of gRPC; RESOURCE_EXHAUSTED only when the server says when to come again.

Source:
    OpenTelemetry protocol specification 1.9, sections "Failures" of OTLP/gRPC and OTLP/HTTP.
"""
_INT64: Final = range(-(2**63), 2**63)


class Send(Protocol):
    """Sends one request; gives the number of spans that the endpoint turned down."""

    def __call__(self, request: ExportTraceServiceRequest, timeout_s: float | None = None) -> int:
        """The number of spans that the endpoint turned down in an answer that took the rest.

        Raises:
            RetryLaterError: It may take the same request later.
            StagetraceError: It never will.
        """
        ...


class RetryLaterError(Exception):
    """The endpoint may take the same request later."""

    def __init__(self, text: str, pause_s: float | None = None) -> None:
        super().__init__(text)
        self.pause_s = pause_s


def pause_s(error: RetryLaterError, attempt: int) -> float:
    """How long to wait before the next try: what the endpoint asks for, else longer each time.

    Example:
        >>> pause_s(RetryLaterError("busy", 2.0), 0)
        2.0
    """
    wanted = _PAUSE_S * 2**attempt if error.pause_s is None else error.pause_s
    return min(wanted, _LONGEST_PAUSE_S)


def jittered(seconds: float) -> float:
    """A pause up to a fifth shorter, so that many processes do not come back at once."""
    return seconds * (1 - 0.2 * random.random())


def open_sender(
    url: str, protocol: OtlpProtocol, timeout_s: float
) -> tuple[Send, Callable[[], None]]:
    """Who sends requests to an address, and what lets go of the connection.

    Raises:
        InputError: The address is no http(s) one.
    """
    address = urllib.parse.urlsplit(url)
    if address.scheme not in ("http", "https") or not address.hostname:
        raise InputError(
            f"export: {url!r} is no http:// or https:// address; give one such as "
            "http://127.0.0.1:4318"
        )
    if protocol == "grpc":
        return _grpc_sender(address, timeout_s)
    if address.path in ("", "/"):
        address = address._replace(path="/v1/traces")
    return _http_sender(address.geturl(), timeout_s)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Spans go to the named host only."""

    def redirect_request(self, *_: object) -> None:
        """No other address is followed."""


def _http_sender(url: str, longest_s: float) -> tuple[Send, Callable[[], None]]:
    from google.protobuf.message import (  # type: ignore[import-untyped] # ships no types
        DecodeError,
    )
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

    opener = urllib.request.build_opener(_NoRedirect, urllib.request.ProxyHandler({}))

    def send(request: ExportTraceServiceRequest, timeout_s: float | None = None) -> int:
        post = urllib.request.Request(
            url,
            data=request.SerializeToString(),
            headers={"Content-Type": "application/x-protobuf", "User-Agent": "stagetrace"},
        )
        try:
            with opener.open(post, timeout=timeout_s or longest_s) as answer:
                body = answer.read()
                kind = answer.headers.get("Content-Type", "")
        except urllib.error.HTTPError as error:
            with error:
                _refuse(error)
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", None) or error
            raise RetryLaterError(f"no answer ({reason})") from error
        response = ExportTraceServiceResponse()
        if "json" not in kind and body:
            try:
                response.ParseFromString(body)
            except DecodeError:
                # It took the spans; what else it says cannot be read.
                return 0
        return int(response.partial_success.rejected_spans)

    return send, lambda: None


def _refuse(error: urllib.error.HTTPError) -> None:
    after = error.headers.get("Retry-After", "")
    pause = whole_number(after)
    if error.code in _RETRY_STATUS:
        raise RetryLaterError(f"it answered {error.code} {error.reason}", pause) from error
    raise StagetraceError(
        f"export to {error.url}: it answered {error.code} {error.reason}; look whether this is an "
        "OTLP endpoint, for http usually port 4318"
    ) from error


def _refuse_call(error: Any, url: str) -> None:
    code, details = error.code().name, error.details()
    pushed_back = [
        value for key, value in error.trailing_metadata() or () if key == "grpc-retry-pushback-ms"
    ]
    wait_ms = whole_number(str(pushed_back[0])) if pushed_back else None
    pause = None if wait_ms is None else wait_ms / 1000
    if code in _RETRY_CODES or (code == "RESOURCE_EXHAUSTED" and pause is not None):
        raise RetryLaterError(f"no answer ({code}: {details})", pause) from error
    raise StagetraceError(
        f"export to {url}: it answered {code}: {details}; look whether this is an OTLP endpoint, "
        "for gRPC usually port 4317"
    ) from error


def _grpc_sender(
    address: urllib.parse.SplitResult, longest_s: float
) -> tuple[Send, Callable[[], None]]:
    import grpc  # type: ignore[import-untyped] # ships no types
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2_grpc import TraceServiceStub

    if address.scheme == "https":
        channel = grpc.secure_channel(address.netloc, grpc.ssl_channel_credentials())
    else:
        channel = grpc.insecure_channel(address.netloc)
    stub = TraceServiceStub(channel)  # type: ignore[no-untyped-call] # generated code

    def send(request: ExportTraceServiceRequest, timeout_s: float | None = None) -> int:
        try:
            response = stub.Export(request, timeout=timeout_s or longest_s)
        except grpc.RpcError as error:
            _refuse_call(error, address.geturl())
        return int(response.partial_success.rejected_spans)

    return send, channel.close


def requests_of(
    spans: Iterable[StoredSpan], content: bool
) -> Iterator[tuple[ExportTraceServiceRequest, int]]:
    """Requests below the limit, each with its number of spans."""
    waiting: list[tuple[StoredSpan, Span]] = []
    size = 0
    for span in spans:
        encoded = _fitting(span, content)
        more = encoded.ByteSize() + 16
        if waiting and size + more > REQUEST_BYTES - _ROOM:
            yield _request(waiting), len(waiting)
            waiting, size = [], 0
        waiting.append((span, encoded))
        size += more
    if waiting:
        yield _request(waiting), len(waiting)


def _fitting(span: StoredSpan, content: bool) -> Span:
    """The span with its values cut far enough that it fits into one request."""
    limit = EXPORT_VALUE_BYTES
    encoded = _proto_span(span, content, limit)
    while encoded.ByteSize() > REQUEST_BYTES - 2 * _ROOM and limit > 64:
        limit //= 4
        encoded = _proto_span(span, content, limit)
    return encoded


def _request(spans: list[tuple[StoredSpan, Span]]) -> ExportTraceServiceRequest:
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    request = ExportTraceServiceRequest()
    scopes: dict[tuple[str, str], Any] = {}
    for span, encoded in spans:
        place = (json_text(span.resource), span.scope)
        if place not in scopes:
            group = request.resource_spans.add()
            group.resource.attributes.extend(_pairs(span.resource, True, EXPORT_VALUE_BYTES))
            scoped = group.scope_spans.add()
            scoped.scope.name = span.scope
            if span.scope == SCOPE:
                scoped.schema_url = SCHEMA_URL
            scopes[place] = scoped
        scopes[place].spans.append(encoded)
    return request


def _proto_span(span: StoredSpan, content: bool, limit: int) -> Span:
    from opentelemetry.proto.trace.v1.trace_pb2 import Span

    out = Span(
        trace_id=bytes.fromhex(span.trace_id),
        span_id=bytes.fromhex(span.span_id),
        parent_span_id=bytes.fromhex(span.parent_id),
        name=span.name,
        kind=span.kind,  # type: ignore[arg-type] # the numbers are OTLP's own
        start_time_unix_nano=span.started_ns,
        end_time_unix_nano=span.ended_ns or 0,
        attributes=_pairs(span.attributes, content, limit),
    )
    for event in span.events:
        out.events.add(
            name=event.name,
            time_unix_nano=event.time_ns,
            attributes=_pairs(event.attributes, content, limit),
        )
    for link in span.links:
        out.links.add(
            trace_id=bytes.fromhex(link.trace_id),
            span_id=bytes.fromhex(link.span_id),
            attributes=_pairs(link.attributes, content, limit),
        )
    if span.status:
        out.status.code = span.status  # type: ignore[assignment] # as above
        if content:
            out.status.message = cut(span.status_message, limit)[0]
    return out


def _pairs(attributes: Mapping[str, Value], content: bool, limit: int) -> list[KeyValue]:
    from opentelemetry.proto.common.v1.common_pb2 import KeyValue

    pairs = []
    for key, value in attributes.items():
        if not content and is_content(key, value):
            continue
        if isinstance(value, str):
            text, mark = cut(value, limit)
            pairs.append(KeyValue(key=key, value=_any(text)))
            if mark is not None and f"{key}.truncated" not in attributes:
                pairs.append(KeyValue(key=f"{key}.truncated", value=_any(mark)))
        else:
            pairs.append(KeyValue(key=key, value=_any(value)))
    return pairs


def _any(value: Value) -> AnyValue:
    from opentelemetry.proto.common.v1.common_pb2 import (
        AnyValue,
        ArrayValue,
        KeyValue,
        KeyValueList,
    )

    if value is None:
        return AnyValue()
    if isinstance(value, str):
        return AnyValue(string_value=value)
    if isinstance(value, bool):
        return AnyValue(bool_value=value)
    if isinstance(value, int) and value in _INT64:
        return AnyValue(int_value=value)
    if isinstance(value, float):
        return AnyValue(double_value=value)
    if isinstance(value, bytes):
        return AnyValue(bytes_value=value)
    if isinstance(value, list | tuple):
        return AnyValue(array_value=ArrayValue(values=[_any(item) for item in value]))
    if isinstance(value, Mapping):
        pairs = [KeyValue(key=str(key), value=_any(item)) for key, item in value.items()]
        return AnyValue(kvlist_value=KeyValueList(values=pairs))
    return AnyValue(string_value=json_text(value))
