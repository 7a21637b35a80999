"""OTLP JSON lines: what the store writes.

Source:
    opentelemetry-proto `docs/specification.md` (JSON encoding) and opentelemetry-specification
    `protocol/file-exporter.md` (one JSON value a line).
"""

from __future__ import annotations

import base64
import math
import zlib
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from tracer.attributes import LINE_CRC, SCHEMA_URL, SCOPE
from tracer.errors import TraceFormatError
from tracer.formats.json_text import read_json
from tracer.formats.otlp_spans import CRC_PREFIX, NO_CRC, loose_spans, recognises, typed_spans
from tracer.formats.report import Report
from tracer.limits import VALUE_BYTES, Snapshot, clean, cut, float_name, json_text, plain
from tracer.stored import StoredSpan, Value

_INT64 = range(-(2**63), 2**63)


def encode_attributes(attributes: Mapping[str, Value]) -> list[dict[str, Any]]:
    """The OTLP form of attributes; a text that was mended or cut gets a sibling that says so."""
    out: list[dict[str, Any]] = []
    for key, value in attributes.items():
        if isinstance(value, Snapshot):
            value = value.text()
        if isinstance(value, str):
            text, replaced = clean(str.__str__(value))
            text, mark = cut(text, VALUE_BYTES)
            out.append({"key": key, "value": {"stringValue": text}})
            if replaced:
                out.append({"key": f"{key}.replaced", "value": {"intValue": str(replaced)}})
            if mark is not None:
                out.append({"key": f"{key}.truncated", "value": {"stringValue": mark}})
        else:
            out.append({"key": key, "value": encode_value(value)})
    return out


def encode_value(value: Value) -> dict[str, Any]:
    """The OTLP `AnyValue` of one value; what OTLP has no type for becomes JSON text."""
    if isinstance(value, str):
        return {"stringValue": clean(str.__str__(value))[0]}
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)} if value in _INT64 else {"stringValue": json_text(value)}
    if isinstance(value, float):
        return {"doubleValue": value if math.isfinite(value) else float_name(value)}
    if isinstance(value, bytes):
        return {"bytesValue": base64.b64encode(value).decode()}
    if isinstance(value, tuple | list):
        return {"arrayValue": {"values": [encode_value(item) for item in value]}}
    if value is None:
        return {}
    return {"stringValue": json_text(value)}


def encode_resource(resource: Mapping[str, Value]) -> msgspec.Raw:
    """The resource of a line, for several lines alike."""
    return msgspec.Raw(msgspec.json.encode(encode_attributes({LINE_CRC: NO_CRC, **resource})))


def encode_line(
    resource: Mapping[str, Value] | msgspec.Raw, spans: list[dict[str, Any]], version: str
) -> bytes:
    """One complete line, line end included, with a checksum so that no damage goes unseen."""
    raw = resource if isinstance(resource, msgspec.Raw) else encode_resource(resource)
    line = {
        "resourceSpans": [
            {
                "resource": {"attributes": raw},
                "scopeSpans": [
                    {
                        "scope": {"name": SCOPE, "version": version},
                        "spans": spans,
                        "schemaUrl": SCHEMA_URL,
                    }
                ],
            }
        ]
    }
    data = msgspec.json.encode(line)
    start = len(CRC_PREFIX)
    return b"%s%08x%s\n" % (CRC_PREFIX, zlib.crc32(data), data[start + len(NO_CRC) :])


def decode_line(line: bytes) -> list[StoredSpan]:
    """The spans of one line that the store wrote.

    Raises:
        ValueError: The line is no JSON, or no OTLP trace data.
    """
    report = Report(strict=True)
    try:
        spans = typed_spans(line, report)
        if spans is None:
            record = read_json(line, report)
            if not recognises(record):
                raise ValueError("no OTLP trace data (no list `resourceSpans`)")
            spans = list(loose_spans(record, report))
    except TraceFormatError as error:
        raise ValueError(str(error)) from error
    return spans


def latest(spans: Iterable[StoredSpan]) -> list[StoredSpan]:
    """The spans with each id once: finished beats unfinished, then the later end.

    Of two that are alike in this the smaller canonical JSON text counts, so that the order of lines
    and files changes nothing.
    """
    spans = list(spans)
    if len({span.span_id for span in spans}) == len(spans):
        return spans
    best: dict[tuple[str, str], StoredSpan] = {}
    for span in spans:
        key = (span.trace_id, span.span_id)
        other = best.get(key)
        if other is None or better(span, other):
            best[key] = span
    return list(best.values())


def better(one: StoredSpan, other: StoredSpan) -> bool:
    """Whether the first of two spans of one id is the one that counts."""
    ends = (one.ended_ns or 0, other.ended_ns or 0)
    if ends[0] != ends[1]:
        return ends[0] > ends[1]
    return one != other and canonical(one) < canonical(other)


def canonical(span: StoredSpan) -> str:
    """A span as JSON text with sorted keys: equal texts, equal spans."""
    return msgspec.json.encode(plain(msgspec.to_builtins(span)), order="sorted").decode()
