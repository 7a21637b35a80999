"""Any input of traces to spans: what it is, is told by its content and never by its name."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Final

from tracer.formats import otlp_proto
from tracer.formats.address import shown
from tracer.formats.base import FORMATS
from tracer.formats.json_text import BadJsonError, read_documents, read_json
from tracer.formats.otlp_spans import is_damaged, loose_spans, recognises, typed_spans
from tracer.formats.report import Report
from tracer.formats.source import STDIN, Limits, open_source
from tracer.records import Json
from tracer.stored import StoredSpan

_BOM: Final = b"\xef\xbb\xbf"
_PEEKED_LINES: Final = 8
_OTHERS: Final = (
    (("resourceLogs", "resource_logs"), "OTLP logs"),
    (("resourceMetrics", "resource_metrics"), "OTLP metrics"),
    (("object", "choices"), "an answer of a model endpoint"),
)


def read_file(
    path: Path | str,
    report: Report | None = None,
    *,
    strict: bool = False,
    limits: Limits | None = None,
) -> Iterator[StoredSpan]:
    """The spans of one input in its order: a file, or standard input for `-`.

    Every span is given that can be read, also those of the same id; what was left out is in the
    report.

    Args:
        path: The file; packed with gzip or zstd or not.
        report: Where findings are noted; without one, damaged lines are Python warnings.
        strict: Without a report: make the first finding an error.
        limits: Where to stop.

    Raises:
        TraceFormatError: It cannot be opened, holds no traces, or meets a limit.
    """
    own = report is None
    report = Report(strict=strict) if report is None else report
    seen = len(report.findings)
    for spans in read_records(path, report, limits=limits):
        yield from spans
        if own and len(report.findings) > seen:
            seen = _say(report, seen)
    if own:
        _say(report, seen)


def read_records(
    path: Path | str, report: Report, *, limits: Limits | None = None
) -> Iterator[Iterable[StoredSpan]]:
    """As `read_file`, the spans of one line or record at a time.

    Raises:
        TraceFormatError: As `read_file`.
    """
    limits = limits or Limits()
    name = "standard input" if str(path) == STDIN else shown(path)
    report.at(name)
    before = report.spans
    with open_source(path, report, limits) as file:
        yield from _records(file, name, report, limits)
    report.at(name)
    if report.spans == before and not report.formats[name]:
        report.refuse(
            "unknown_format",
            "there is no trace in it; name a run folder or a file of OTLP, Jaeger or Zipkin traces",
        )


def _say(report: Report, seen: int) -> int:
    """Pass findings on as Python warnings, for callers that keep no report."""
    import warnings

    for finding in report.findings[seen:]:
        if finding.kind in _SAID:
            end = "" if finding.kind in _KEPT else "; the line is left out"
            warnings.warn(f"{finding.place}: {finding.text}{end}", UserWarning, stacklevel=3)
    return len(report.findings)


_KEPT: Final = frozenset({"truncated_gzip", "checksum_mismatch", "span_skipped"})
_SAID: Final = _KEPT | {"truncated_line", "bad_json_line", "nested_too_deep"}


def _records(
    file: io.BufferedReader, name: str, report: Report, limits: Limits
) -> Iterator[Iterable[StoredSpan]]:
    head = file.peek(64)[:64]
    if head.startswith(_BOM):
        file.read(len(_BOM))
        head = head[len(_BOM) :]
    if not head:
        report.formats[name] += 1
        report.warn("empty_input")
        return
    if head.startswith(b"PAR1"):
        from tracer.formats.parquet import parquet_spans

        report.formats[name] += 1
        yield parquet_spans(file, report)
        return
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        report.refuse("unknown_format", "the text is UTF-16; save it as UTF-8")
    if head.startswith(b"PK\x03\x04"):
        from tracer.formats.inspect_log import archive_spans

        report.formats[name] += 1
        yield archive_spans(file, report, limits)
        return
    how = otlp_proto.framing(head)
    if how and not head.lstrip().startswith((b"{", b"[")):
        report.formats[name] += 1
        for record in otlp_proto.records(file, how, report, limits):
            if record.startswith(b"{"):
                yield line_spans(record, name, report)
            else:
                yield otlp_proto.message_spans(record, report)
        return
    yield from _json_records(file, name, report, limits)


def _json_records(
    file: IO[bytes], name: str, report: Report, limits: Limits
) -> Iterator[Iterable[StoredSpan]]:
    """The spans of JSON lines, or of JSON values that stretch over lines."""
    before = report.spans
    taken = _peek(file, limits, report)
    if _are_lines(taken):
        for number, line in enumerate(_lines(taken, file, limits, report), 1):
            report.at(name, number)
            yield line_spans(line, name, report)
    else:
        data = b"".join(taken) + file.read(limits.document_bytes)
        if len(data) > limits.document_bytes:
            report.refuse(
                "limit_exceeded", f"more than {limits.document_bytes} bytes (limit document_bytes)"
            )
        yield _document_spans(data, name, report)
    report.at(name)
    if report.spans == before and not report.bad_lines and report.formats[name]:
        report.warn("empty_input")


def _peek(file: IO[bytes], limits: Limits, report: Report) -> list[bytes]:
    """The first lines, up to some that hold anything."""
    taken: list[bytes] = []
    held = 0
    while held < _PEEKED_LINES and (line := file.readline(limits.line_bytes)):
        taken.append(line)
        _check_line(line, limits, report)
        held += bool(line.strip())
        if held == 1 and line.strip() and _is_record(line):
            break
    return taken


def _check_line(line: bytes, limits: Limits, report: Report) -> None:
    if len(line) >= limits.line_bytes and not line.endswith(b"\n"):
        report.refuse(
            "limit_exceeded", f"a line of more than {limits.line_bytes} bytes (limit line_bytes)"
        )


def _are_lines(taken: list[bytes]) -> bool:
    """Whether the lines are records by themselves, and not pieces of one that is laid out."""
    held = [line for line in taken if line.strip()]
    if not held:
        return True
    if _is_record(held[0]):
        return True
    first = held[0].lstrip()[:1]
    if first == b"[" or (first == b"{" and len(held[0].strip()) < 3):
        return False
    if any(_is_record(line) for line in held[1:]):
        return True
    return first not in (b"{", b"[")


def _is_record(line: bytes) -> bool:
    """Whether a line is a whole JSON object or list."""
    text = line.strip()
    if text[:1] + text[-1:] not in (b"{}", b"[]"):
        return False
    try:
        read_json(text, Report())
    except BadJsonError:
        return False
    return True


def _lines(taken: list[bytes], file: IO[bytes], limits: Limits, report: Report) -> Iterator[bytes]:
    yield from taken
    while line := file.readline(limits.line_bytes):
        _check_line(line, limits, report)
        yield line


def line_spans(line: bytes, name: str, report: Report) -> Iterable[StoredSpan]:
    """The spans of one line, or of one record of a Collector's file.

    Raises:
        TraceFormatError: It is something that holds no traces; strict mode and something is wrong.
    """
    if is_damaged(line):
        report.warn("checksum_mismatch")
    spans = typed_spans(line, report)
    if spans is not None:
        report.lines += 1
        report.formats[name] += 1
        report.span_bytes = len(line) // max(1, len(spans))
        return spans
    text = line.strip()
    if not text:
        return ()
    report.lines += 1
    try:
        record = read_json(text, report)
    except BadJsonError as error:
        torn = not line.endswith(b"\n") and error.kind == "bad_json_line"
        kind = "truncated_line" if torn else error.kind
        what = f"the last line is torn: {error}" if torn else str(error)
        report.bad_line(kind, what)
        return ()
    return _record_spans(record, name, report)


def _document_spans(data: bytes, name: str, report: Report) -> Iterator[StoredSpan]:
    try:
        found = read_documents(data, report)
    except BadJsonError as error:
        yield from _torn_document(data, name, report, error)
        return
    for line, record in found:
        report.lines += 1
        report.at(name, line)
        yield from _record_spans(record, name, report)


def _torn_document(
    data: bytes, name: str, report: Report, error: BadJsonError
) -> Iterator[StoredSpan]:
    """What can be saved of values that do not end: the lines that are records by themselves."""
    lines = data.splitlines(keepends=True)
    whole = [(n, line) for n, line in enumerate(lines, 1) if _is_record(line.rstrip().rstrip(b","))]
    if not any(recognised(line) for _, line in whole):
        report.at(name, error.line)
        torn = error.line >= len(lines)
        report.bad_line("truncated_line" if torn else error.kind, str(error))
        report.formats[name] += any(key in data for key in (b'"resourceSpans"', b'"traceId"'))
        return
    good = dict(whole)
    for number, line in enumerate(lines, 1):
        report.at(name, number)
        if number in good:
            yield from line_spans(line.rstrip().rstrip(b",") + b"\n", name, report)
        elif line.strip() not in (b"", b"[", b"]"):
            report.bad_line("bad_json_line", "no JSON")


def recognised(line: bytes) -> bool:
    """Whether a line names what only a record of traces has."""
    return any(key in line for key in (b'"resourceSpans"', b'"traceID"', b'"traceId"'))


def _record_spans(record: Json, name: str, report: Report) -> Iterator[StoredSpan]:
    """The spans of one JSON value, whatever it is."""
    if recognises(record):
        report.formats[name] += 1
        yield from loose_spans(record, report)
        return
    if record in ({}, []):
        report.formats[name] += 1
        return
    for known in FORMATS.names():
        form = FORMATS.get(known)
        if form.recognises(record):
            report.formats[name] += 1
            yield from form.spans(record, report)
            return
    if isinstance(record, list) and all(isinstance(one, dict) for one in record):
        for one in record:
            yield from _record_spans(one, name, report)
        return
    _refuse_known(record, report)
    report.bad_line("bad_json_line", "no OTLP trace data and no other record of traces")


def _refuse_known(record: Json, report: Report) -> None:
    """Name what is recognised and holds no traces.

    Raises:
        TraceFormatError: It is such a thing.
    """
    if not isinstance(record, dict):
        return
    context = record.get("context")
    if isinstance(context, dict) and "trace_id" in context:
        report.refuse(
            "unknown_format",
            "this is what the console exporter of OpenTelemetry's SDK prints, which is no exchange "
            "format; export to an OTLP endpoint or with its file exporter instead",
        )
    for keys, what in _OTHERS:
        if any(key in record for key in keys[:1]):
            report.refuse("unknown_format", f"these are {what}, not traces")
