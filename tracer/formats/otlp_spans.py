"""OTLP trace data as JSON to spans: typed in one pass, and piece by piece where a line is odd.

Source:
    opentelemetry-proto `docs/specification.md` (JSON encoding); the ways that real writers break it
    (base64 ids, names of enumerations, snake_case keys, fields before 0.19) are read and noted.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from tracer.attributes import IDENTITY, LINE_CRC, RUN_ID
from tracer.formats.report import Report
from tracer.records import Json
from tracer.stored import StoredEvent, StoredLink, StoredSpan, Value

_TRACE_ID: Final = re.compile("[0-9a-f]{32}").fullmatch
_HEX: Final = re.compile("[0-9a-f]*").fullmatch
_ZEROS: Final = ("0" * 32, "0" * 16)


class _Values(msgspec.Struct, gc=False):
    values: list[_Any] = []


class _Pairs(msgspec.Struct, gc=False):
    values: list[_Pair] = []


class _Any(msgspec.Struct, gc=False, rename="camel"):
    """An OTLP `AnyValue`."""

    string_value: str | None = None
    bool_value: bool | None = None
    int_value: int | str | None = None
    double_value: float | str | None = None
    bytes_value: str | None = None
    array_value: _Values | None = None
    kvlist_value: _Pairs | None = None


class _Pair(msgspec.Struct, gc=False):
    key: str
    value: _Any | None = None


class _Event(msgspec.Struct, gc=False, rename="camel"):
    name: str | None = None
    time_unix_nano: int | str | None = None
    attributes: list[_Pair] | None = None


class _Link(msgspec.Struct, gc=False, rename="camel"):
    trace_id: str | None = None
    span_id: str | None = None
    attributes: list[_Pair] | None = None


class _Status(msgspec.Struct, gc=False):
    code: int | None = None
    message: str | None = None


class _Span(msgspec.Struct, gc=False, rename="camel"):
    trace_id: str | None = None
    span_id: str | None = None
    parent_span_id: str | None = None
    name: str | None = None
    kind: int | None = None
    start_time_unix_nano: int | str | None = None
    end_time_unix_nano: int | str | None = None
    attributes: list[_Pair] | None = None
    events: list[_Event] | None = None
    links: list[_Link] | None = None
    status: _Status | None = None
    dropped_attributes_count: int | str | None = None
    dropped_events_count: int | str | None = None
    dropped_links_count: int | str | None = None


class _Scope(msgspec.Struct, gc=False):
    name: str | None = None


class _Scoped(msgspec.Struct, gc=False):
    spans: list[_Span] | None = None
    scope: _Scope | None = None


class _Resource(msgspec.Struct, gc=False):
    attributes: list[_Pair] | None = None


class _Group(msgspec.Struct, gc=False, rename="camel"):
    resource: _Resource | None = None
    scope_spans: list[_Scoped] | None = None
    instrumentation_library_spans: msgspec.Raw | None = None


class _Line(msgspec.Struct, gc=False, rename="camel"):
    resource_spans: list[_Group]


_decode_line: Final = msgspec.json.Decoder(_Line).decode


NO_CRC: Final = "00000000"
CRC_PREFIX: Final = (
    b'{"resourceSpans":[{"resource":{"attributes":[{"key":"%s","value":{"stringValue":"'
    % LINE_CRC.encode()
)
"""How a line of our store begins: its checksum comes first, so that it is found without parsing."""


def is_damaged(line: bytes) -> bool:
    """Whether a line of our store is not as it was written; other lines have no checksum."""
    if not line.startswith(CRC_PREFIX):
        return False
    start = len(CRC_PREFIX)
    rest = memoryview(line)[start + len(NO_CRC) : len(line) - line.endswith(b"\n")]
    crc = zlib.crc32(rest, zlib.crc32(CRC_PREFIX + NO_CRC.encode()))
    return line[start : start + len(NO_CRC)] != b"%08x" % crc


def typed_spans(line: bytes, report: Report) -> list[StoredSpan] | None:
    """The spans of a line that keeps the rules; None for one that has to be read piece by piece."""
    try:
        groups = _decode_line(line).resource_spans
    except (msgspec.ValidationError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    if any(group.scope_spans is None or _is_snake(group.scope_spans) for group in groups):
        return None
    spans: list[StoredSpan] = []
    for group in groups:
        resource, identity = _resource(group.resource, report)
        for scoped in group.scope_spans or ():
            scope = (scoped.scope and scoped.scope.name) or ""
            good = _good_ids(scoped.spans or ())
            for span in scoped.spans or ():
                stored = _stored(span, resource, identity, scope, report, good)
                if stored is not None:
                    spans.append(stored)
    return spans


def _is_snake(scopes: Sequence[_Scoped]) -> bool:
    """Whether the first span has no id under its name: then it stands under another one."""
    return any(scoped.spans and scoped.spans[0].trace_id is None for scoped in scopes)


def recognises(record: Json) -> bool:
    """Whether a JSON value is OTLP trace data, in any of the ways it is written."""
    return isinstance(record, dict) and ("resourceSpans" in record or "resource_spans" in record)


def loose_spans(record: Mapping[str, Json], report: Report) -> Iterator[StoredSpan]:
    """The spans of OTLP trace data that breaks rules; what cannot be used is left out and noted."""
    if "resourceSpans" not in record:
        report.warn("snake_case_keys")
        record = _camel(record)
    for group in _objects(record.get("resourceSpans")):
        resource, identity = _resource(_converted(group.get("resource"), _Resource, report), report)
        scopes = group.get("scopeSpans")
        if scopes is None and "instrumentationLibrarySpans" in group:
            report.warn("legacy_field")
            scopes = group["instrumentationLibrarySpans"]
        elif scopes is None and "scope_spans" in group:
            report.warn("snake_case_keys")
            scopes = [_camel(scoped) for scoped in _objects(group["scope_spans"])]
        for scoped in _objects(scopes):
            named = scoped.get("scope") or scoped.get("instrumentationLibrary")
            scope = _converted(named, _Scope, report)
            for data in _objects(scoped.get("spans")):
                span = _loose_span(data, report)
                if span is None:
                    continue
                stored = _stored(span, resource, identity, scope.name or "", report, False)
                if stored is not None:
                    yield stored


def _objects(value: Json) -> Iterator[dict[str, Json]]:
    for item in value if isinstance(value, list) else ():
        if isinstance(item, dict):
            yield item


def _converted(value: Json, kind: type[Any], report: Report) -> Any:
    if not isinstance(value, dict):
        return kind()
    if "attributes" in value:
        value = {**value, "attributes": _loose_pairs(value["attributes"], report)}
    try:
        return msgspec.convert(value, kind)
    except (msgspec.ValidationError, RecursionError):
        return kind()


def _loose_span(data: dict[str, Json], report: Report) -> _Span | None:
    if "trace_id" in data or "span_id" in data:
        report.warn("snake_case_keys")
        data = _camel(data)
    data = dict(data)
    for key in ("attributes",):
        data[key] = _loose_pairs(data.get(key), report)
    for key in ("events", "links"):
        data[key] = [
            {**item, "attributes": _loose_pairs(item.get("attributes"), report)}
            for item in _objects(data.get(key))
        ]
    if not isinstance(data.get("status"), dict):
        data.pop("status", None)
    _named_numbers(data, report)
    try:
        return msgspec.convert(data, _Span)
    except (msgspec.ValidationError, RecursionError) as error:
        span_id = data.get("spanId")
        report.skipped += 1
        report.warn(
            "span_skipped",
            f"a span cannot be read ({error})",
            span_id=span_id if isinstance(span_id, str) else "",
        )
        return None


_KINDS: Final = {
    name: number
    for number, name in enumerate(
        ("UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER")
    )
}
_CODES: Final = {"UNSET": 0, "OK": 1, "ERROR": 2}
_INTEGERS: Final = (
    "startTimeUnixNano",
    "endTimeUnixNano",
    "droppedAttributesCount",
    "droppedEventsCount",
    "droppedLinksCount",
)


def _named_numbers(data: dict[str, Json], report: Report) -> None:
    """Put numbers where names of enumerations or floats stand."""
    kind = data.get("kind")
    if isinstance(kind, str):
        report.warn("enum_name")
        data["kind"] = _KINDS.get(kind.upper().removeprefix("SPAN_KIND_"), 0)
    status = data.get("status")
    if status and isinstance(status.get("code"), str):
        report.warn("enum_name")
        code = status["code"].upper().removeprefix("STATUS_CODE_")
        data["status"] = {**status, "code": _CODES.get(code, 0)}
    for key in _INTEGERS:
        if isinstance(data.get(key), float):
            data[key] = _whole_number(data[key])


def _loose_pairs(entries: Json, report: Report) -> list[Json]:
    """The entries that are a key with a value; the others are noted."""
    good: list[Json] = []
    for entry in entries if isinstance(entries, list) else ():
        try:
            msgspec.convert(entry, _Pair)
            good.append(entry)
        except (msgspec.ValidationError, RecursionError) as error:
            report.warn("attr_unreadable", f"an attribute is left out ({error})")
    return good


_SNAKE: Final = re.compile(r"_([a-z])")


def _camel(value: Json) -> Any:
    """The value with its keys in lowerCamelCase."""
    if isinstance(value, dict):
        return {
            _SNAKE.sub(lambda found: found[1].upper(), key): _camel(item)
            for key, item in value.items()
        }
    return [_camel(item) for item in value] if isinstance(value, list) else value


def _resource(
    resource: _Resource | None, report: Report
) -> tuple[dict[str, Value], dict[str, Value]]:
    pairs = (resource and resource.attributes) or ()
    attributes = _attributes(pairs, report)
    attributes.pop(LINE_CRC, None)
    identity = {key: attributes.pop(key) for key in IDENTITY if key in attributes}
    if RUN_ID in identity:
        report.runs.add(str(identity[RUN_ID]))
    return attributes, identity


def _good_ids(spans: Sequence[_Span]) -> bool:
    """Whether all ids are written as they should be: far cheaper than to look at each by itself."""
    traces = {span.trace_id for span in spans}
    ids = {span.span_id for span in spans}
    if None in traces or None in ids:
        return False
    ids.update(span.parent_span_id for span in spans)
    ids -= {"", None}
    return all(map(_is_trace_id, traces)) and _are_span_ids(ids)


def _is_trace_id(text: Any) -> bool:
    return text != _ZEROS[0] and _TRACE_ID(text) is not None


def _are_span_ids(texts: set[Any]) -> bool:
    if _ZEROS[1] in texts or not set(map(len, texts)) <= {16}:
        return False
    return _HEX("".join(texts)) is not None


def _stored(
    span: _Span,
    resource: Mapping[str, Value],
    identity: Mapping[str, Value],
    scope: str,
    report: Report,
    good: bool,
) -> StoredSpan | None:
    report.spans += 1
    trace_id, span_id = span.trace_id or "", span.span_id or ""
    parent = span.parent_span_id or ""
    if not good:
        trace_id, span_id = _id(trace_id, 16, report), _id(span_id, 8, report)
        parent = _parent(parent, report)
    if not trace_id or not span_id:
        report.skipped += 1
        missing = "trace" if not trace_id else "span"
        shown = span.trace_id if not trace_id else span.span_id
        report.warn(
            "span_skipped",
            f"a span is left out: its {missing} id is {shown!r}"[:200],
            span_id=span.span_id or "",
        )
        return None
    attributes = _attributes(span.attributes or (), report)
    if identity:
        attributes = {**identity, **attributes}
    if RUN_ID in attributes:
        report.runs.add(str(attributes[RUN_ID]))
    started, ended = span.start_time_unix_nano, span.end_time_unix_nano
    try:
        started_ns = int(started or 0)
        ended_ns = int(ended or 0)
    except ValueError:
        started_ns, ended_ns = _whole_number(started or 0), _whole_number(ended or 0)
    status = span.status
    # By position: this is where readers spend their time.
    return StoredSpan(
        trace_id,
        span_id,
        span.name or "",
        parent,
        span.kind or 0,
        started_ns,
        ended_ns or None,
        attributes,
        tuple(_event(event, report) for event in span.events) if span.events else (),
        _links(span.links, report) if span.links else (),
        0 if status is None else status.code or 0,
        "" if status is None else status.message or "",
        resource,
        scope,
        0
        if span.dropped_attributes_count is None
        and span.dropped_events_count is None
        and span.dropped_links_count is None
        else _dropped(span),
    )


def _dropped(span: _Span) -> int:
    lost = span.dropped_attributes_count, span.dropped_events_count, span.dropped_links_count
    return sum(max(0, _whole_number(count or 0)) for count in lost)


def _event(event: _Event, report: Report) -> StoredEvent:
    attributes = _attributes(event.attributes or (), report)
    return StoredEvent(event.name or "", _whole_number(event.time_unix_nano or 0), attributes)


def _links(links: Sequence[_Link], report: Report) -> tuple[StoredLink, ...]:
    found = []
    for link in links:
        trace_id, span_id = _id(link.trace_id or "", 16, report), _id(link.span_id or "", 8, report)
        if trace_id and span_id:
            attributes = _attributes(link.attributes or (), report)
            found.append(StoredLink(trace_id, span_id, attributes))
        else:
            report.warn("attr_unreadable", "a link without usable ids is left out")
    return tuple(found)


def _parent(value: str, report: Report) -> str:
    """The parent's id; one that is no id still names a parent that is not there."""
    if not value.strip("0"):
        return ""
    return _id(value, 8, report) or hashlib.sha256(value.encode()).hexdigest()[:16]


def _id(value: str, size: int, report: Report) -> str:
    """An id in lower-case hexadecimal; empty when it is none."""
    text = value.lower()
    if len(text) == size * 2:
        try:
            raw = bytes.fromhex(text)
        except ValueError:
            return ""
        return raw.hex() if len(raw) == size and any(raw) else ""
    if len(value) in ((22, 24) if size == 16 else (11, 12)):
        try:
            raw = base64.b64decode(value + "=" * (-len(value) % 4), validate=True)
        except (binascii.Error, ValueError):
            return ""
        if len(raw) == size and any(raw):
            report.warn("id_base64")
            return raw.hex()
    return ""


def _whole_number(value: float | str) -> int:
    """The integer that a number or its text gives; 0 for what is none."""
    try:
        return int(value)
    except (ValueError, OverflowError):
        return 0


def _attributes(pairs: Sequence[_Pair], report: Report) -> dict[str, Value]:
    """Attributes by key; of a key that stands twice the first value counts."""
    try:
        found = {
            pair.key: text
            if (text := pair.value.string_value) is not None  # type: ignore[union-attr] # as caught
            else _value(pair.value, report)  # type: ignore[arg-type] # as caught
            for pair in pairs
        }
    except AttributeError:  # one has no value at all
        found = {pair.key: pair.value and _value(pair.value, report) for pair in pairs}
    if len(found) < len(pairs):
        twice = len(pairs) - len(found)
        report.warn("attr_duplicate_key", count=twice)
        found = {}
        for pair in pairs:
            found.setdefault(pair.key, None if pair.value is None else _value(pair.value, report))
    return found


def _value(value: _Any, report: Report) -> Value:
    if value.string_value is not None:
        return value.string_value
    if (number := value.int_value) is not None:
        try:
            return int(number)
        except ValueError:
            report.warn("attr_unreadable", f"{str(number)[:40]!r} is no whole number")
            return None
    if value.double_value is not None:
        return _double_value(value.double_value, report)
    if value.bool_value is not None:
        return value.bool_value
    if value.array_value is not None:
        return [_value(item, report) for item in value.array_value.values]
    if value.kvlist_value is not None:
        return _attributes(value.kvlist_value.values, report)
    if value.bytes_value is not None:
        try:
            return base64.b64decode(value.bytes_value)
        except (binascii.Error, ValueError):
            report.warn("attr_unreadable", "a value in base64 cannot be read")
    return None


def _double_value(value: float | str, report: Report) -> float | None:
    if isinstance(value, float):
        return value
    try:
        return float(value)
    except ValueError:
        report.warn("attr_unreadable", f"{value[:40]!r} is no number")
        return None
