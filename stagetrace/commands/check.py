"""`stagetrace check`: what is wrong with a file of traces or a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stagetrace import console
from tracer.printable import printable

if TYPE_CHECKING:
    from tracer.check import Checked


def check(
    traces: Annotated[
        Path,
        typer.Argument(
            help="Run folder, folder or file of traces, address of a server, or - for stdin."
        ),
    ],
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse at the first finding, with file and line.")
    ] = False,
    allow_empty: Annotated[
        bool, typer.Option("--allow-empty", help="A file without a span is fine.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> None:
    """Say what is wrong with traces, by class, file and line; status 0 when nothing is."""
    from tracer.check import check as check_traces

    checked = check_traces(traces, strict=strict, allow_empty=allow_empty)
    if as_json:
        console.say_json(checked.as_json())
    else:
        _tell(checked)
    if not checked.ok:
        raise typer.Exit(1)


def _tell(checked: Checked) -> None:
    report = checked.report
    used = report.spans - report.skipped
    console.say(
        f"{printable(checked.path)}: {checked.traces} traces, {used} of {report.spans} spans used, "
        f"{len(report.bad_lines)} of {report.lines} lines unreadable"
    )
    for line in report.lines_of_text():
        console.say(f"  {printable(line)}")
    for note in report.notes:
        console.say(f"  note: {printable(note)}")
    if checked.ok:
        console.say("nothing is wrong with it")
