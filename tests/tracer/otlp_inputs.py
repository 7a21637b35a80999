"""Small traces in every form that the reader takes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tracer.export_json import json_span
from tracer.stored import StoredSpan

TRACE = "5b8efff798038103d269b633813fc60c"


def span(number: int, parent: int = 0, trace: str = TRACE, **fields: Any) -> StoredSpan:
    fields.setdefault("started_ns", 1_000_000 * number)
    fields.setdefault("ended_ns", 1_000_000 * number + 500)
    return StoredSpan(
        trace,
        f"{number:016x}",
        fields.pop("name", f"s{number}"),
        f"{parent:016x}" if parent else "",
        **fields,
    )


def tool(number: int, parent: int = 1, arguments: Any = '{"q": 1}', **fields: Any) -> StoredSpan:
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search"}
    if arguments is not None:
        attributes["gen_ai.tool.call.arguments"] = arguments
    return span(number, parent, attributes=attributes, **fields)


def line(*spans: StoredSpan, service: str = "app") -> bytes:
    """One OTLP JSON line."""
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": service}}]}
    scoped = [{"scope": {"name": "x"}, "spans": [json_span(one) for one in spans]}]
    group = {"resource": resource, "scopeSpans": scoped}
    return json.dumps({"resourceSpans": [group]}).encode() + b"\n"


def write(path: Path, *lines: bytes) -> Path:
    path.write_bytes(b"".join(lines))
    return path
