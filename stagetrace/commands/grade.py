"""`stagetrace grade`: the verdicts of a suite on stored or foreign traces, without an agent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stagetrace import console
from stagetrace.options import InspectCondition
from tracer.printable import printable

if TYPE_CHECKING:
    from stagetrace.grading import Graded
    from tracer.records import Done, Json

_SHOWN = 20
"""Lines of what did not match, before the rest is counted."""


def grade(
    traces: Annotated[
        Path, typer.Argument(help="Run folder, folder or file of traces, or address of a server.")
    ],
    suite: Annotated[str, typer.Option(help="What they are graded against: office, tasks:PATH.")],
    mode: Annotated[str | None, typer.Option(help="Grading: official, strict, revised.")] = None,
    match: Annotated[
        str, typer.Option(help="How a trace finds its task: item, request, or an attribute's name.")
    ] = "item",
    tools: Annotated[
        str | None, typer.Option(help="MODULE:ATTR of tools of your own, for tasks:PATH.")
    ] = None,
    inspect_condition: InspectCondition = "condition",
    out: Annotated[
        Path | None, typer.Option(help="New run folder for analyze; or a file NAME.jsonl.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> None:
    """Grade traces that are there already, ours or foreign ones, in any mode of a suite.

    Status 1 when a trace belongs to no task or a grader broke. What is written holds this one mode
    only; the verdicts in a run folder stay as they are.
    """
    from stagetrace.grading import grade_traces, write_records, write_run
    from stagetrace.suite import open_suite

    sandbox = open_suite(suite, mode, grading=True, tools=tools)
    graded = grade_traces(traces, sandbox, match, inspect_condition)
    if out is not None and out.suffix == ".jsonl":
        write_records(graded, out)
    elif out is not None:
        write_run(graded, out)
    if as_json:
        console.say_json(_document(graded, out))
    else:
        _say(graded, out)
    if graded.left or any(done.status == "failed" for done in graded.done):
        raise typer.Exit(1)


def _document(graded: Graded, out: Path | None) -> dict[str, Json]:
    return {
        "suite": graded.suite,
        "mode": graded.mode,
        "data_version": graded.data_version,
        "schema_hash": graded.schema_hash,
        "match": graded.match,
        "out": None if out is None else str(out),
        "conditions": list(_rows(graded.done)),
        "failed": [{"item": d.item, "error": d.error} for d in graded.done if d.status == "failed"],
        "unmatched": [
            {"trace": left.trace_id, "name": left.name, "why": left.why} for left in graded.left
        ],
        "items_without_trace": graded.missing,
    }


def _rows(records: Sequence[Done]) -> Iterator[dict[str, Json]]:
    """One row a condition: how many were graded and what the verdicts are; None where none is."""
    for condition in dict.fromkeys(done.condition for done in records):
        mine = [done for done in records if done.condition == condition]
        outcomes = [done.outcome for done in mine if done.outcome is not None]
        yield {
            "condition": condition,
            "traces": len(mine),
            "graded": len(outcomes),
            "success": _count([outcome.success for outcome in outcomes]),
            "answer_right": _count([outcome.answer_correct for outcome in outcomes]),
            "side_effects": _count([outcome.unwanted_side_effect for outcome in outcomes]),
            "grader_errors": sum(outcome.grader_error is not None for outcome in outcomes),
        }


def _count(flags: Sequence[bool | None]) -> str | None:
    known = [flag for flag in flags if flag is not None]
    return f"{sum(known)} of {len(known)}" if known else None


def _say(graded: Graded, out: Path | None) -> None:
    console.say(printable(f"{graded.suite}, mode {graded.mode}, data {graded.data_version}"))
    console.say()
    rows = [
        {key: printable("-" if value is None else str(value)) for key, value in row.items()}
        for row in _rows(graded.done)
    ]
    heads = {key: key.replace("_", " ") for key in rows[0]}
    for line in console.columns(rows, heads):
        console.say(line)
    failed = [done for done in graded.done if done.status == "failed"]
    _say_some(
        f"{len(failed)} traces have no verdict",
        [f"{done.item} {done.condition}: {done.error}" for done in failed],
    )
    _say_some(
        f"{len(graded.left)} traces belong to no task",
        [f"{left.trace_id[:12]}: {left.why}" for left in graded.left],
    )
    _say_some(f"{len(graded.missing)} items have no trace", graded.missing)
    console.say()
    if out is None:
        console.say("nothing was written; --out FOLDER keeps the verdicts for stagetrace analyze")
    elif out.suffix == ".jsonl":
        console.say(printable(f"done-records: {out}"))
    else:
        console.say(printable(f"next: stagetrace analyze {out}"))


def _say_some(head: str, lines: Sequence[str]) -> None:
    if not lines:
        return
    console.say()
    console.say(head)
    for line in lines[:_SHOWN]:
        console.say(f"  {printable(line)}")
    if len(lines) > _SHOWN:
        console.say(f"  and {len(lines) - _SHOWN} more; --json lists all")
