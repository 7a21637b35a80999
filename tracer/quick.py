"""A few attributes of every span, as fast as lines can be parsed.

For questions over large files that need no folded trace: how many calls, how long, which documents.
Nothing is deduplicated, joined or translated. A line that breaks a rule goes through the full
reader, so nothing is lost that it can read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final, TypeAlias

import msgspec

from tracer.formats.reading import line_spans, read_file
from tracer.formats.report import Report
from tracer.formats.source import Limits, open_source
from tracer.stored import StoredSpan, Value

Row: TypeAlias = tuple[str, str, int, int, dict[str, Value]]
"""Trace id, span id, start and end in ns (0: no end), and the attributes asked for."""


class _Values(msgspec.Struct, gc=False):
    values: list[_Value] = []


class _Value(msgspec.Struct, gc=False, rename="camel"):
    string_value: str | None = None
    int_value: int | str | None = None
    double_value: float | str | None = None
    bool_value: bool | None = None
    array_value: _Values | None = None


class _Pair(msgspec.Struct, gc=False):
    key: str
    value: _Value


class _Span(msgspec.Struct, gc=False, rename="camel"):
    trace_id: str
    span_id: str
    start_time_unix_nano: int | str
    attributes: list[_Pair]
    end_time_unix_nano: int | str = 0


class _Scoped(msgspec.Struct, gc=False):
    spans: list[_Span]


class _Resource(msgspec.Struct, gc=False):
    attributes: list[_Pair] = []


class _Group(msgspec.Struct, gc=False, rename="camel"):
    scope_spans: list[_Scoped]
    resource: _Resource | None = None


class _Line(msgspec.Struct, gc=False, rename="camel"):
    resource_spans: list[_Group]


_BROKEN: Final = (msgspec.ValidationError, msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def scan(path: Path | str, wanted: Collection[str], report: Report | None = None) -> Iterator[Row]:
    """Each span of a file with the attributes that are asked for.

    Args:
        path: A file of traces, of any form; OTLP JSON lines are the fast case.
        wanted: Keys of attributes, of the span or its resource.
        report: Where findings are noted.

    Raises:
        TraceFormatError: It cannot be read.
    """
    report = report or Report()
    keys = frozenset(wanted)
    decode = msgspec.json.Decoder(_Line).decode
    with open_source(path, report, Limits()) as file:
        if file.peek(1)[:1] != b"{":
            yield from _slowly(path, keys, report)
            return
        for number, line in enumerate(file, 1):
            try:
                groups = decode(line).resource_spans
            except _BROKEN:
                if number == 1:
                    yield from _slowly(path, keys, report)
                    return
                yield from _piecewise(line, keys, report, str(path), number)
                continue
            report.lines += 1
            for group in groups:
                shared = {}
                if group.resource is not None:
                    shared = {
                        pair.key: _plain(pair.value)
                        for pair in group.resource.attributes
                        if pair.key in keys
                    }
                for scoped in group.scope_spans:
                    for span in scoped.spans:
                        found = dict(shared) if shared else {}
                        for pair in span.attributes:
                            if pair.key in keys:
                                value = pair.value
                                text = value.string_value
                                found[pair.key] = text if text is not None else _plain(value)
                        yield (
                            span.trace_id,
                            span.span_id,
                            int(span.start_time_unix_nano),
                            int(span.end_time_unix_nano),
                            found,
                        )


def _plain(value: _Value) -> Value:
    if value.string_value is not None:
        return value.string_value
    if value.int_value is not None:
        return int(value.int_value)
    if value.double_value is not None:
        return float(value.double_value)
    if value.array_value is not None:
        return [_plain(item) for item in value.array_value.values]
    return value.bool_value


def _slowly(path: Path | str, keys: frozenset[str], report: Report) -> Iterator[Row]:
    for span in read_file(path, report):
        yield _row(span, keys)


def _piecewise(
    line: bytes, keys: frozenset[str], report: Report, name: str, number: int
) -> Iterator[Row]:
    report.at(name, number)
    for span in line_spans(line, name, report):
        yield _row(span, keys)


def _row(span: StoredSpan, keys: frozenset[str]) -> Row:
    given = {**span.resource, **span.attributes}
    return (
        span.trace_id,
        span.span_id,
        span.started_ns,
        span.ended_ns or 0,
        {key: given[key] for key in keys & given.keys()},
    )
