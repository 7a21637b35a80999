"""OTLP JSON lines: what the store writes, and the reader of it.

Source:
    opentelemetry-proto `docs/specification.md` (JSON encoding) and opentelemetry-specification
    `protocol/file-exporter.md` (one JSON value a line).
"""

from __future__ import annotations

import base64
import gzip
import math
import warnings
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import msgspec

from tracer.attributes import IDENTITY, SCHEMA_URL, SCOPE
from tracer.errors import TraceFormatError
from tracer.limits import VALUE_BYTES, Snapshot, clean, cut, float_name, json_text
from tracer.stored import StoredEvent, StoredLink, StoredSpan, Value

_INT64 = range(-(2**63), 2**63)
_IDENTITY = frozenset(IDENTITY)


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


def encode_line(resource: Mapping[str, Value], spans: list[dict[str, Any]], version: str) -> bytes:
    """One complete line, line end included."""
    line = {
        "resourceSpans": [
            {
                "resource": {"attributes": encode_attributes(resource)},
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
    return msgspec.json.encode(line) + b"\n"


def read_file(path: Path, *, strict: bool = False) -> Iterator[StoredSpan]:
    """The spans of a file of OTLP JSON lines, gzip or not, in the order of the file.

    A damaged line is named in a warning and left out; the rest is read.

    Raises:
        TraceFormatError: The file cannot be opened, or `strict` and a line is damaged.
    """
    try:
        with _open(path) as lines:
            for number, line in enumerate(lines, 1):
                if not line.strip():
                    continue
                try:
                    yield from decode_line(line)
                except ValueError as error:
                    cause = f"{path}:{number}: {_what(line, error)}"
                    if strict:
                        raise TraceFormatError(
                            f"{cause}; cut the line off or read without strict"
                        ) from error
                    warnings.warn(f"{cause}; the line is left out", stacklevel=2)
    except OSError as error:
        raise TraceFormatError(
            f"{path}: cannot be read ({error.strerror or error}); name a run folder or a file of "
            "OTLP JSON lines"
        ) from error


def _open(path: Path) -> IO[bytes] | gzip.GzipFile:
    with path.open("rb") as file:
        magic = file.read(2)
    return gzip.GzipFile(path) if magic == b"\x1f\x8b" else path.open("rb")


def _what(line: bytes, error: ValueError) -> str:
    torn = "" if line.endswith(b"\n") else "the last line is torn: "
    return f"{torn}{error}"


def decode_line(line: bytes) -> list[StoredSpan]:
    """The spans of one line.

    Raises:
        ValueError: The line is no JSON, or no OTLP trace data.
    """
    try:
        data = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"no JSON ({error})") from error
    groups = data.get("resourceSpans") if isinstance(data, dict) else None
    if not isinstance(groups, list):
        raise ValueError("no OTLP trace data (no list `resourceSpans`)")
    spans: list[StoredSpan] = []
    try:
        for group in groups:
            attributes = decode_attributes((group.get("resource") or {}).get("attributes") or ())
            identity = {key: attributes.pop(key) for key in IDENTITY if key in attributes}
            for scoped in group.get("scopeSpans") or ():
                scope = (scoped.get("scope") or {}).get("name", "")
                for span in scoped.get("spans") or ():
                    spans.append(_span(span, attributes, identity, scope))
    except (AttributeError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"no OTLP trace data ({type(error).__name__}: {error})") from error
    return spans


def _span(
    data: Mapping[str, Any],
    resource: Mapping[str, Value],
    identity: Mapping[str, Value],
    scope: str,
) -> StoredSpan:
    attributes = {**identity, **decode_attributes(data.get("attributes") or ())}
    status = data.get("status") or {}
    end = int(data.get("endTimeUnixNano") or 0)
    return StoredSpan(
        trace_id=_id(data.get("traceId"), 32, "traceId"),
        span_id=_id(data.get("spanId"), 16, "spanId"),
        parent_id=_id(parent, 16, "parentSpanId") if (parent := data.get("parentSpanId")) else "",
        name=data.get("name", ""),
        kind=int(data.get("kind", 0)),
        started_ns=int(data.get("startTimeUnixNano") or 0),
        ended_ns=end or None,
        attributes=attributes,
        events=tuple(
            StoredEvent(
                event.get("name", ""),
                int(event.get("timeUnixNano") or 0),
                decode_attributes(event.get("attributes") or ()),
            )
            for event in data.get("events") or ()
        ),
        links=tuple(
            StoredLink(
                _id(link.get("traceId"), 32, "link traceId"),
                _id(link.get("spanId"), 16, "link spanId"),
                decode_attributes(link.get("attributes") or ()),
            )
            for link in data.get("links") or ()
        ),
        status=int(status.get("code") or 0),
        status_message=status.get("message", ""),
        resource=resource,
        scope=scope,
        dropped=sum(
            int(data.get(key) or 0)
            for key in ("droppedAttributesCount", "droppedEventsCount", "droppedLinksCount")
        ),
    )


def _id(value: object, digits: int, what: str) -> str:
    if isinstance(value, str) and len(value) == digits:
        try:
            int(value, 16)
        except ValueError:
            pass
        else:
            return value.lower()
    raise ValueError(f"{what} {value!r} is not {digits} hexadecimal digits")


def decode_attributes(entries: Iterable[Mapping[str, Any]]) -> dict[str, Value]:
    """Attributes by key; of a key that stands twice the last value counts."""
    return {entry["key"]: decode_value(entry.get("value") or {}) for entry in entries}


def decode_value(value: Mapping[str, Any]) -> Value:
    """The value that an OTLP `AnyValue` holds; None for an empty one."""
    for kind, inner in value.items():
        if kind == "stringValue":
            return inner
        if kind == "boolValue":
            return bool(inner)
        if kind == "intValue":
            return int(inner)
        if kind == "doubleValue":
            return float(inner)
        if kind == "bytesValue":
            return base64.b64decode(inner)
        if kind == "arrayValue":
            return [decode_value(item) for item in inner.get("values") or ()]
        if kind == "kvlistValue":
            return decode_attributes(inner.get("values") or ())
    return None


def latest(spans: Iterable[StoredSpan]) -> list[StoredSpan]:
    """The spans with each id once: finished beats unfinished, then the later end."""
    best: dict[str, StoredSpan] = {}
    for span in spans:
        other = best.get(span.span_id)
        if other is None or (span.ended_ns or 0) > (other.ended_ns or 0):
            best[span.span_id] = span
    return list(best.values())
