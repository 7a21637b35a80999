"""Phoenix's JSON: a page of spans as its REST API answers.

Phoenix keeps ids, parents, names, attributes, events and the status. It keeps neither resources,
scopes nor links, and times to the microsecond.

Source:
    Arize-ai/phoenix 20.26 `server/api/routers/v1/spans.py`, `/v1/projects/NAME/spans`;
    `trace/attributes.py`: attributes that hold a JSON object as text come back flattened.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from tracer import attributes as names
from tracer.formats.base import FORMATS, JsonFormat, nanoseconds
from tracer.formats.jaeger_json import hex_id, skip
from tracer.formats.report import Report
from tracer.limits import json_text
from tracer.records import Json
from tracer.stored import STATUS_ERROR, STATUS_OK, StoredEvent, StoredSpan, Value

_OBJECTS: Final = ("tool.parameters", "metadata", "llm.prompt_template.variables")
"""Attributes that Phoenix takes apart, and that are JSON text again once they are read."""
_CODES: Final = {"OK": STATUS_OK, "ERROR": STATUS_ERROR}


def _recognises(record: Json) -> bool:
    data = record.get("data") if isinstance(record, dict) else None
    if not isinstance(data, list):
        return False
    # A project without spans answers an empty page, which holds its cursor all the same.
    return all(map(_is_span, data)) and (bool(data) or "next_cursor" in record)


def _is_span(one: Json) -> bool:
    if not isinstance(one, dict):
        return False
    context = one.get("context")
    return isinstance(context, dict) and "trace_id" in context and "span_kind" in one


def _spans(record: Mapping[str, Json], report: Report) -> Iterator[StoredSpan]:
    for data in record["data"]:
        report.spans += 1
        span = _span(data, report)
        if span is not None:
            yield span


def _span(data: Mapping[str, Json], report: Report) -> StoredSpan | None:
    context = data["context"]
    trace_id, span_id = hex_id(context.get("trace_id"), 32), hex_id(context.get("span_id"), 16)
    if not trace_id or not span_id:
        skip(report, data, "it has no usable id")
        return None
    given = data.get("attributes")
    attributes = _whole(given) if isinstance(given, dict) else {}
    kind = data.get("span_kind")
    if isinstance(kind, str) and kind != "UNKNOWN":
        attributes.setdefault(names.SPAN_KIND, kind)
    if names.RUN_ID in attributes:
        report.runs.add(str(attributes[names.RUN_ID]))
    return StoredSpan(
        trace_id=trace_id,
        span_id=span_id,
        name=str(data.get("name") or ""),
        parent_id=hex_id(data.get("parent_id"), 16),
        started_ns=nanoseconds(data.get("start_time")) or 0,
        ended_ns=nanoseconds(data.get("end_time")),
        attributes=attributes,
        events=tuple(
            StoredEvent(
                str(event.get("name") or ""),
                nanoseconds(event.get("timestamp")) or 0,
                event["attributes"] if isinstance(event.get("attributes"), dict) else {},
            )
            for event in data.get("events") or ()
            if isinstance(event, dict)
        ),
        status=_CODES.get(str(data.get("status_code")), 0),
        status_message=str(data.get("status_message") or ""),
    )


def _whole(given: Mapping[str, Json]) -> dict[str, Value]:
    """The attributes with what was taken apart put together.

    A key with a dot in it cannot be told from two keys, and comes back as two.
    """
    found: dict[str, Value] = {}
    parts: dict[str, dict[str, Json]] = {}
    for key, value in given.items():
        base = next((one for one in _OBJECTS if key.startswith(f"{one}.")), None)
        if base is None:
            found[key] = value
        else:
            _put(parts.setdefault(base, {}), key[len(base) + 1 :].split("."), value)
    for base, entries in parts.items():
        found.setdefault(base, json_text(_listed(entries)))
    return found


def _put(into: dict[str, Json], keys: list[str], value: Json) -> None:
    for key in keys[:-1]:
        inner = into.setdefault(key, {})
        if not isinstance(inner, dict):
            break
        into = inner
    into[keys[-1]] = value


def _listed(value: Json) -> Json:
    """Objects whose keys count from 0 as lists, all the way down."""
    if not isinstance(value, dict):
        return value
    whole = {key: _listed(item) for key, item in value.items()}
    if whole and list(whole) == [str(number) for number in range(len(whole))]:
        return list(whole.values())
    return whole


FORMATS.add("phoenix-json")(JsonFormat("Phoenix JSON", _recognises, _spans))
