"""Our own Parquet files to spans.

Source:
    Ours: the columns of `tracer/columns.py`; attributes, events, links and resource are JSON text,
    in which `{"$bytes": base64}` and `{"$float": name}` stand for what JSON cannot hold.
"""

from __future__ import annotations

import base64
import io
import math
from collections.abc import Iterator
from typing import IO, Any, Final

import msgspec

from tracer.attributes import RUN_ID
from tracer.formats.report import Report
from tracer.limits import float_name, json_text
from tracer.registry import missing_extra
from tracer.stored import StoredEvent, StoredLink, StoredSpan, Value

FORMAT: Final = 1
"""Version of the columns."""
TEXTS: Final = ("attributes", "resource", "events", "links")
"""Columns of JSON text."""
_READ: Final = (
    *("trace_id", "span_id", "parent_id", "name", "span_kind", "status", "start_ns", "end_ns"),
    *("scope", "status_message", "dropped", *TEXTS),
)
"""Columns that make a span; what the others hold stands in these too."""
_PLAIN: Final = (str, int, bool, type(None))


def text_of_values(value: Value) -> str:
    """Values as JSON text that gives the same values back."""
    return json_text(_tagged(value))


def _tagged(value: Value) -> Value:
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"$float": float_name(value)}
    if isinstance(value, bytes):
        return {"$bytes": base64.b64encode(value).decode()}
    if isinstance(value, dict):
        return {key: _tagged(item) for key, item in value.items()}
    return [_tagged(item) for item in value] if isinstance(value, list | tuple) else value


def values_of_text(text: str | None) -> Any:
    """The values of a text; None for none."""
    if text is None:
        return None
    values = msgspec.json.decode(text)
    # Few texts hold a tag, and to look for one costs far less than to walk through all.
    return _untagged(values) if '"$' in text else values


def _untagged(value: Value) -> Value:
    if isinstance(value, dict):
        if len(value) == 1:
            if isinstance(value.get("$float"), str):
                return float(value["$float"])
            if isinstance(value.get("$bytes"), str):
                return base64.b64decode(value["$bytes"])
            if isinstance(value.get("$int"), str):
                return int(value["$int"], 0)
        return {key: _untagged(item) for key, item in value.items()}
    return [_untagged(item) for item in value] if isinstance(value, list) else value


def parquet_spans(file: IO[bytes], report: Report) -> Iterator[StoredSpan]:
    """The spans of a Parquet file that stagetrace wrote.

    Raises:
        TraceFormatError: It is damaged, or another program's.
        MissingExtraError: pyarrow is not installed.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise missing_extra("pyarrow", "analysis", "reading Parquet files") from None
    try:
        source = file if file.seekable() else io.BytesIO(file.read())
        parquet = pq.ParquetFile(source)
    except (pa.ArrowInvalid, OSError) as error:
        report.refuse("unknown_format", f"the Parquet file is damaged ({error})")
    metadata = parquet.schema_arrow.metadata or {}
    version = metadata.get(b"stagetrace.format", b"").decode()
    if version != str(FORMAT):
        report.refuse(
            "unknown_format",
            f"columns of version {version}, this program reads {FORMAT}; make them anew"
            if version
            else "the Parquet file is none of ours; export it to OTLP JSON lines first",
        )
    try:
        for batch in parquet.iter_batches(batch_size=2048, columns=list(_READ)):
            for row in zip(*(batch.column(name).to_pylist() for name in _READ), strict=True):
                report.spans += 1
                span = _span(*row)
                if RUN_ID in span.attributes:
                    report.runs.add(str(span.attributes[RUN_ID]))
                yield span
    except (pa.ArrowInvalid, pa.ArrowException, OSError, msgspec.DecodeError, ValueError) as error:
        report.bad_line("bad_json_line", f"the Parquet file is damaged ({error})")


def _span(
    trace_id: bytes,
    span_id: bytes,
    parent_id: bytes | None,
    name: str,
    kind: int,
    status: int,
    started_ns: int | None,
    ended_ns: int | None,
    scope: str | None,
    status_message: str | None,
    dropped: int | None,
    *texts: str | None,
) -> StoredSpan:
    """A span of its values in the order of `_READ`."""
    attributes, resource, events, links = map(values_of_text, texts)
    return StoredSpan(
        trace_id=trace_id.hex(),
        span_id=span_id.hex(),
        parent_id=parent_id.hex() if parent_id else "",
        name=name,
        kind=kind,
        started_ns=started_ns or 0,
        ended_ns=ended_ns,
        attributes=attributes or {},
        events=tuple(StoredEvent(*event) for event in events or ()),
        links=tuple(StoredLink(*link) for link in links or ()),
        status=status,
        status_message=status_message or "",
        resource=resource or {},
        scope=scope or "",
        dropped=dropped or 0,
    )
