"""A span as it is read back from a store, whoever wrote it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import msgspec

Value: TypeAlias = Any
"""An attribute value: str, bool, int, float, bytes, None, list or dict of these."""

INTERNAL = 1
CLIENT = 3
STATUS_UNSET = 0
STATUS_OK = 1
STATUS_ERROR = 2


class StoredEvent(msgspec.Struct, frozen=True, gc=False):
    """One event of a span."""

    name: str
    time_ns: int
    attributes: Mapping[str, Value] = msgspec.field(default_factory=dict)


class StoredLink(msgspec.Struct, frozen=True, gc=False):
    """A link to another span."""

    trace_id: str
    span_id: str
    attributes: Mapping[str, Value] = msgspec.field(default_factory=dict)


# Readers make 100,000 a second, and a dataclass takes three times as long to make, a frozen one
# eight times. None is left to the garbage collector, since spans never stand in a cycle.
class StoredSpan(msgspec.Struct, gc=False):
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
    attributes: Mapping[str, Value] = msgspec.field(default_factory=dict)
    """Identity included, also where it stood once on the line's resource."""
    events: tuple[StoredEvent, ...] = ()
    links: tuple[StoredLink, ...] = ()
    status: int = STATUS_UNSET
    status_message: str = ""
    resource: Mapping[str, Value] = msgspec.field(default_factory=dict)
    """Resource attributes without identity."""
    scope: str = ""
    dropped: int = 0
    """Attributes, events and links that its writer says it dropped."""
