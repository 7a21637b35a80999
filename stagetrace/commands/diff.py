"""`stagetrace diff`: one item in two wordings side by side, and where it starts to matter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from stagetrace import console
from tracer.errors import InputError
from tracer.records import Trace

if TYPE_CHECKING:
    from analyzers.steps import Node

Runs: TypeAlias = Mapping[str, Mapping[int, Trace]]
"""Condition to run to trace, of one item."""


def diff(
    traces: Annotated[
        Path, typer.Argument(metavar="RUN", help="Run folder, or folder or file of traces.")
    ],
    item: Annotated[str, typer.Argument(metavar="ITEM", help="The item, such as office-t17.")],
    conditions: Annotated[
        str,
        typer.Option(
            metavar="BASE,NAME,...",
            help="The base first, then what it is compared with; by default base and the first "
            "condition with another outcome.",
        ),
    ] = "",
    run: Annotated[
        int | None,
        typer.Option(min=1, help="Which run of the item; by default the first that differs."),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Show spans that only nest others, such as graph nodes.")
    ] = False,
    full: Annotated[bool, typer.Option("--full", help="Show long values whole.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> None:
    """Lay two runs of an item side by side: the first step that differs, the first that harms."""
    from analyzers.diff import diff_traces
    from stagetrace.diffview import findings_of, side_by_side
    from stagetrace.tracetext import View

    runs = _runs(traces, item)
    base, others = _conditions(runs, conditions, item)
    found, notes = [], []
    for other in others:
        number, note = _run(runs[base], runs[other], run, item)
        left, right = runs[base][number], runs[other][number]
        nodes = _nodes(traces, (left, right)) if every else ((), ())
        found.append(diff_traces(left, right, base_nodes=nodes[0], variant_nodes=nodes[1]))
        notes.append(note)
    if as_json:
        console.say_json({"diffs": findings_of(found)})
        return
    view = View(console.out().width, console.unicode_ok(), full)
    for place, (one, note) in enumerate(zip(found, notes, strict=True)):
        if place:
            console.say()
        for line in side_by_side(one, view, note):
            console.out().print(line, soft_wrap=True)


def _runs(path: Path, item: str) -> Runs:
    """The traces of one item.

    Raises:
        InputError: There is none.
    """
    from tracer.registry import nearest
    from tracer.store import read_traces

    found: dict[str, dict[int, Trace]] = {}
    names: dict[str, None] = {}
    for trace in read_traces(path):
        names[trace.request.item] = None
        if trace.request.item == item:
            found.setdefault(trace.request.condition, {})[trace.request.replicate] = trace
    if not found:
        known = sorted(name for name in names if name)[:200]
        offer = nearest(item, known) if known else "its traces name no items"
        raise InputError(f"{path}: no finished trace of the item {item!r}; {offer}")
    return found


def _conditions(runs: Runs, text: str, item: str) -> tuple[str, list[str]]:
    """The base and what it is compared with.

    Raises:
        InputError: One is not there, or there is nothing to compare.
    """
    from tracer.registry import nearest

    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in runs:
            raise InputError(
                f"{item!r} has no finished run in the condition {name!r}; {nearest(name, [*runs])}"
            )
    if len(names) > 1:
        return names[0], names[1:]
    base = names[0] if names else ("base" if "base" in runs else next(iter(runs)))
    others = [name for name in runs if name != base]
    if not others:
        raise InputError(f"{item!r} was run in {base!r} only; there is nothing to compare it with")
    return base, [next((name for name in others if _differs(runs[base], runs[name])), others[0])]


def _differs(base: Mapping[int, Trace], other: Mapping[int, Trace]) -> bool:
    return any(_outcome(base[run]) != _outcome(other[run]) for run in base.keys() & other.keys())


def _outcome(trace: Trace) -> tuple[bool | None, bool | None]:
    outcome = trace.outcome
    return (None, None) if outcome is None else (outcome.success, outcome.answer_correct)


def _run(
    base: Mapping[int, Trace], other: Mapping[int, Trace], asked: int | None, item: str
) -> tuple[int, str]:
    """Which run is shown, and how many differ.

    Raises:
        InputError: Both sides have no run in common, or lack the one asked for.
    """
    common = sorted(base.keys() & other.keys())
    if (asked is not None and asked - 1 not in common) or not common:
        there = ", ".join(str(run + 1) for run in common) or "none"
        raise InputError(f"{item!r}: no run {asked or 1} on both sides; runs on both: {there}")
    differing = [run for run in common if _outcome(base[run]) != _outcome(other[run])]
    chosen = asked - 1 if asked is not None else (differing or common)[0]
    if len(common) == 1:
        return chosen, ""
    return chosen, f"run {chosen + 1} shown; {len(differing)} of {len(common)} runs differ"


def _nodes(path: Path, traces: Sequence[Trace]) -> tuple[Sequence[Node], Sequence[Node]]:
    """The spans of both traces that are no step, with their places among all spans."""
    from tracer.fold import in_order, step_of
    from tracer.formats.otlp_json import latest
    from tracer.store import read_spans
    from tracer.stored import StoredSpan

    wanted: dict[str, list[StoredSpan]] = {trace.trace_id: [] for trace in traces}
    for span in read_spans(path):
        if span.trace_id in wanted:
            wanted[span.trace_id].append(span)
    made = []
    for trace in traces:
        spans = in_order(latest(wanted[trace.trace_id]))
        made.append(
            [
                (place, span.name, span.span_id)
                for place, span in enumerate(spans)
                if step_of(span) in ("agent", "node", "embeddings", "other")
            ]
        )
    return made[0], made[1]
