"""The run folder: spans as lines, done-records, a manifest; written once, read back in one pass.

Only a done-record makes an item finished, and it is written after the item's spans. So a run that
is cut off at any moment keeps what was finished, and goes on with the rest.
"""

from __future__ import annotations

import os
import re
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from tracer import attributes as names
from tracer.errors import StoreError, TraceFormatError
from tracer.files import (
    LOCK,
    SUFFIX,
    append,
    open_append,
    part_of,
    take_lock,
    unlock,
    write_error,
    write_whole,
)
from tracer.files import FileSink as FileSink  # a store's callers name both
from tracer.fold import fold
from tracer.formats.address import address_of, shown
from tracer.formats.reading import read_file
from tracer.formats.report import CONDITION_KEY, Report
from tracer.formats.source import STDIN, Limits
from tracer.grouping import grouped, read_files
from tracer.limits import json_text
from tracer.record import package_version
from tracer.records import Done, Json, Task, Trace
from tracer.references import restored
from tracer.stored import StoredSpan

T = TypeVar("T")
Key = tuple[str, str, int]
"""Item, condition and replicate."""

MANIFEST = "run.json"
TASKS = "tasks.jsonl"
VARIANTS = "variants.jsonl"
ITEMS = "items.jsonl"
TRACES = "traces"
_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,60}")


def key_of(done: Done) -> Key:
    """What a done-record is found by."""
    return (done.item, done.condition, done.replicate)


def open_sink(folder: Path | str, worker: str | int) -> FileSink:
    """The sink of one worker process of a run.

    Raises:
        StoreError: Its file cannot be opened.
    """
    name = str(worker)
    if not _SAFE.fullmatch(name):
        raise StoreError(
            f"worker name {name!r} cannot be a file name; use letters, digits, '-', '_' and '.'"
        )
    return FileSink(Path(folder) / TRACES / f"{name}{SUFFIX}")


def prepare_folder(folder: Path | str) -> None:
    """Make a folder for traces outside a run: private, and left out of version control.

    Raises:
        StoreError: It cannot be made.
    """
    path = Path(folder)
    try:
        (path / TRACES).mkdir(parents=True, exist_ok=True, mode=0o700)
        path.chmod(0o700)
        if not (path / ".gitignore").exists():
            write_whole(path / ".gitignore", b"*\n")
    except OSError as error:
        raise write_error(path, error) from error


def _is_empty(folder: Path) -> bool:
    """Whether nothing is in a folder but what a run leaves that is cut off as it begins."""
    begun = {LOCK, TRACES, ".gitignore", part_of(folder / ".gitignore").name}
    begun.add(part_of(folder / MANIFEST).name)
    traces = folder / TRACES
    return {path.name for path in folder.iterdir()} <= begun and not (
        traces.exists() and any(traces.iterdir())
    )


def _spans_in(files: Iterable[Path]) -> int:
    return sum(1 for file in files for _ in read_file(file, Report()))


@contextmanager
def _let_go(lock: int) -> Iterator[None]:
    """Let go of a folder that could not be opened after all."""
    try:
        yield
    except BaseException:
        unlock(lock)
        raise


class RunStore:
    """A run folder that is being written, by one process at a time.

    Use `create` or `resume`.
    """

    def __init__(self, path: Path, manifest: dict[str, Json], lock: int) -> None:
        self.path = path
        self.manifest = manifest
        self._lock = lock
        self._items = open_append(path / ITEMS)

    @classmethod
    def create(cls, path: Path | str, manifest: Mapping[str, Json]) -> RunStore:
        """A new run folder.

        Args:
            path: The folder; it may exist if it is empty.
            manifest: What the run is: configuration, versions, model sources.

        Raises:
            StoreError: The folder holds a run already, or cannot be written.
        """
        folder = Path(path)
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            if (folder / MANIFEST).exists():
                unlock(take_lock(folder))
                raise StoreError(
                    f"{folder}: holds a run already; go on by --resume or name another --out"
                )
            if not _is_empty(folder):
                raise StoreError(
                    f"{folder}: is not empty and holds no run; name an empty or new folder by --out"
                )
            folder.chmod(0o700)
            lock = take_lock(folder)
        except OSError as error:
            raise write_error(folder, error) from error
        full: dict[str, Json] = {
            "schema_version": names.SCHEMA_VERSION,
            "stagetrace_version": package_version(),
            "started_ns": time.time_ns(),
            "status": "running",
            "attempt": 0,
            **manifest,
        }
        with _let_go(lock):
            try:
                (folder / TRACES).mkdir(mode=0o700, exist_ok=True)
                write_whole(folder / ".gitignore", b"*\n")
            except OSError as error:
                raise write_error(folder, error) from error
            _write_manifest(folder, full)
            return cls(folder, full, lock)

    @classmethod
    def resume(cls, path: Path | str) -> RunStore:
        """An existing run folder, to go on with; torn last lines are cut off with a warning.

        Raises:
            StoreError: Another process writes to it, or it is of a newer version.
            TraceFormatError: It is no run folder.
        """
        folder = Path(path)
        manifest = read_manifest(folder)
        lock = take_lock(folder)
        manifest["attempt"] = int(manifest.get("attempt", 0)) + 1
        # A sitting that was cut off has counted nothing.
        cut_off = manifest.get("status") == "running"
        manifest["status"] = "running"
        with _let_go(lock):
            for file in trace_files(folder):
                os.close(open_append(file))
            if cut_off:
                lost = int(manifest.get("spans_made", 0)) - int(manifest.get("spans_stored", 0))
                manifest["spans_stored"] = _spans_in(trace_files(folder))
                manifest["spans_made"] = manifest["spans_stored"] + lost
            _write_manifest(folder, manifest)
            return cls(folder, manifest, lock)

    @property
    def attempt(self) -> int:
        """0 for a new run, one more at each resumption."""
        return int(self.manifest.get("attempt", 0))

    def sink(self, worker: str | int = 0) -> FileSink:
        """The sink of one worker; each worker has a file of its own."""
        return open_sink(self.path, worker)

    def write_tasks(self, tasks: Iterable[Task]) -> None:
        """Store the tasks as run, gold included; never on a span.

        Raises:
            StoreError: They cannot be written.
        """
        write_whole(self.path / TASKS, b"".join(_line(task) for task in tasks))

    def read_tasks(self) -> list[Task]:
        """The tasks as run."""
        return list(read_lines(self.path / TASKS, Task))

    def write_variants(self, variants: Iterable[object]) -> None:
        """Store the wordings, admitted and failed, one record a line.

        Raises:
            StoreError: They cannot be written.
        """
        write_whole(self.path / VARIANTS, b"".join(_line(variant) for variant in variants))

    def add_done(self, done: Done) -> None:
        """Note that an item is finished; flush its spans first.

        Raises:
            StoreError: The record cannot be written; the item is not finished then.
        """
        append(self._items, _line(done), self.path / ITEMS)

    def done(self) -> dict[Key, Done]:
        """The latest done-record of each item, condition and replicate, of any status."""
        return {key_of(done): done for done in read_lines(self.path / ITEMS, Done)}

    def finish(self, summary: Mapping[str, Json]) -> None:
        """Write the end of the run into the manifest and let go of the folder.

        Args:
            summary: Counts; `status` may say `interrupted`, `spans_made` and `spans_stored` are
                added to those of earlier attempts.

        Raises:
            StoreError: The manifest cannot be written.
        """
        merged = {"status": "done", "ended_ns": time.time_ns(), **summary}
        for count in ("spans_made", "spans_stored"):
            if count in merged:
                merged[count] = int(self.manifest.get(count, 0)) + int(merged[count])
        self.manifest.update(merged)
        _write_manifest(self.path, self.manifest)
        self.close()

    def close(self) -> None:
        """Let go of the folder; what was written stays."""
        if self._lock >= 0:
            os.close(self._items)
            unlock(self._lock)
            self._lock = -1

    def __enter__(self) -> RunStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run folder as it is read."""

    path: Path
    manifest: Mapping[str, Json]
    tasks: Mapping[str, Task]
    """By item."""
    done: Mapping[Key, Done]

    @property
    def failed(self) -> list[Done]:
        """Items that endpoint, harness or grader broke: no score."""
        return [done for done in self.done.values() if done.status == "failed"]

    @property
    def interrupted(self) -> list[Done]:
        """Items that the user stopped."""
        return [done for done in self.done.values() if done.status == "interrupted"]

    @property
    def rejected(self) -> list[dict[str, Json]]:
        """Wordings that the gates turned down, as stored."""
        path = self.path / VARIANTS
        records = read_lines(path, dict) if path.exists() else ()
        return [record for record in records if record.get("status") == "failed"]

    @property
    def spans_made(self) -> int:
        """Spans that ended in the run, by its manifest."""
        return int(self.manifest.get("spans_made", 0))

    @property
    def spans_stored(self) -> int:
        """Spans that the store took, by its manifest."""
        return int(self.manifest.get("spans_stored", 0))

    def traces(self, report: Report | None = None) -> Iterator[Trace]:
        """The traces that count, one a finished item, in the order of the files.

        Each is joined with the outcome, the request and the task's labels; a trace that no
        done-record names is superseded and left out. One trace is held at a time, and those whose
        lines are interleaved with it.

        Args:
            report: Where findings are noted; without one, damaged lines are Python warnings.
        """
        wanted = {done.trace_id: done for done in self.done.values() if done.status == "ok"}
        lost = {trace_id for trace_id, done in wanted.items() if done.spans}
        for trace_id, spans in self._grouped(wanted, report):
            lost.discard(trace_id)
            yield self._joined(fold(spans, report), wanted[trace_id], report)
        for trace_id in sorted(lost):
            done = wanted[trace_id]
            text = f"item {done.item!r}, condition {done.condition!r}: no span is stored"
            if report is None:
                warnings.warn(f"{self.path}: {text}", UserWarning, stacklevel=2)
            else:
                report.at(str(self.path))
                report.warn("trace_missing", text)

    def spans(self, report: Report | None = None) -> Iterator[StoredSpan]:
        """The spans of the traces that count, of any status, in the order of the files."""
        wanted = {done.trace_id for done in self.done.values()}
        for file in trace_files(self.path):
            for span in read_file(file, report):
                if span.trace_id in wanted:
                    yield span

    def _grouped(
        self, wanted: Mapping[str, Done], report: Report | None
    ) -> Iterator[tuple[str, list[StoredSpan]]]:
        for file in trace_files(self.path):
            open_traces: dict[str, list[StoredSpan]] = {}
            ids: dict[str, set[str]] = {}
            given: set[str] = set()
            for span in read_file(file, report):
                trace_id = span.trace_id
                done = wanted.get(trace_id)
                if done is None or trace_id in given:
                    continue
                open_traces.setdefault(trace_id, []).append(span)
                seen = ids.setdefault(trace_id, set())
                seen.add(span.span_id)
                if done.spans and len(seen) >= done.spans:
                    given.add(trace_id)
                    del ids[trace_id]
                    yield trace_id, open_traces.pop(trace_id)
            yield from open_traces.items()

    def _joined(self, trace: Trace, done: Done, report: Report | None) -> Trace:
        task = self.tasks.get(done.item)
        warned = trace.warnings
        if done.spans and trace.spans != done.spans:
            warned = (*warned, f"missing: {trace.spans} of {done.spans} spans are stored")
            if report is not None:
                report.at(str(self.path))
                report.warn(
                    "trace_missing",
                    f"item {done.item!r}, condition {done.condition!r}: {trace.spans} of "
                    f"{done.spans} spans are stored",
                )
        return replace(
            trace,
            request=done.request,
            outcome=done.outcome,
            run=trace.run or str(self.manifest.get("run", "")),
            groups={} if task is None else dict(task.groups),
            warnings=warned,
        )


def read_run(path: Path | str) -> StoredRun:
    """A run folder, also one that is still being written or was cut off.

    Raises:
        TraceFormatError: It is no run folder, or a record in it cannot be read.
    """
    folder = Path(path)
    manifest = read_manifest(folder)
    tasks = read_lines(folder / TASKS, Task) if (folder / TASKS).exists() else ()
    items = read_lines(folder / ITEMS, Done) if (folder / ITEMS).exists() else ()
    return StoredRun(
        folder,
        manifest,
        {task.item: task for task in tasks},
        {key_of(done): done for done in items},
    )


def read_traces(
    path: Path | str,
    report: Report | None = None,
    *,
    limits: Limits | None = None,
    allow_empty: bool = False,
    condition_key: str = CONDITION_KEY,
) -> Iterator[Trace]:
    """The traces of a run folder, a folder or file of traces, a server, or standard input for `-`.

    Args:
        path: What to read; what it holds is told by its content. Of a running Jaeger or Phoenix
            its address (`tracer.formats.address.download`).
        report: Where findings are noted; without one, what was left out is a Python warning.
        limits: Where to stop.
        allow_empty: An input without a span is no error.
        condition_key: Without a report: the key that names the condition in logs of Inspect AI.

    Raises:
        InputError: An address does not answer, or holds no traces.
        TraceFormatError: Nothing is there that can be read.
    """
    source = Path(path)
    if (source / MANIFEST).exists():
        yield from read_run(source).traces(report)
        return
    own = report is None
    report = Report(condition_key=condition_key) if report is None else report
    files = _inputs(source)
    scores = 0
    for spans in grouped(files, report, limits=limits, any_files=source.is_dir()):
        if hold_scores(spans):
            scores += 1
        else:
            yield fold(spans, report)
    if scores:
        report.notes.append(f"{scores} traces hold scores and no run")
    _finish_reading(source, report, allow_empty=allow_empty, say=own)


def hold_scores(spans: Iterable[StoredSpan]) -> bool:
    """Whether the spans of a trace are scores of others, as `export --scores` sends them."""
    return all(span.attributes.get(names.SPAN_KIND) == "EVALUATOR" for span in spans)


def read_spans(
    path: Path | str,
    report: Report | None = None,
    *,
    limits: Limits | None = None,
    allow_empty: bool = False,
    condition_key: str = CONDITION_KEY,
) -> Iterator[StoredSpan]:
    """The spans of a run folder (those that count), a folder, a file or standard input, each whole.

    They come in the order of the files, those of one id each time that they were written.

    Args:
        path: What to read; what it holds is told by its content. Of a running Jaeger or Phoenix
            its address (`tracer.formats.address.download`).
        report: Where findings are noted; without one, what was left out is a Python warning.
        limits: Where to stop.
        allow_empty: An input without a span is no error.
        condition_key: Without a report: the key that names the condition in logs of Inspect AI.

    Raises:
        InputError: An address does not answer, or holds no traces.
        TraceFormatError: Nothing is there that can be read.
    """
    source = Path(path)
    if (source / MANIFEST).exists():
        yield from restored(read_run(source).spans(report))
        return
    own = report is None
    report = Report(condition_key=condition_key) if report is None else report
    pairs = read_files(_inputs(source), report, limits=limits, any_files=source.is_dir())
    yield from restored(span for _, spans in pairs for span in spans)
    _finish_reading(source, report, allow_empty=allow_empty, say=own)


def _inputs(source: Path) -> list[Path]:
    if address_of(source):
        return [source]
    if str(source) != STDIN and not source.exists():
        raise TraceFormatError(f"{source}: does not exist; name a run folder or a file of traces")
    files = trace_files(source) if source.is_dir() else [source]
    if not files:
        raise TraceFormatError(f"{source}: holds no file of traces and is no run folder")
    return files


_LOST = (
    "bad_json_line",
    "checksum_mismatch",
    "truncated_line",
    "truncated_gzip",
    "nested_too_deep",
    "invalid_utf8",
    "span_skipped",
    "attr_unreadable",
    "several_runs",
    "limit_reached",
)
"""Findings that no trace tells of by itself."""


def _finish_reading(source: Path, report: Report, *, allow_empty: bool, say: bool) -> None:
    """Note what shows only at the end, and say what was lost where nobody keeps a report.

    Raises:
        TraceFormatError: There was no span, and none was not allowed.
    """
    name = shown(source)
    report.at(name)
    if len(report.runs) > 1:
        runs = ", ".join(repr(run) for run in sorted(report.runs)[:4])
        report.warn("several_runs", f"spans of {len(report.runs)} runs: {runs}")
    if say:
        for line in report.lines_of_text():
            if line.startswith(_LOST):
                warnings.warn(f"{name}: {line}", UserWarning, stacklevel=3)
    if not report.spans and not allow_empty:
        said = "; ".join(report.lines_of_text())
        raise TraceFormatError(
            f"{name}: no span was found{' (' + said + ')' if said else ''}; name another file, "
            "or allow an empty one with --allow-empty",
            "empty_input",
        )


def trace_files(folder: Path) -> list[Path]:
    """The files of spans in a run folder, or all files of a plain folder, by name."""
    if (folder / TRACES).is_dir():
        return sorted((folder / TRACES).glob(f"*{SUFFIX}"))
    return sorted(
        file for file in folder.iterdir() if file.is_file() and not file.name.startswith(".")
    )


class _Counts(msgspec.Struct):
    """What a manifest counts."""

    attempt: int = 0
    spans_made: int = 0
    spans_stored: int = 0


def read_manifest(folder: Path) -> dict[str, Json]:
    """The manifest of a run folder.

    Raises:
        TraceFormatError: It is no run folder.
        StoreError: A newer version wrote it.
    """
    path = folder / MANIFEST
    try:
        manifest = msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
    except OSError as error:
        raise TraceFormatError(
            f"{folder}: no run folder ({MANIFEST}: {error.strerror}); name the folder that "
            "`stagetrace run` printed"
        ) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise TraceFormatError(
            f"{path}: not readable ({error}); the folder's {TRACES}/ can still be read alone"
        ) from error
    version = manifest.get("schema_version")
    if not isinstance(version, int) or version > names.SCHEMA_VERSION:
        raise StoreError(
            f"{path}: schema version {version!r}, this program reads up to {names.SCHEMA_VERSION}; "
            "use the version of stagetrace that wrote it, or a newer one"
        )
    try:
        msgspec.convert(manifest, _Counts)
    except msgspec.ValidationError as error:
        raise TraceFormatError(f"{path}: no manifest of a run ({error}); mend it") from error
    return manifest


def read_lines(path: Path, kind: type[T]) -> Iterator[T]:
    """The records of a file of JSON lines; a torn last line is left out with a warning.

    Raises:
        TraceFormatError: Another line cannot be read; the text names file and line.
    """
    decoder = msgspec.json.Decoder(kind)
    try:
        with path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                try:
                    record = decoder.decode(line)
                except (msgspec.DecodeError, UnicodeDecodeError) as error:
                    if not line.endswith(b"\n"):
                        warnings.warn(
                            f"{path}:{number}: the last line is torn and left out", stacklevel=2
                        )
                        return
                    raise TraceFormatError(
                        f"{path}:{number}: no {kind.__name__} record ({error}); "
                        "mend or delete the line"
                    ) from error
                yield record
    except OSError as error:
        raise TraceFormatError(
            f"{path}: cannot be read ({error.strerror}); name a complete run folder"
        ) from error


def _line(record: object) -> bytes:
    try:
        return msgspec.json.encode(record) + b"\n"
    except (TypeError, ValueError, RecursionError):
        # A value that JSON cannot hold, such as a lone surrogate in an answer.
        return json_text(record).encode() + b"\n"


def _write_manifest(folder: Path, manifest: Mapping[str, Json]) -> None:
    text = json_text(manifest).encode()
    write_whole(folder / MANIFEST, msgspec.json.format(text, indent=2) + b"\n")
