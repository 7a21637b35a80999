"""Grading stored or foreign traces against a suite, without running an agent."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from sandboxes.asking import with_asked_back
from sandboxes.base import Sandbox
from tracer.errors import EndpointError, InputError, StagetraceError, UnknownNameError
from tracer.fold import fold
from tracer.formats.address import shown
from tracer.formats.otlp_json import encode_attributes, encode_line
from tracer.formats.report import CONDITION_KEY
from tracer.record import package_version
from tracer.records import Done, Json, Request, Task, Trace
from tracer.registry import nearest
from tracer.store import (
    MANIFEST,
    TRACES,
    VARIANTS,
    RunStore,
    StoredRun,
    hold_scores,
    read_lines,
    read_run,
    read_spans,
    trace_files,
)
from tracer.stored import StoredSpan, Value
from variants.conditions import axis_of

ITEM, REQUEST = "item", "request"
_ERROR_CHARACTERS = 2_000


@dataclass(frozen=True, slots=True)
class Left:
    """A trace that could not be joined with a task."""

    trace_id: str
    name: str
    """What it was looked for by."""
    why: str


@dataclass(slots=True)
class Graded:
    """What came of it."""

    path: Path
    mode: str
    data_version: str
    schema_hash: str
    suite: str
    match: str
    done: list[Done] = field(default_factory=list)
    """One record a joined trace: `ok` with its outcome, `failed` where the grader broke."""
    left: list[Left] = field(default_factory=list)
    """Traces that belong to no task."""
    missing: list[str] = field(default_factory=list)
    """Items of the suite that no trace belongs to."""
    condition_key: str = CONDITION_KEY
    """Key that names the condition in logs of Inspect AI."""
    tasks: dict[str, Task] = field(default_factory=dict)
    assistant: str = ""
    assistant_kind: str = ""


def grade_traces(
    path: Path, sandbox: Sandbox, match: str = ITEM, condition_key: str = CONDITION_KEY
) -> Graded:
    """The verdicts of a suite on every trace that belongs to one of its tasks.

    Args:
        path: Run folder, or folder or file of traces.
        sandbox: The suite, in the mode that is asked for.
        match: `item`: the trace names the task's id; `request`: its request is the task's text, or
            a wording that comes with the suite; else the name of an attribute that holds the id.
        condition_key: Key that names the condition in logs of Inspect AI.

    Raises:
        InputError: No trace belongs to any task.
        TraceFormatError: There are no traces.
    """
    tasks = {task.item: task for task in sandbox.tasks()}
    graded = Graded(
        path, sandbox.mode, sandbox.data_version, sandbox.schema_hash, sandbox.name, match
    )
    graded.condition_key = condition_key
    joiner = _Joiner(sandbox, tasks, match)
    taken: set[tuple[str, str, int]] = set()
    seen: dict[str, None] = {}
    for trace, attributes in _traces(
        path, condition_key, with_attributes=match not in (ITEM, REQUEST)
    ):
        found = joiner.find(trace, attributes)
        if isinstance(found, Left):
            graded.left.append(found)
            continue
        request = found
        while (key := (request.item, request.condition, request.replicate)) in taken:
            request = replace(request, replicate=request.replicate + 1)
        taken.add(key)
        seen[request.item] = None
        task = graded.tasks.setdefault(request.item, tasks[request.item])
        graded.assistant = graded.assistant or trace.assistant
        graded.assistant_kind = graded.assistant_kind or trace.assistant_kind
        graded.done.append(_verdict(sandbox, task, replace(trace, request=request)))
    graded.missing = [item for item in tasks if item not in seen]
    if not graded.done:
        raise InputError(_nothing(path, graded, match))
    return graded


def _verdict(sandbox: Sandbox, task: Task, trace: Trace) -> Done:
    request = trace.request
    done = Done(
        item=request.item,
        condition=request.condition,
        replicate=request.replicate,
        status="ok",
        trace_id=trace.trace_id,
        request=request,
        spans=trace.spans,
        started_ns=trace.started_ns,
        ended_ns=trace.ended_ns or trace.started_ns,
    )
    try:
        outcome = with_asked_back(sandbox.grade(task, trace), task, trace)
        return replace(done, outcome=outcome)
    except (EndpointError, InputError):
        raise
    except Exception as error:  # what breaks in a grader is no verdict, and the rest is graded
        name = type(error).__name__ if isinstance(error, StagetraceError) else "GraderError"
        text = f"grading: {type(error).__name__}: {error}"[:_ERROR_CHARACTERS]
        return replace(done, status="failed", error_class=name, error=text)


def _nothing(path: Path, graded: Graded, match: str) -> str:
    number = len(graded.left)
    first = graded.left[0] if graded.left else None
    said = f"; the first: {first.why}" if first else ""
    ways = {ITEM: "--match request or --match ATTR", REQUEST: "--match item or --match ATTR"}
    suite = graded.suite
    return (
        f"{path}: none of {number} traces belongs to a task of {suite!r} by {match!r}{said}; "
        f"try {ways.get(match, '--match item or --match request')}"
    )


class _Joiner:
    """Finds the task that a trace belongs to."""

    def __init__(self, sandbox: Sandbox, tasks: Mapping[str, Task], match: str) -> None:
        self._tasks = tasks
        self._match = match
        self._wordings = _wordings(sandbox, tasks.values()) if match == REQUEST else {}

    def find(self, trace: Trace, attributes: Mapping[str, Value]) -> Request | Left:
        """The trace's request as the suite knows it; else why there is none."""
        if self._match == REQUEST:
            return self._by_request(trace)
        if self._match == ITEM:
            item = trace.request.item
            if not item:
                return Left(trace.trace_id, "", "the trace names no item")
        else:
            if self._match not in attributes:
                return Left(trace.trace_id, "", f"no span has the attribute {self._match!r}")
            item = str(attributes[self._match])
        if item not in self._tasks:
            near = nearest(item, list(self._tasks)) if len(self._tasks) < 1000 else "unknown"
            return Left(trace.trace_id, item, f"no task {item!r}; {near[:200]}")
        return self._request(trace, item, trace.request.condition)

    def _by_request(self, trace: Trace) -> Request | Left:
        text = trace.request.text
        if not text.strip():
            return Left(trace.trace_id, "", "the trace holds no request text")
        found = self._wordings.get(_plain(text), ())
        if not found:
            return Left(trace.trace_id, text, "no task has its request")
        if len(found) > 1:
            items = ", ".join(item for item, _ in found[:3])
            return Left(trace.trace_id, text, f"{len(found)} tasks have its request: {items}")
        return self._request(trace, *found[0])

    def _request(self, trace: Trace, item: str, condition: str) -> Request:
        task = self._tasks[item]
        return replace(
            trace.request,
            item=item,
            suite=task.suite,
            condition=condition,
            axis=_axis(condition, trace.request),
            base_text=trace.request.base_text or task.text,
            text=trace.request.text or task.text,
            cluster=task.cluster,
        )


def _axis(condition: str, request: Request) -> str:
    """Axis of a condition; what the trace says where we do not know it."""
    try:
        return axis_of(condition)
    except UnknownNameError:
        return request.axis if condition == request.condition else ""


def _wordings(sandbox: Sandbox, tasks: Iterable[Task]) -> dict[str, list[tuple[str, str]]]:
    """Each text, first turn of conversations, to the items and conditions that have it."""
    found: dict[str, list[tuple[str, str]]] = {}
    for task in tasks:
        found.setdefault(_plain(task.text), []).append((task.item, "base"))
    for condition, records in sandbox.rewrites().items():
        for item, record in records.items():
            text = record.get("text") or next(iter(record.get("turns") or ()), "")
            found.setdefault(_plain(str(text)), []).append((item, condition))
    return found


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _traces(
    path: Path, condition_key: str, *, with_attributes: bool
) -> Iterator[tuple[Trace, Mapping[str, Value]]]:
    """The traces that count with all attributes of their spans, the first of a name counts."""
    if (path / MANIFEST).exists():
        attributes = _attributes(read_spans(path)) if with_attributes else {}
        for trace in read_run(path).traces():
            yield trace, attributes.get(trace.trace_id, {})
        return
    for spans in grouped(path, condition_key).values():
        yield fold(spans), _attributes(spans)[spans[0].trace_id]


def _attributes(spans: Iterable[StoredSpan]) -> dict[str, dict[str, Value]]:
    found: dict[str, dict[str, Value]] = {}
    for span in spans:
        known = found.setdefault(span.trace_id, {})
        for source in (span.attributes, span.resource):
            for key, value in source.items():
                known.setdefault(key, value)
    return found


def grouped(path: Path, condition_key: str = CONDITION_KEY) -> dict[str, list[StoredSpan]]:
    """The spans of a folder or file by trace; traces that hold scores are left out."""
    groups: dict[str, list[StoredSpan]] = {}
    for span in read_spans(path, condition_key=condition_key):
        groups.setdefault(span.trace_id, []).append(span)
    return {trace_id: spans for trace_id, spans in groups.items() if not hold_scores(spans)}


def write_records(graded: Graded, file: Path) -> None:
    """Write one done-record a line."""
    from tracer.files import write_whole
    from tracer.limits import json_text

    lines = "".join(json_text(done) + "\n" for done in graded.done)
    file.parent.mkdir(parents=True, exist_ok=True)
    write_whole(file, lines.encode())


def write_run(graded: Graded, folder: Path) -> None:
    """Write a run folder that `stagetrace analyze` reads: spans, tasks, done-records, manifest.

    It holds this one way of grading only. What the source's manifest says of model, retriever and
    seed is kept; its configuration is not, since nothing can be run on from here.

    Raises:
        StoreError: The folder holds a run already, or cannot be written.
        InputError: It is the folder that the traces come from.
    """
    if folder.resolve() == graded.path.resolve():
        raise InputError(
            f"{folder}: holds the traces that are graded; name another --out, so that its own "
            "verdicts stay as they are"
        )
    source = read_run(graded.path) if (graded.path / MANIFEST).exists() else None
    ran = [] if source is None else [d for d in source.done.values() if d.status != "ok"]
    with RunStore.create(folder, _manifest(graded, source)) as store:
        store.write_tasks(graded.tasks.values())
        if source is None:
            made = _write_spans(graded, store)
        else:
            made = source.spans_made
            for file in trace_files(graded.path):
                shutil.copyfile(file, folder / TRACES / file.name)
            if (graded.path / VARIANTS).exists():
                store.write_variants(read_lines(graded.path / VARIANTS, dict))
        for done in (*graded.done, *ran):
            store.add_done(done)
        counts = Counter(done.status for done in (*graded.done, *ran))
        store.finish(
            {
                "spans_made": made,
                "spans_stored": made if source is None else source.spans_stored,
                "finished": counts["ok"],
                "failed": counts["failed"],
            }
        )


def _manifest(graded: Graded, source: StoredRun | None) -> dict[str, Json]:
    keep = ("assistant", "assistant_kind", "model", "model_source", "retriever", "seed")
    known = {} if source is None else {k: v for k, v in source.manifest.items() if k in keep}
    return {
        "assistant": graded.assistant,
        "assistant_kind": graded.assistant_kind,
        **known,
        "run": graded.path.name,
        "suite": graded.suite,
        "mode": graded.mode,
        "data_version": graded.data_version,
        "schema_hash": graded.schema_hash,
        "graded_from": shown(graded.path),
        "match": graded.match,
        "conditions": list(dict.fromkeys(done.condition for done in graded.done)),
        "items": len(graded.tasks),
        "slots": len(graded.done),
    }


def _write_spans(graded: Graded, store: RunStore) -> int:
    wanted = {done.trace_id for done in graded.done}
    sink, number = store.sink("0"), 0
    for trace_id, spans in grouped(graded.path, graded.condition_key).items():
        if trace_id not in wanted:
            continue
        number += len(spans)
        for resource, same in _by_resource(spans):
            sink.write(encode_line(resource, [_otlp(span) for span in same], package_version()))
    sink.close()
    return number


def _by_resource(
    spans: Sequence[StoredSpan],
) -> Iterator[tuple[Mapping[str, Value], list[StoredSpan]]]:
    groups: dict[str, list[StoredSpan]] = {}
    for span in spans:
        groups.setdefault(repr(sorted(span.resource.items())), []).append(span)
    for same in groups.values():
        yield same[0].resource, same


def _otlp(span: StoredSpan) -> dict[str, Json]:
    """A span that was read, as OTLP JSON once more."""
    made: dict[str, Json] = {
        "traceId": span.trace_id,
        "spanId": span.span_id,
        "name": span.name,
        "kind": span.kind,
        "startTimeUnixNano": str(span.started_ns),
        "attributes": encode_attributes(span.attributes),
        "events": [
            {
                "timeUnixNano": str(event.time_ns),
                "name": event.name,
                "attributes": encode_attributes(event.attributes),
            }
            for event in span.events
        ],
        "links": [{"traceId": link.trace_id, "spanId": link.span_id} for link in span.links],
        "status": {"code": span.status, "message": span.status_message},
    }
    if span.parent_id:
        made["parentSpanId"] = span.parent_id
    if span.ended_ns is not None:
        made["endTimeUnixNano"] = str(span.ended_ns)
    if span.dropped:
        made["droppedAttributesCount"] = span.dropped
    return made
