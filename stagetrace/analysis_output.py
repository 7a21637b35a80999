"""Finished analyses written as tables, Markdown, CSV, JSON or LaTeX."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from stagetrace import console
from stagetrace.analysis_format import Format
from tracer.errors import InputError, StoreError
from tracer.files import write_whole
from tracer.records import Json

if TYPE_CHECKING:
    from analyzers.panel import Panel
    from analyzers.report.tables import Report


_FILES = {
    Format.TABLE: "analysis.txt",
    Format.MD: "analysis.md",
    Format.CSV: "effects.csv",
    Format.JSON: "analysis.json",
    Format.LATEX: "analysis.tex",
}
_PANELS = "analyses.csv"


def write(
    reports: Sequence[Report], panels: Sequence[Panel], form: Format, out: Path | None
) -> None:
    """Write to stdout, or a file into a folder.

    As CSV on stdout, tables of analyses stand in place of the effects; in a folder each has a file.

    Raises:
        InputError: The folder cannot be written.
    """
    if out is None:
        _to_stdout(reports, panels, form)
        return
    files = {_FILES[form]: rendered(reports, panels, form)}
    if form is Format.CSV and panels:
        from analyzers.report.panels import panels_csv

        files = {_FILES[form]: rendered(reports, (), form), _PANELS: panels_csv(panels)}
    for name, text in files.items():
        path = out / name
        try:
            out.mkdir(parents=True, exist_ok=True)
            write_whole(path, text.encode("utf-8", "backslashreplace"))
        except (OSError, StoreError) as error:
            why = getattr(error, "strerror", None) or getattr(error.__cause__, "strerror", error)
            raise InputError(
                f"{path}: cannot be written ({why}); name another folder by --out"
            ) from error
        console.note(f"wrote {path}")


def _to_stdout(reports: Sequence[Report], panels: Sequence[Panel], form: Format) -> None:
    if form is Format.TABLE:
        _print_tables(reports, panels)
    elif form is Format.JSON:
        console.say_json(document(reports, panels))
    else:
        typer.echo(rendered(reports, panels, form), nl=False)


def document(reports: Sequence[Report], panels: Sequence[Panel]) -> dict[str, Json]:
    """All of it as one JSON document."""
    from analyzers.report.json_text import report_document
    from analyzers.report.panels import panel_document

    return {**report_document(reports), "analyses": panel_document(panels)}


def rendered(reports: Sequence[Report], panels: Sequence[Panel], form: Format) -> str:
    """All of it as one text."""
    from analyzers.report.panels import panel_grid, panels_csv

    grids = [panel_grid(panel) for panel in panels]
    if form is Format.MD:
        from analyzers.report.markdown import render_grids, render_markdown

        parts = [render_markdown(report) for report in reports]
        return "\n".join([*parts, render_grids(grids)] if grids else parts)
    if form is Format.LATEX:
        from analyzers.report.latex import latex_table, render_latex

        parts = [render_latex(report) for report in reports]
        parts += ["\n".join(latex_table(grid)) + "\n" for grid in grids]
        return "\n".join(parts)
    if form is Format.CSV:
        from analyzers.report.csv_text import render_csv

        return panels_csv(panels) if panels else render_csv(reports)
    if form is Format.JSON:
        return json.dumps(document(reports, panels), allow_nan=False, indent=1) + "\n"
    from analyzers.report.terminal import render, render_grid

    blocks = ["\n".join(line.plain for line in render(report, width=120)) for report in reports]
    blocks += ["\n".join(line.plain for line in render_grid(grid, width=120)) for grid in grids]
    return "\n\n\n".join(blocks) + "\n"


def _print_tables(reports: Sequence[Report], panels: Sequence[Panel]) -> None:
    from analyzers.report.panels import panel_grid
    from analyzers.report.terminal import render, render_grid

    stdout = console.out()
    looks: dict[str, Any] = {"width": stdout.width, "unicode": console.unicode_ok()}
    blocks = [render(report, **looks) for report in reports]
    blocks += [render_grid(panel_grid(panel), **looks) for panel in panels]
    for number, lines in enumerate(blocks):
        if number:
            console.say()
            console.say()
        for line in lines:
            stdout.print(line, soft_wrap=True)
