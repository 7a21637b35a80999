"""Spans written to files as OTLP JSON: lines, or one object that Jaeger's upload takes.

Source:
    opentelemetry-proto `docs/specification.md` (JSON encoding); jaegertracing/jaeger-ui takes one
    object with `resourceSpans` and refuses empty ids.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any, Final

import msgspec

from tracer.attributes import SCHEMA_URL, SCOPE, is_content
from tracer.errors import StoreError
from tracer.formats.otlp_json import encode_value
from tracer.limits import EXPORT_VALUE_BYTES, TEXT_BYTES, cut, json_text
from tracer.stored import StoredSpan, Value

_LINE_SPANS: Final = 512
_LINE_BYTES: Final = 4 * 2**20
UPLOAD_BYTES: Final = 50 * 2**20
"""Jaeger's page has been seen to refuse larger files."""


def write_otlp_json(path: Path, spans: Iterable[StoredSpan], *, content: bool = True) -> int:
    """Write OTLP JSON lines, at most 512 spans and about 4 MiB a line; gives the number of spans.

    Raises:
        StoreError: The file cannot be written.
    """
    count = 0
    with _replacing(path) as file:
        for batch in _batches(spans, content):
            count += len(batch)
            file.write(msgspec.json.encode({"resourceSpans": _groups(batch)}) + b"\n")
    return count


def write_jaeger_json(path: Path, spans: Iterable[StoredSpan], *, content: bool = True) -> int:
    """Write one OTLP JSON object for Jaeger's upload; gives the number of spans.

    Raises:
        StoreError: The file cannot be written.
    """
    count = 0
    with _replacing(path) as file:
        file.write(b'{"resourceSpans":[')
        for batch in _batches(spans, content):
            groups = b",".join(msgspec.json.encode(group) for group in _groups(batch))
            file.write((b"," if count else b"") + groups)
            count += len(batch)
        file.write(b"]}\n")
    return count


class _replacing:  # noqa: N801 - used like a function
    """The file opened beside its place, and put there when all of it is written."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._part = path.with_name(f".{path.name}.{os.getpid()}.part")

    def __enter__(self) -> IO[bytes]:
        try:
            fd = os.open(self._part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise self._failed(error) from error
        self._file = os.fdopen(fd, "wb")
        return self._file

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        try:
            self._file.close()
            if error is None:
                self._part.replace(self._path)
                return
        except OSError as failed:
            error = failed
        self._part.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise self._failed(error) from error

    def _failed(self, error: OSError) -> StoreError:
        return StoreError(
            f"{self._path}: cannot be written ({error.strerror or error}); make room or name "
            "another file"
        )


_Encoded = tuple[StoredSpan, dict[str, Any]]


def _batches(spans: Iterable[StoredSpan], content: bool) -> Iterator[list[_Encoded]]:
    batch: list[_Encoded] = []
    size = 0
    for span in spans:
        data = json_span(span, content=content)
        more = sum(len(str(value)) for value in span.attributes.values())
        if batch and (len(batch) == _LINE_SPANS or size + more > _LINE_BYTES):
            yield batch
            batch, size = [], 0
        batch.append((span, data))
        size += more
    if batch:
        yield batch


def _groups(batch: list[_Encoded]) -> list[dict[str, Any]]:
    """The spans below their resources and scopes."""
    resources: dict[str, dict[str, Any]] = {}
    scopes: dict[tuple[str, str], dict[str, Any]] = {}
    for span, data in batch:
        resource = json_text(span.resource)
        if resource not in resources:
            resources[resource] = {
                "resource": {"attributes": _pairs(span.resource, True)},
                "scopeSpans": [],
            }
        scoped = scopes.get((resource, span.scope))
        if scoped is None:
            scoped = {"scope": {"name": span.scope} if span.scope else {}, "spans": []}
            if span.scope == SCOPE:
                scoped["schemaUrl"] = SCHEMA_URL
            scopes[resource, span.scope] = scoped
            resources[resource]["scopeSpans"].append(scoped)
        scoped["spans"].append(data)
    return list(resources.values())


def json_span(span: StoredSpan, *, content: bool = True) -> dict[str, Any]:
    """The OTLP JSON form of a span; empty fields are left out, as the encoding has it."""
    data: dict[str, Any] = {"traceId": span.trace_id, "spanId": span.span_id}
    if span.parent_id:
        data["parentSpanId"] = span.parent_id
    data |= {"name": cut(span.name, TEXT_BYTES)[0], "kind": span.kind}
    data["startTimeUnixNano"] = str(span.started_ns)
    if span.ended_ns is not None:
        data["endTimeUnixNano"] = str(span.ended_ns)
    data["attributes"] = _pairs(span.attributes, content)
    if span.events:
        data["events"] = [
            {
                "name": cut(event.name, TEXT_BYTES)[0],
                "timeUnixNano": str(event.time_ns),
                "attributes": _pairs(event.attributes, content),
            }
            for event in span.events
        ]
    if span.links:
        data["links"] = [
            {
                "traceId": link.trace_id,
                "spanId": link.span_id,
                "attributes": _pairs(link.attributes, content),
            }
            for link in span.links
        ]
    if span.dropped:
        data["droppedAttributesCount"] = span.dropped
    if span.status:
        data["status"] = {"code": span.status}
        if content and span.status_message:
            data["status"]["message"] = cut(span.status_message, TEXT_BYTES)[0]
    return data


def _pairs(attributes: Mapping[str, Value], content: bool) -> list[dict[str, Any]]:
    pairs: list[dict[str, Any]] = []
    for key, value in attributes.items():
        if not content and is_content(key, value):
            continue
        mark = None
        if isinstance(value, str):
            value, mark = cut(value, EXPORT_VALUE_BYTES)
        pairs.append({"key": key, "value": encode_value(value)})
        if mark is not None and f"{key}.truncated" not in attributes:
            pairs.append({"key": f"{key}.truncated", "value": {"stringValue": mark}})
    return pairs
