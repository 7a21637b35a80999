"""What a convention is, and how a span's foreign attributes become ours before it is folded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final, TypeAlias

from msgspec.structs import replace

from tracer.attributes import SCOPE
from tracer.records import Json
from tracer.registry import Registry
from tracer.stored import StoredSpan, Value

Extra: TypeAlias = dict[str, Value]
"""Attributes under our names. JSON values may stand as they are instead of as text."""

FAILED: Final = "stagetrace.reading.failed"
"""Set by a convention that marks failures otherwise than by the span's status; the text of it."""
FROM_EVENT: Final = "stagetrace.reading.from_event"
"""True where the messages of a model call stood in span events."""


@dataclass(frozen=True, slots=True)
class Convention:
    """One way of naming what an agent does."""

    heads: frozenset[str]
    """First parts of the attribute keys it is known by; () stands for events too."""
    translate: Callable[[StoredSpan], Extra]
    rank: int = 1
    """Of two conventions on one span the higher one's words count."""


CONVENTIONS: Final[Registry[Convention]] = Registry("trace convention", "tracer.conventions")


@cache
def _ranked() -> tuple[Convention, ...]:
    return tuple(sorted(map(CONVENTIONS.get, CONVENTIONS.names()), key=lambda one: one.rank))


def translated(span: StoredSpan) -> StoredSpan:
    """The span with what foreign conventions say added under our names; ours stay as they are."""
    if span.scope == SCOPE:
        return span
    heads = {key.partition(".")[0] for key in span.attributes}
    if span.events:
        heads.add("event")
    extra: Extra = {}
    for convention in _ranked():
        if convention.heads & heads:
            extra.update(convention.translate(span))
    return replace(span, attributes={**span.attributes, **extra}) if extra else span


def without_none(extra: Mapping[str, Json]) -> Extra:
    """The attributes that say something."""
    return {key: value for key, value in extra.items() if value is not None}
