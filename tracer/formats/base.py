"""What a format of traces is, and the registry of those whose records are JSON values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
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
