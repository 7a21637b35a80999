"""Zipkin's JSON, version 2: a list of spans, all tags texts, times in microseconds.

Source:
    openzipkin/zipkin-api `zipkin2-api.yaml`; OpenTelemetry's own rules for what its exporters write
    (`otel.status_code`, `error`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tracer.formats.base import FORMATS, JsonFormat
from tracer.formats.jaeger_json import hex_id, listed, micro, skip
from tracer.formats.report import Report
from tracer.records import Json
from tracer.stored import STATUS_ERROR, STATUS_OK, StoredEvent, StoredSpan, Value

_KINDS: Final = {"CLIENT": 3, "SERVER": 2, "PRODUCER": 4, "CONSUMER": 5}


def _is_span(one: Json) -> bool:
    return isinstance(one, dict) and "traceId" in one and "id" in one and "spanId" not in one


def _recognises(record: Json) -> bool:
    if isinstance(record, list):
        return bool(record) and _is_span(record[0])
    return _is_span(record)


def _spans(record: Json, report: Report) -> Iterator[StoredSpan]:
    for data in record if isinstance(record, list) else [record]:
        report.spans += 1
        span = _span(data, report)
        if span is not None:
            yield span


def _span(data: Json, report: Report) -> StoredSpan | None:
    if not isinstance(data, dict):
        skip(report, data, "it is no object")
        return None
    trace_id, span_id = hex_id(data.get("traceId"), 32), hex_id(data.get("id"), 16)
    if not trace_id or not span_id:
        skip(report, data, "it has no usable id")
        return None
    tags = data.get("tags")
    attributes: dict[str, Value] = {
        key: listed(key, value) for key, value in (tags if isinstance(tags, dict) else {}).items()
    }
    code, failed = attributes.get("otel.status_code"), attributes.get("error")
    status = STATUS_OK if code == "OK" else 0
    if code == "ERROR" or (code is None and failed not in (None, "false")):
        status = STATUS_ERROR
    started = micro(data.get("timestamp"))
    duration = data.get("duration")
    return StoredSpan(
        trace_id=trace_id,
        span_id=span_id,
        name=str(data.get("name") or ""),
        parent_id=hex_id(data.get("parentId"), 16),
        kind=_KINDS.get(str(data.get("kind")), 1),
        started_ns=started,
        ended_ns=None if duration is None else started + micro(duration),
        attributes=attributes,
        events=tuple(
            StoredEvent(str(note.get("value") or ""), micro(note.get("timestamp")))
            for note in data.get("annotations") or ()
            if isinstance(note, dict)
        ),
        status=status,
        status_message=failed if isinstance(failed, str) and failed != "true" else "",
        resource=_endpoint(data.get("localEndpoint")),
        scope=str(attributes.get("otel.scope.name") or ""),
    )


def _endpoint(endpoint: Json) -> dict[str, Value]:
    name = endpoint.get("serviceName") if isinstance(endpoint, dict) else None
    return {} if name is None else {"service.name": name}


FORMATS.add("zipkin-json")(JsonFormat("Zipkin JSON", _recognises, _spans))
