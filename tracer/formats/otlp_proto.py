"""OTLP trace data as protobuf: one message, or records behind their lengths.

Source:
    opentelemetry-proto `trace.proto`; opentelemetry-collector-contrib `exporter/fileexporter`
    (`format: proto` or compression: a big-endian 32-bit length before each record).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import IO, Any, Final

from tracer.attributes import IDENTITY, RUN_ID
from tracer.formats.report import Report
from tracer.formats.source import Limits, unpack_record
from tracer.stored import StoredEvent, StoredLink, StoredSpan, Value

_RESOURCE_SPANS: Final = 0x0A
_PACKED: Final = (b"\x28\xb5\x2f\xfd", b"\x1f\x8b")
_LONGEST: Final = 2**30


def framing(head: bytes) -> str:
    """How the records of a file are framed, by its first bytes; empty when it is none of ours.

    `message`, `big` (32-bit big-endian length), `little` (the same turned round) or `varint`.
    """
    if len(head) > 1 and head[0] == _RESOURCE_SPANS and head[1:2] not in b"\r\n {[":
        return "message"
    for name, form in (("big", ">I"), ("little", "<I")):
        if len(head) > 5 and _begins(head[4:]) and 2 < struct.unpack(form, head[:4])[0] < _LONGEST:
            return name
    size, at = _varint(head)
    return "varint" if at and size > 2 and _begins(head[at:]) else ""


def _begins(record: bytes) -> bool:
    return record[:1] == b"\n" or record.startswith((*_PACKED, b"{"))


def _varint(head: bytes) -> tuple[int, int]:
    value = 0
    for at, byte in enumerate(head[:5]):
        value |= (byte & 0x7F) << (7 * at)
        if byte < 0x80:
            return value, at + 1
    return 0, 0


def records(file: IO[bytes], how: str, report: Report, limits: Limits) -> Iterator[bytes]:
    """The records of a file, unpacked where a Collector packed them; a torn last one is noted."""
    if how == "message":
        yield file.read()
        return
    number = 0
    while True:
        number += 1
        report.at(report.file, number)
        size = _size(file, how)
        if size is None:
            return
        if size > _LONGEST:
            report.refuse("limit_exceeded", f"a record of {size} bytes (limit {_LONGEST})")
        data = file.read(size)
        if len(data) < size:
            report.bad_line("truncated_line", f"the last record is torn ({len(data)} of {size})")
            return
        yield unpack_record(data, report, limits)


def _size(file: IO[bytes], how: str) -> int | None:
    if how in ("big", "little"):
        data = file.read(4)
        form = ">I" if how == "big" else "<I"
        return int(struct.unpack(form, data)[0]) if len(data) == 4 else None
    raw = b""
    while byte := file.read(1):
        raw += byte
        if byte[0] < 0x80 or len(raw) == 5:
            return _varint(raw)[0]
    return None


def message_spans(data: bytes, report: Report) -> Iterator[StoredSpan]:
    """The spans of one `TracesData` or `ExportTraceServiceRequest`."""
    from google.protobuf.message import (  # type: ignore[import-untyped] # ships no types
        DecodeError,
    )
    from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

    message = TracesData()
    try:
        message.ParseFromString(data)
    except DecodeError as error:
        report.bad_line("bad_json_line", f"a record is no OTLP protobuf message ({error})")
        return
    for group in message.resource_spans:
        resource = _attributes(group.resource.attributes, report)
        identity = {key: resource.pop(key) for key in IDENTITY if key in resource}
        for scoped in group.scope_spans:
            for span in scoped.spans:
                stored = _span(span, resource, identity, scoped.scope.name, report)
                if stored is not None:
                    yield stored


def _span(
    span: Any, resource: dict[str, Value], identity: dict[str, Value], scope: str, report: Report
) -> StoredSpan | None:
    report.spans += 1
    if not _usable(span.trace_id, 16) or not _usable(span.span_id, 8):
        report.skipped += 1
        report.warn("span_skipped", f"a span is left out: it has no usable id ({span.name!r})")
        return None
    attributes = {**identity, **_attributes(span.attributes, report)}
    if RUN_ID in attributes:
        report.runs.add(str(attributes[RUN_ID]))
    return StoredSpan(
        trace_id=span.trace_id.hex(),
        span_id=span.span_id.hex(),
        parent_id=span.parent_span_id.hex() if any(span.parent_span_id) else "",
        name=span.name,
        kind=span.kind,
        started_ns=span.start_time_unix_nano,
        ended_ns=span.end_time_unix_nano or None,
        attributes=attributes,
        events=tuple(
            StoredEvent(event.name, event.time_unix_nano, _attributes(event.attributes, report))
            for event in span.events
        ),
        links=tuple(
            StoredLink(
                link.trace_id.hex(), link.span_id.hex(), _attributes(link.attributes, report)
            )
            for link in span.links
        ),
        status=span.status.code,
        status_message=span.status.message,
        resource=resource,
        scope=scope,
        dropped=span.dropped_attributes_count
        + span.dropped_events_count
        + span.dropped_links_count,
    )


def _usable(raw: bytes, size: int) -> bool:
    return len(raw) == size and any(raw)


def _attributes(pairs: Any, report: Report) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for pair in pairs:
        if pair.key in found:
            report.warn("attr_duplicate_key")
        else:
            found[pair.key] = _value(pair.value, report)
    return found


def _value(value: Any, report: Report) -> Value:
    kind = value.WhichOneof("value")
    if kind is None:
        return None
    if kind == "array_value":
        return [_value(item, report) for item in value.array_value.values]
    if kind == "kvlist_value":
        return _attributes(value.kvlist_value.values, report)
    return getattr(value, kind)
