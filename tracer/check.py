"""What is wrong with a file of traces or a run folder: by rule, and by our JSON Schemas."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from tracer.attributes import SCOPE
from tracer.formats.address import address_of, shown
from tracer.formats.json_text import BadJsonError, read_json
from tracer.formats.report import KINDS, Report
from tracer.formats.source import STDIN, Limits, open_source
from tracer.records import Json, Trace
from tracer.store import MANIFEST, read_manifest, read_run, read_traces, trace_files

SAMPLE: Final = 10_000
"""So many of our own spans are validated against the schema; of more, the first ones."""
_OWN: Final = f'"name":"{SCOPE}"'.encode()


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check found."""

    path: str
    report: Report
    traces: int
    validated: int
    """Spans that were validated against the schema."""

    @property
    def ok(self) -> bool:
        """Whether nothing was found."""
        return not self.report.counts

    def as_json(self) -> dict[str, Json]:
        """The check as one JSON object."""
        report = self.report
        return {
            "path": self.path,
            "ok": self.ok,
            "records": report.lines,
            "spans": report.spans,
            "spans_used": report.spans - report.skipped,
            "spans_skipped": report.skipped,
            "traces": self.traces,
            "spans_validated": self.validated,
            "runs": sorted(report.runs),
            "bad_lines": [{"file": file, "line": line} for file, line in report.bad_lines],
            "findings": [
                {
                    "kind": kind,
                    "count": report.counts[kind],
                    "meaning": KINDS[kind],
                    "places": [
                        {
                            "file": one.file,
                            "line": one.line,
                            "span_id": one.span_id,
                            "text": one.text,
                        }
                        for one in report.findings
                        if one.kind == kind
                    ],
                }
                for kind in report.kinds
            ],
            "notes": report.notes,
        }


def check(
    path: Path | str,
    *,
    strict: bool = False,
    allow_empty: bool = False,
    limits: Limits | None = None,
) -> Checked:
    """Read everything there is and say what is wrong with it.

    Args:
        path: A run folder, a folder or a file of traces, an address of a server, or
            `-` for standard input.
        strict: Make the first finding an error.
        allow_empty: An input without a span is no error.
        limits: Where to stop.

    Raises:
        TraceFormatError: Nothing is there that can be read, or strict and something is wrong.
    """
    report = Report(strict=strict)
    source = Path(path)
    run = (source / MANIFEST).exists()
    traces = 0
    if run:
        traces = _check_run(source, report)
    else:
        traces = _count(read_traces(source, report, limits=limits, allow_empty=allow_empty), report)
    validated = 0
    if str(path) != STDIN and not address_of(path):
        files = trace_files(source) if source.is_dir() else [source]
        validated = _validate(files, report, limits, run=run)
    return Checked(shown(path), report, traces, validated)


def _check_run(folder: Path, report: Report) -> int:
    """Check a run folder beyond its lines; gives the number of traces that count."""
    report.at(str(folder / MANIFEST))
    for text in _problems("run", read_manifest(folder)):
        report.warn("schema_mismatch", text)
    run = read_run(folder)
    if run.spans_made != run.spans_stored:
        report.warn(
            "spans_lost",
            f"{run.spans_made} spans were made and {run.spans_stored} stored",
            count=abs(run.spans_made - run.spans_stored),
        )
    traces = _count(run.traces(report), report)
    for word, records in (("failed", run.failed), ("interrupted", run.interrupted)):
        if records:
            report.notes.append(f"{len(records)} items {word}")
    return traces


def _count(traces: Iterable[Trace], report: Report) -> int:
    """How many traces there are; what metrics will miss in them is noted."""
    number = rankings = bare = 0
    for trace in traces:
        number += 1
        for passages in filter(None, (one.passages for one in trace.retrievals)):
            rankings += 1
            bare += all(passage.score is None for passage in passages)
    if bare:
        report.notes.append(
            f"{bare} of {rankings} rankings have no scores; "
            "their ids are all that metrics of ranking need"
        )
    return number


def _validate(files: list[Path], report: Report, limits: Limits | None, *, run: bool) -> int:
    """Validate our own spans against the schema; gives their number.

    The lines of a run folder are validated whole, of what was exported each span.
    """
    spans = 0
    for file in files:
        with open_source(file, Report(), limits) as lines:
            for number, line in enumerate(lines, 1):
                if number == 1 and not line.lstrip().startswith(b"{"):
                    break
                if _OWN not in line:
                    continue
                if spans >= SAMPLE:
                    report.notes.append(f"the first {spans} spans were validated by the schema")
                    return spans
                try:
                    record = read_json(line, Report())
                except BadJsonError:
                    continue
                report.at(str(file), number)
                for span in _own_spans(record):
                    spans += 1
                    if not run:
                        _note(report, "span", span)
                if run:
                    _note(report, "line", record)
    return spans


def _note(report: Report, what: str, record: Json) -> None:
    for text in _problems(what, record):
        report.warn("schema_mismatch", text)


def _own_spans(record: Json) -> Iterator[Json]:
    for group in record.get("resourceSpans") or () if isinstance(record, dict) else ():
        for scoped in group.get("scopeSpans") or ():
            if (scoped.get("scope") or {}).get("name") == SCOPE:
                # Scores are written by exports only, and have no place in a store.
                yield from (
                    span
                    for span in scoped.get("spans") or ()
                    if not str(span.get("name")).startswith("evaluate ")
                )


@cache
def _validator(what: str) -> Any:
    from jsonschema import Draft202012Validator

    name = "run.schema.json" if what == "run" else "schema.json"
    schema = json.loads(Path(__file__).with_name(name).read_text())
    if what == "span":
        schema = {"$ref": "#/$defs/span", "$defs": schema["$defs"]}
    return Draft202012Validator(schema)


def _problems(what: str, record: Json) -> Iterator[str]:
    """What a record does that its schema does not allow, at most three things."""
    for number, error in enumerate(_validator(what).iter_errors(record)):
        if number == 3:
            return
        yield f"{error.json_path}: {error.message}"[:300]
