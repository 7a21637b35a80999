"""Spans of files to the spans of one trace after the other, in bounded memory.

Small inputs are grouped in memory. Of large files of JSON lines a first glance notes on which line
a trace is seen last, so that each trace is given as soon as it is complete. Traces whose spans lie
too far apart, and large inputs that can be read only once, are sorted into files on disk.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Final

import msgspec

from tracer.errors import TraceFormatError
from tracer.formats.address import address_of
from tracer.formats.reading import read_records
from tracer.formats.report import Report
from tracer.formats.source import BUFFER, STDIN, Limits
from tracer.stored import StoredSpan

SMALL_BYTES: Final = 16 * 2**20
"""Inputs up to this size are grouped in memory."""
HELD_BYTES: Final = 24 * 2**20
"""So much text of unfinished traces is held of larger ones."""
_PARTITIONS: Final = 64
_AT_THE_END: Final = (2**62, 0)
"""Where a trace ends of which nothing is known."""
_IDS: Final = re.compile(rb'"traceId": ?"([^"]{1,64})"').findall


def read_files(
    files: Sequence[Path | str],
    report: Report,
    *,
    limits: Limits | None = None,
    any_files: bool = False,
) -> Iterator[tuple[int, Iterable[StoredSpan]]]:
    """The spans of several inputs by line or record, each with the number of its input.

    Args:
        files: What to read, in this order.
        report: Where findings are noted.
        limits: Where to stop.
        any_files: The files are those of a folder: what is no file of traces is noted and left out.

    Raises:
        TraceFormatError: A file cannot be read; with `any_files`, none of them can.
    """
    others: list[str] = []
    for number, file in enumerate(files):
        try:
            for spans in read_records(file, report, limits=limits):
                yield number, spans
        except TraceFormatError as error:
            if not any_files or report.strict or error.kind != "unknown_format":
                raise
            others.append(str(error))
            report.notes.append(f"left out: {error}")
    if others and len(others) == len(files):
        raise TraceFormatError(others[0])


def grouped(
    files: Sequence[Path | str],
    report: Report,
    *,
    limits: Limits | None = None,
    any_files: bool = False,
    small_bytes: int = SMALL_BYTES,
    held_bytes: int = HELD_BYTES,
) -> Iterator[list[StoredSpan]]:
    """The spans of each trace, in the order in which the traces are complete.

    Args:
        files: What to read, one input whose traces may be spread over all of them.
        report: Where findings are noted.
        limits: Where to stop.
        any_files: As for `read_files`.
        small_bytes: Largest input that is grouped in memory.
        held_bytes: Text of unfinished traces that is held of larger ones.

    Raises:
        TraceFormatError: A file cannot be read.
    """
    if sum(_size(file) for file in files) <= small_bytes:
        groups: dict[str, list[StoredSpan]] = {}
        for _, record in read_files(files, report, limits=limits, any_files=any_files):
            for span in record:
                groups.setdefault(span.trace_id, []).append(span)
        yield from groups.values()
        return
    last = _last_seen(files)
    with tempfile.TemporaryDirectory(prefix="stagetrace-") as folder:
        spill = _Spill(Path(folder))
        records = read_files(files, report, limits=limits, any_files=any_files)
        yield from _complete(records, report, last, spill, held_bytes)
        if spill.traces:
            report.notes.append(
                f"{len(spill.traces)} traces did not fit into memory and were sorted on disk"
            )
        yield from spill.groups()


def _size(file: Path | str) -> int:
    if str(file) == STDIN or address_of(file):
        return SMALL_BYTES + 1
    try:
        return Path(file).stat().st_size
    except OSError:
        return 0


def _last_seen(files: Sequence[Path | str]) -> dict[str, tuple[int, int]]:
    """Where each trace id stands for the last time: number of the file and of the line.

    Ids of files that are packed or no JSON lines are not found; those traces are sorted on disk.
    """
    last: dict[str, tuple[int, int]] = {}
    for number, file in enumerate(files):
        if str(file) == STDIN or address_of(file):
            continue
        try:
            with Path(file).open("rb", BUFFER) as lines:
                if lines.read(1) != b"{":
                    continue
                lines.seek(0)
                for line_number, line in enumerate(lines, 1):
                    for trace_id in set(_IDS(line)):
                        last[trace_id.decode("ascii", "replace").lower()] = (number, line_number)
        except OSError:
            continue
    return last


def _complete(
    records: Iterator[tuple[int, Iterable[StoredSpan]]],
    report: Report,
    last: dict[str, tuple[int, int]],
    spill: _Spill,
    held_bytes: int,
) -> Iterator[list[StoredSpan]]:
    """The traces that can be given while the files are read; the rest goes to the spill."""
    open_traces: dict[str, list[StoredSpan]] = {}
    due: dict[tuple[int, int], list[str]] = {}
    held = 0
    for number, spans in records:
        count = 0
        for span in spans:
            count += 1
            trace_id = span.trace_id
            group = open_traces.get(trace_id)
            if group is not None:
                group.append(span)
            elif trace_id in spill.traces:
                spill.add(span)
            else:
                open_traces[trace_id] = [span]
                due.setdefault(last.get(trace_id, _AT_THE_END), []).append(trace_id)
        held += count * report.span_bytes
        at = (number, report.line or 0)
        for key in [key for key in due if key <= at]:
            yield from _given(due.pop(key), open_traces)
        if held > held_bytes:
            held = sum(_weight(one) for group in open_traces.values() for one in group)
            if held > held_bytes // 2:
                for group in open_traces.values():
                    for one in group:
                        spill.add(one)
                open_traces.clear()
                held = 0
    yield from open_traces.values()


def _given(
    trace_ids: Sequence[str], open_traces: dict[str, list[StoredSpan]]
) -> Iterator[list[StoredSpan]]:
    for trace_id in trace_ids:
        spans = open_traces.pop(trace_id, None)
        if spans is not None:
            yield spans


def _weight(span: StoredSpan) -> int:
    return 1000 + sum(len(value) for value in span.attributes.values() if type(value) is str)


class _Spill:
    """Spans sorted by trace into files."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[int, IO[bytes]] = {}
        self._encode = msgspec.msgpack.Encoder().encode
        self.traces: set[str] = set()

    def add(self, span: StoredSpan) -> None:
        """Put a span aside."""
        self.traces.add(span.trace_id)
        part = int(span.trace_id[-4:], 16) % _PARTITIONS
        if part not in self._files:
            self._files[part] = (self._folder / str(part)).open("wb")
        data = self._encode(span)
        self._files[part].write(len(data).to_bytes(8, "little") + data)

    def groups(self) -> Iterator[list[StoredSpan]]:
        """The spans that were put aside, by trace, one partition in memory at a time."""
        decode = msgspec.msgpack.Decoder(StoredSpan).decode
        for part, file in sorted(self._files.items()):
            file.close()
            groups: dict[str, list[StoredSpan]] = {}
            with (self._folder / str(part)).open("rb") as data:
                while size := data.read(8):
                    span = decode(data.read(int.from_bytes(size, "little")))
                    groups.setdefault(span.trace_id, []).append(span)
            yield from groups.values()
