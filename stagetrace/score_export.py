"""The scores of traces, each with the span it is about, ready to be sent."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from analyzers.score import score
from stagetrace import __version__
from tracer.attributes import IDENTITY
from tracer.export_scores import TraceScore
from tracer.fold import step_of
from tracer.formats.address import address_of
from tracer.formats.report import Report
from tracer.store import read_spans, read_traces, trace_files
from tracer.stored import StoredSpan


def trace_scores(path: Path) -> Iterator[TraceScore]:
    """One score for every trace and metric that has a value there.

    Raises:
        TraceFormatError: `path` cannot be read.
    """
    roots: dict[str, StoredSpan] = {}
    for span in read_spans(path, Report()):
        known = roots.get(span.trace_id)
        if known is None or _rank(span) > _rank(known):
            roots[span.trace_id] = span
    digest = _digest(path)
    for trace in read_traces(path, Report()):
        root = roots[trace.trace_id]
        for row in score([trace]):
            if row.value is not None:
                yield TraceScore(
                    metric=row.metric,
                    value=row.value,
                    trace_id=trace.trace_id,
                    root_id=root.span_id,
                    time_ns=trace.ended_ns or trace.started_ns,
                    version=__version__,
                    source_digest=digest,
                    identity={
                        key: root.attributes[key] for key in IDENTITY if key in root.attributes
                    },
                    resource=root.resource,
                )


def _rank(span: StoredSpan) -> int:
    """Which span stands for its trace: the item's, else one without a parent, else the first."""
    return 2 if step_of(span) == "item" else int(not span.parent_id)


def _digest(path: Path) -> str:
    """The digest of the files of spans; empty for those of a server."""
    if address_of(path):
        return ""
    found = hashlib.sha256()
    for file in trace_files(path) if path.is_dir() else [path]:
        with file.open("rb") as data:
            while block := data.read(1 << 20):
                found.update(block)
    return found.hexdigest()
