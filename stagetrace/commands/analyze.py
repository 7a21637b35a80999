"""`stagetrace analyze`: at which stage each wording hurts, with paired statistics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stagetrace import console
from tracer.errors import InputError
from tracer.printable import printable
from tracer.records import Json

if TYPE_CHECKING:
    from analyzers.blocks import Block, Blocks
    from analyzers.report.subject import Subject
    from analyzers.report.tables import Report
    from tracer.store import StoredRun


class Format(StrEnum):
    """How the tables are written."""

    TABLE = "table"
    MD = "md"
    CSV = "csv"
    JSON = "json"
    HTML = "html"


_FILES = {
    Format.TABLE: "analysis.txt",
    Format.MD: "analysis.md",
    Format.CSV: "effects.csv",
    Format.JSON: "analysis.json",
}


def analyze(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="Run folders, or files of traces.")
    ],
    baseline: Annotated[
        str, typer.Option(help="The condition that the others are compared with.")
    ] = "base",
    by: Annotated[
        str, typer.Option(metavar="LABEL", help="Break the tables down by a label of the items.")
    ] = "",
    metrics: Annotated[
        str, typer.Option(metavar="NAME,...", help="Metrics to show; `all` for every one.")
    ] = "",
    conditions: Annotated[
        str, typer.Option(metavar="NAME,...", help="Conditions to compare; all by default.")
    ] = "",
    form: Annotated[
        Format, typer.Option("--format", help="How the tables are written.")
    ] = Format.TABLE,
    as_json: Annotated[bool, typer.Option("--json", help="Same as --format json.")] = False,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write a file there instead of stdout.")
    ] = None,
    strict_pairs: Annotated[
        bool, typer.Option("--strict-pairs", help="Refuse when a condition lacks an item.")
    ] = False,
    resamples: Annotated[
        int, typer.Option(min=1, help="Resamples of the paired bootstrap.")
    ] = 10_000,
    seed: Annotated[
        int | None, typer.Option(help="Seed of the bootstrap; that of the run by default.")
    ] = None,
    report_mb: Annotated[
        float, typer.Option(min=0.1, help="Largest size of the HTML report in megabytes.")
    ] = 5.0,
) -> None:
    """Show at which stage each wording hurts: paired differences, intervals, tests."""
    _need_analysis()
    from analyzers.blocks import Blocks

    blocks = Blocks(_metric_names(metrics))
    _read_all(blocks, runs)
    found = blocks.blocks()
    having = _having(found, by)
    reports = [
        _report(
            block,
            baseline=baseline,
            by=by if block in having else "",
            metrics=_metric_names(metrics),
            conditions=_listed(conditions),
            resamples=resamples,
            seed=seed,
            strict=strict_pairs,
        )
        for block in found
    ]
    for block in found:
        for warning, number in block.warnings.items():
            about = printable(f"{block.subject.suite}: {warning}")
            console.note(f"note: {number} traces of {about}")
    if form is Format.HTML and not as_json:
        _write_page(found, reports, runs, out, report_mb)
        return
    _write(reports, Format.JSON if as_json else form, out)


def _need_analysis() -> None:
    """Say which extra is missing before anything is read.

    Raises:
        MissingExtraError: numpy or scipy is not installed.
    """
    from tracer.registry import missing_extra

    for package in ("numpy", "scipy"):
        if find_spec(package) is None:
            raise missing_extra(package, "analysis", "stagetrace analyze")


def _having(blocks: Sequence[Block], label: str) -> list[Block]:
    """The blocks whose items carry the label.

    Raises:
        UnknownNameError: No block's items do.
    """
    having = [block for block in blocks if label in block.labels.names()]
    if label and not having:
        blocks[0].labels.of(label)
    return having


def _listed(text: str) -> list[str] | None:
    names = [name.strip() for name in text.split(",") if name.strip()]
    return names or None


def _metric_names(text: str) -> list[str] | None:
    """The metrics asked for, checked; None for the usual ones.

    Raises:
        UnknownNameError: There is no such metric.
    """
    from analyzers.base import METRICS
    from analyzers.report.tables import STAGES

    names = _listed(text)
    if names == ["all"]:
        return sorted(METRICS.names(), key=lambda name: STAGES.index(METRICS.get(name).stage))
    for name in names or ():
        METRICS.get(name)
    return names


def _read_all(blocks: Blocks, runs: Sequence[Path]) -> None:
    """Score every trace of every run once.

    Raises:
        TraceFormatError: A path holds no traces.
        InputError: Not one run was finished.
    """
    from tracer.store import MANIFEST, read_run, read_traces

    number = 0
    broken: Counter[str] = Counter()
    for path in {path.resolve(): path for path in runs}.values():
        if (path / MANIFEST).exists():
            stored = read_run(path)
            broken["failed"] += len(stored.failed)
            broken["interrupted"] += len(stored.interrupted)
            number += blocks.add(_subject(path, stored), stored.traces())
        else:
            from analyzers.report.subject import Subject

            number += blocks.add(Subject(suite="", runs=(str(path),)), read_traces(path))
    if not number:
        counts = ", ".join(f"{count} {word}" for word, count in broken.items() if count)
        raise InputError(
            f"{', '.join(str(path) for path in runs)}: no finished item to analyze"
            + (f" ({counts})" if counts else "")
            + "; go on with the run by: stagetrace run --resume RUN"
        )


def _subject(path: Path, stored: StoredRun) -> Subject:
    """What the manifest of a run says of it."""
    from analyzers.report.subject import Subject

    manifest = stored.manifest
    source = _mapping(manifest.get("model_source"))
    seed = manifest.get("seed")
    return Subject(
        suite=_text(manifest, "suite"),
        assistant=_text(manifest, "assistant"),
        model=_text(manifest, "model"),
        mode=_text(manifest, "mode"),
        data_version=_text(manifest, "data_version"),
        schema_hash=_text(manifest, "schema_hash"),
        retriever=_text(manifest, "retriever"),
        model_source=_text(source, "sha256") or _text(source, "source"),
        baseline_program=source.get("baseline") is True,
        seed=seed if isinstance(seed, int) else None,
        runs=(str(path),),
        spans_made=stored.spans_made,
        spans_stored=stored.spans_stored,
        failed=Counter(done.condition for done in stored.failed),
        interrupted=Counter(done.condition for done in stored.interrupted),
        rejected=Counter(_text(record, "condition") for record in stored.rejected),
        references=_references(),
    )


def _mapping(value: Json) -> Mapping[str, Json]:
    return value if isinstance(value, dict) else {}


def _text(record: Mapping[str, Json], key: str) -> str:
    value = record.get(key)
    return value if isinstance(value, str) else ""


def _references() -> frozenset[str]:
    """The reference poles: the control for any rewriting at all."""
    from variants.base import POLES

    return frozenset(name for name in POLES.names() if not POLES.get(name).contrastive)


def _report(
    block: Block,
    *,
    baseline: str,
    by: str,
    metrics: Sequence[str] | None,
    conditions: Sequence[str] | None,
    resamples: int,
    seed: int | None,
    strict: bool,
) -> Report:
    from analyzers.breakdown import breakdown
    from analyzers.compare import compare
    from analyzers.report.tables import build_report

    shared: dict[str, Any] = {
        "baseline": baseline,
        "conditions": conditions or _in_table_order(row.condition for row in block.rows),
        "resamples": resamples,
        "seed": seed if seed is not None else block.subject.seed or 0,
    }
    comparison = compare(block.rows, strict=strict, **shared)
    groups = breakdown(block.rows, block.labels.of(by), **shared) if by else ()
    return build_report(
        block.subject,
        comparison,
        metrics=metrics,
        groups=groups,
        label=by,
        labels=block.labels.names(),
    )


def _in_table_order(found: Iterable[str]) -> list[str]:
    """Conditions by axis as in all tables; those of nobody's list come last, as they appeared."""
    from variants.conditions import conditions

    order = {name: place for place, name in enumerate(conditions())}
    return sorted(dict.fromkeys(found), key=lambda name: order.get(name, len(order)))


def _write_page(
    blocks: Sequence[Block],
    reports: Sequence[Report],
    runs: Sequence[Path],
    out: Path | None,
    megabytes: float,
) -> None:
    """Write the HTML report and name its path.

    Raises:
        InputError: It cannot be written.
    """
    from stagetrace.report_page import report_folder, report_page, write_page

    folder = report_folder(runs, out)
    path = write_page(folder, report_page(blocks, reports, runs, megabytes=megabytes))
    if find_spec("matplotlib") is None:
        console.note("plots left out: pip install 'stagetrace[report]'")
    console.say(printable(f"report: {path} ({path.stat().st_size / 1e3:,.0f} kB)"))


def _write(reports: Sequence[Report], form: Format, out: Path | None) -> None:
    if form is Format.TABLE and out is None:
        _print_tables(reports)
        return
    if form is Format.JSON and out is None:
        from analyzers.report.json_text import report_document

        console.say_json(report_document(reports))
        return
    text = _rendered(reports, form)
    if out is None:
        typer.echo(text, nl=False)
        return
    path = out / _FILES[form]
    try:
        out.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
    except OSError as error:
        raise InputError(
            f"{path}: cannot be written ({error.strerror}); name another folder by --out"
        ) from error
    console.note(f"wrote {path}")


def _rendered(reports: Sequence[Report], form: Format) -> str:
    if form is Format.MD:
        from analyzers.report.markdown import render_markdown

        return "\n".join(render_markdown(report) for report in reports)
    if form is Format.CSV:
        from analyzers.report.csv_text import render_csv

        return render_csv(reports)
    if form is Format.JSON:
        import json

        from analyzers.report.json_text import report_document

        return json.dumps(report_document(reports), allow_nan=False, indent=1) + "\n"
    from analyzers.report.terminal import render

    blocks = ["\n".join(line.plain for line in render(report, width=120)) for report in reports]
    return "\n\n\n".join(blocks) + "\n"


def _print_tables(reports: Sequence[Report]) -> None:
    from analyzers.report.terminal import render

    stdout = console.out()
    for number, report in enumerate(reports):
        if number:
            console.say()
            console.say()
        for line in render(report, width=stdout.width, unicode=console.unicode_ok()):
            stdout.print(line, soft_wrap=True)
