"""A span as it is read back from a store, whoever wrote it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

Value: TypeAlias = Any
"""An attribute value: str, bool, int, float, bytes, None, list or dict of these."""

INTERNAL = 1
CLIENT = 3
STATUS_UNSET = 0
STATUS_OK = 1
STATUS_ERROR = 2


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """One event of a span."""

    name: str
    time_ns: int
    attributes: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StoredLink:
    """A link to another span."""

    trace_id: str
    span_id: str
    attributes: Mapping[str, Value] = field(default_factory=dict)


# Not frozen: making a frozen one costs three times as much, and readers make 100,000 a second.
@dataclass(slots=True)
class StoredSpan:
    """One span, never changed; ids are lower-case hexadecimal, times nanoseconds since 1970."""

    trace_id: str
    span_id: str
    name: str
    parent_id: str = ""
    """Empty at a root."""
    kind: int = INTERNAL
    """As OTLP numbers it: 1 internal, 2 server, 3 client, 4 producer, 5 consumer."""
    started_ns: int = 0
    ended_ns: int | None = None
    attributes: Mapping[str, Value] = field(default_factory=dict)
    """Identity included, also where it stood once on the line's resource."""
    events: tuple[StoredEvent, ...] = ()
    links: tuple[StoredLink, ...] = ()
    status: int = STATUS_UNSET
    status_message: str = ""
    resource: Mapping[str, Value] = field(default_factory=dict)
    """Resource attributes without identity."""
    scope: str = ""
    dropped: int = 0
    """Attributes, events and links that its writer says it dropped."""
