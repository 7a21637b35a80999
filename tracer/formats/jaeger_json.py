"""Jaeger's JSON: what its query API answers and its page downloads.

Source:
    jaegertracing/jaeger `model/json/model.go`: microseconds, references, typed tags.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from tracer.attributes import ATTRIBUTES
from tracer.formats.base import FORMATS, JsonFormat
from tracer.formats.report import Report
from tracer.limits import whole_number
from tracer.records import Json
from tracer.stored import STATUS_ERROR, STATUS_OK, StoredEvent, StoredSpan, Value

_KINDS: Final = {"internal": 1, "server": 2, "client": 3, "producer": 4, "consumer": 5}
_LISTS: Final = frozenset(key for key, one in ATTRIBUTES.items() if one.type.endswith("[]"))
"""Of our attributes those that hold a list, which Jaeger and Zipkin give as JSON text."""


def _recognises(record: Json) -> bool:
    if not isinstance(record, dict):
        return False
    data = record.get("data")
    if isinstance(data, list):
        # A search that found nothing is an answer too.
        return (bool(data) or {"total", "errors"} <= record.keys()) and all(
            isinstance(one, dict) and "spans" in one for one in data
        )
    return "traceID" in record and ("spans" in record or "operationName" in record)


def _spans(record: Mapping[str, Json], report: Report) -> Iterator[StoredSpan]:
    for trace in record.get("data", [record]):
        processes = trace.get("processes")
        spans = trace.get("spans", [trace])
        for data in spans if isinstance(spans, list) else ():
            report.spans += 1
            span = _span(data, processes if isinstance(processes, dict) else {}, report)
            if span is not None:
                yield span


def hex_id(value: Json, digits: int) -> str:
    """An id padded on the left, in lower case; empty when it is none."""
    text = value.lower().rjust(digits, "0") if isinstance(value, str) and value else ""
    if len(text) != digits or not text.strip("0"):
        return ""
    try:
        return bytes.fromhex(text).hex()
    except ValueError:
        return ""


def skip(report: Report, data: Json, why: str) -> None:
    """Note a span that cannot be used."""
    report.skipped += 1
    name = data.get("name", data.get("operationName", "")) if isinstance(data, dict) else data
    report.warn("span_skipped", f"a span is left out: {why} ({name!r})"[:200])


def micro(value: Json) -> int:
    """Nanoseconds of a time in microseconds; 0 for what is no number."""
    if isinstance(value, str):
        value = whole_number(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0
    try:
        return int(value) * 1000
    except (ValueError, OverflowError):
        return 0


def _span(data: Json, processes: Mapping[str, Json], report: Report) -> StoredSpan | None:
    if not isinstance(data, dict):
        skip(report, data, "it is no object")
        return None
    trace_id, span_id = hex_id(data.get("traceID"), 32), hex_id(data.get("spanID"), 16)
    if not trace_id or not span_id:
        skip(report, data, "it has no usable id")
        return None
    attributes = _tags(data.get("tags"), report)
    status, message = _status(attributes)
    started = micro(data.get("startTime"))
    duration = data.get("duration")
    return StoredSpan(
        trace_id=trace_id,
        span_id=span_id,
        name=str(data.get("operationName") or ""),
        parent_id=_parent(data, trace_id),
        kind=_KINDS.get(str(attributes.get("span.kind")), 0),
        started_ns=started,
        ended_ns=None if duration is None else started + micro(duration),
        attributes=attributes,
        events=tuple(
            _event(log, report) for log in data.get("logs") or () if isinstance(log, dict)
        ),
        status=status,
        status_message=message,
        resource=_process(data, processes, report),
        scope=str(attributes.get("otel.scope.name") or attributes.get("otel.library.name") or ""),
    )


def _parent(data: Mapping[str, Json], trace_id: str) -> str:
    """The first CHILD_OF reference of the same trace, else the first FOLLOWS_FROM."""
    found: dict[str, str] = {}
    references = data.get("references")
    for reference in references if isinstance(references, list) else ():
        if isinstance(reference, dict) and hex_id(reference.get("traceID"), 32) == trace_id:
            found.setdefault(str(reference.get("refType")), hex_id(reference.get("spanID"), 16))
    if "CHILD_OF" in found:
        return found["CHILD_OF"]
    return found.get("FOLLOWS_FROM") or hex_id(data.get("parentSpanID"), 16)


def _tags(tags: Json, report: Report) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for tag in tags if isinstance(tags, list) else ():
        if not isinstance(tag, dict) or not isinstance(tag.get("key"), str):
            report.warn("attr_unreadable", "a tag is no key and value")
        elif tag["key"] in found:
            report.warn("attr_duplicate_key")
        else:
            found[tag["key"]] = listed(tag["key"], _typed(tag.get("type"), tag.get("value")))
    return found


def listed(key: str, value: Value) -> Value:
    """The value of an attribute; the list that it was where its text is one."""
    if key not in _LISTS or not isinstance(value, str):
        return value
    try:
        found = msgspec.json.decode(value)
    except (msgspec.DecodeError, RecursionError):
        return value
    return found if isinstance(found, list) else value


def _typed(kind: Json, value: Json) -> Value:
    try:
        if kind == "int64" and isinstance(value, str):
            return int(value)
        if kind == "float64" and isinstance(value, int | str) and not isinstance(value, bool):
            return float(value)
        if kind == "bool" and isinstance(value, str):
            return value == "true"
    except ValueError:
        return value
    return value


def _status(attributes: Mapping[str, Value]) -> tuple[int, str]:
    code = attributes.get("otel.status_code")
    message = str(attributes.get("otel.status_description") or "")
    if code == "ERROR" or (code is None and attributes.get("error") in (True, "true")):
        return STATUS_ERROR, message
    return (STATUS_OK if code == "OK" else 0), message


def _event(log: Mapping[str, Json], report: Report) -> StoredEvent:
    fields = _tags(log.get("fields"), report)
    name = fields.pop("event", fields.pop("message", ""))
    return StoredEvent(str(name), micro(log.get("timestamp")), fields)


def _process(
    data: Mapping[str, Json], processes: Mapping[str, Json], report: Report
) -> dict[str, Value]:
    process = data.get("process") or processes.get(str(data.get("processID")))
    if not isinstance(process, dict):
        return {}
    return {"service.name": process.get("serviceName"), **_tags(process.get("tags"), report)}


FORMATS.add("jaeger-json")(JsonFormat("Jaeger JSON", _recognises, _spans))
