"""`stagetrace show`: the traces of a run or a file, or one trace as a tree."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from stagetrace import console
from stagetrace.options import InspectCondition
from stagetrace.tracetext import View
from stagetrace.traceview import listing, tree
from tracer.errors import InputError
from tracer.records import Trace
from tracer.registry import nearest
from tracer.store import read_traces


def show(
    traces: Annotated[
        Path, typer.Argument(help="Run folder, folder or file of traces, or address of a server.")
    ],
    item: Annotated[
        str | None, typer.Argument(help="Item, or beginning of a trace id; without it: a list.")
    ] = None,
    condition: Annotated[
        str | None, typer.Option(help="Only this condition, such as indirect.")
    ] = None,
    run: Annotated[int | None, typer.Option(min=1, help="Only this run of the item.")] = None,
    inspect_condition: InspectCondition = "condition",
    full: Annotated[bool, typer.Option("--full", help="Show long values whole.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> None:
    """Show what an agent did: every retrieval, model call and tool call of a trace, in order."""
    chosen = [
        trace
        for trace in read_traces(traces, condition_key=inspect_condition)
        if (condition is None or trace.request.condition == condition)
        and (run is None or trace.request.replicate == run - 1)
    ]
    if item is not None:
        chosen = _of_item(chosen, item, traces)
    if as_json:
        console.say_json({"traces": [msgspec.to_builtins(trace) for trace in chosen]})
    elif item is None:
        _list(chosen, traces)
    else:
        view = View(console.out().width, console.unicode_ok(), full)
        for number, trace in enumerate(chosen):
            if number:
                console.say()
            for line in tree(trace, view):
                console.out().print(line, soft_wrap=True)


def _of_item(traces: list[Trace], item: str, source: Path) -> list[Trace]:
    found = [
        trace
        for trace in traces
        if trace.request.item == item
        or (len(item) >= 4 and trace.trace_id.startswith(item.lower()))
    ]
    if not found:
        known = sorted({trace.request.item for trace in traces if trace.request.item})
        offer = nearest(item, known[:200]) if known else "no trace is left after the filters"
        raise InputError(f"{source}: no finished trace of {item!r}; {offer}")
    return found


def _list(traces: list[Trace], source: Path) -> None:
    heads = {name: name for name in ("item", "condition", "run", "trace", "verdict", "spans")}
    for line in console.columns(list(listing(traces)), heads):
        console.say(line)
    if traces:
        first = traces[0]
        console.say()
        console.say(f"next: stagetrace show {source} {first.request.item or first.trace_id[:12]}")
