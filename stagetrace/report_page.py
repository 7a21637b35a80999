"""The HTML report of runs: what its page needs beside the tables, gathered from the run folders."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from analyzers.analysis import Evidence, Study, run_analyses
from analyzers.blocks import Block
from analyzers.breakdown import breakdown
from analyzers.padding import by_quartile
from analyzers.report.html import Fetch, Key, render_html
from analyzers.report.material import Breakdown, Material, RunFacts
from analyzers.report.panels import panel_grid
from analyzers.report.tables import OVERVIEW, Report
from tracer.errors import InputError, StagetraceError
from tracer.files import write_whole
from tracer.records import Json, Trace
from tracer.store import ITEMS, MANIFEST, TASKS, VARIANTS, read_lines, read_run, read_traces

if TYPE_CHECKING:
    from tracer.store import StoredRun

PAGE = "index.html"
_MOST_VALUES = 8
"""A label with more values than this is no group but a name."""
_PANELS = ("pooled", "complexity", "dose")
"""Analyses whose tables stand in the page."""
_POOLED = "pooled"
_FILES = (MANIFEST, TASKS, VARIANTS, ITEMS)


def report_page(
    studies: Sequence[Study],
    reports: Sequence[Report],
    runs: Sequence[Path],
    *,
    megabytes: float,
) -> str:
    """The page over all blocks.

    Args:
        studies: Blocks with their comparisons.
        reports: Their tables, in the same order.
        runs: Run folders and files as given.
        megabytes: How large the page may become.
    """
    folders = {str(path): read_run(path) for path in runs if (path / MANIFEST).exists()}
    facts = [_facts(path, folders.get(str(path))) for path in runs]
    return render_html(
        [_material(s, r, facts, folders) for s, r in zip(studies, reports, strict=True)],
        _fetching([study.block for study in studies], runs),
        wordings=_wordings(runs),
        megabytes=megabytes,
    )


def report_folder(runs: Sequence[Path], out: Path | None) -> Path:
    """Where the page goes: `out`, else `report` in the first run folder or beside its file.

    Raises:
        InputError: `report` is a link, which may lead anywhere.
    """
    if out is not None:
        return out
    folder = (runs[0] if runs[0].is_dir() else runs[0].parent) / "report"
    if folder.is_symlink():
        raise InputError(f"{folder}: is a link; remove it, or name a folder by --out")
    return folder


def write_page(folder: Path, page: str) -> Path:
    """Write the page, readable by its owner alone, and give its path.

    Raises:
        InputError: It cannot be written.
    """
    path = folder / PAGE
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(path, page.encode("utf-8", "backslashreplace"))
    except (OSError, StagetraceError) as error:
        why = getattr(error, "strerror", None) or getattr(error.__cause__, "strerror", None)
        raise InputError(
            f"{path}: cannot be written ({why or error}); name another folder by --out"
        ) from error
    return path


def _facts(path: Path, stored: StoredRun | None) -> RunFacts:
    if stored is None:
        digests = {path.name: _sha256(path)} if path.is_file() else {}
        return RunFacts(str(path), {}, digests)
    found = {name: _sha256(path / name) for name in _FILES if (path / name).exists()}
    return RunFacts(str(path), dict(stored.manifest), found)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _material(
    study: Study,
    report: Report,
    facts: Sequence[RunFacts],
    folders: Mapping[str, StoredRun],
) -> Material:
    block = study.block
    mine = [one for one in facts if one.path in block.subject.runs]
    failed = {
        (done.item, done.condition)
        for one in mine
        if one.path in folders
        for done in folders[one.path].failed
    }
    return Material(
        report=report,
        rows=block.rows,
        axes=block.notes.axes(),
        breakdowns=list(_breakdowns(study, report)),
        panels=[panel_grid(panel) for panel in run_analyses(_PANELS, Evidence((study,)))],
        failed=frozenset(failed),
        runs=mine,
        warnings=dict(block.warnings),
    )


def _breakdowns(study: Study, report: Report) -> Iterator[Breakdown]:
    """By axis, by quartile of padding and by every label with few values."""
    comparison = study.comparison
    if not comparison.conditions:
        return
    metrics = [name for name in OVERVIEW if name in report.metrics]
    by_axis = [
        replace(
            effect,
            group=f"{effect.condition} ({effect.group.replace('dialect_', '')})",
            condition=_POOLED,
        )
        for effect in study.by_axis(metrics)
    ]
    if by_axis:
        yield Breakdown("axis", by_axis, note="Pooled: mean over the conditions of an axis")
    padded = [effect for name in metrics for effect, _, _ in by_quartile(study, name)]
    if padded:
        note = "Words of the wording over words of the original; 1 is the least padded quarter"
        yield Breakdown("quartile", padded, ordered=True, note=note)
    rows = [row for row in study.block.rows if row.metric in metrics]
    for label in study.block.labels.names():
        values = study.block.labels.of(label)
        if label != "cluster" and 1 < len(set(values.values())) <= _MOST_VALUES:
            effects = breakdown(
                rows,
                values,
                baseline=comparison.baseline,
                conditions=comparison.conditions,
                resamples=comparison.resamples,
                seed=comparison.seed,
            )
            yield Breakdown(label, effects)


def _fetching(blocks: Sequence[Block], runs: Sequence[Path]) -> Fetch:
    """Reads the runs once more and keeps the wanted traces, without their messages."""

    def fetch(wanted: Mapping[int, set[Key]]) -> dict[tuple[int, Key], Trace]:
        found: dict[tuple[int, Key], Trace] = {}
        for path in runs:
            mine = [at for at, block in enumerate(blocks) if str(path) in block.subject.runs]
            for trace in read_traces(path):
                request = trace.request
                key = request.item, request.condition, request.replicate
                for at in mine:
                    if (
                        key in wanted.get(at, ())
                        and (at, key) not in found
                        and _of(blocks[at], trace)
                    ):
                        found[at, key] = _light(trace)
        return found

    return fetch


def _of(block: Block, trace: Trace) -> bool:
    """Whether a trace of one of the block's files was graded as the block was."""
    mode = trace.outcome.mode if trace.outcome is not None else ""
    return block.subject.suite in (trace.request.suite, "") and (
        not mode or mode == block.subject.mode
    )


def _light(trace: Trace) -> Trace:
    calls = (replace(call, input_messages=None, output_messages=None) for call in trace.model_calls)
    return replace(trace, model_calls=tuple(calls))


def _wordings(runs: Sequence[Path]) -> dict[tuple[str, str], Mapping[str, Json]]:
    records = (
        record
        for path in runs
        if (path / VARIANTS).exists()
        for record in read_lines(path / VARIANTS, dict)
    )
    return {
        (str(record.get("item_id")), str(record.get("condition"))): record
        for record in records
        if record.get("status") != "failed"
    }
