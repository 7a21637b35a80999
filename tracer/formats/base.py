"""What a format of traces is, and the registry of those whose records are JSON values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, TypeAlias

from tracer.formats.report import Report
from tracer.records import Json
from tracer.registry import Registry
from tracer.stored import StoredSpan

Spans: TypeAlias = Callable[[Json, Report], Iterator[StoredSpan]]


@dataclass(frozen=True, slots=True)
class JsonFormat:
    """A format whose records are JSON values; recognised by what is in them, never by a name."""

    title: str
    """How it is named in messages."""
    recognises: Callable[[Json], bool]
    spans: Spans


FORMATS: Final[Registry[JsonFormat]] = Registry("trace format", "tracer.formats")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def nanoseconds(value: Json) -> int | None:
    """Nanoseconds since 1970 of an ISO time; None for what is none.

    Example:
        >>> nanoseconds("1970-01-01T00:00:01.000002Z")
        1000002000
    """
    if not isinstance(value, str):
        return None
    try:
        time = datetime.fromisoformat(value)
    except ValueError:
        return None
    time = time if time.tzinfo is not None else time.replace(tzinfo=UTC)
    return (time - _EPOCH) // timedelta(microseconds=1) * 1000
