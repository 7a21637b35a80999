"""The verdict on a run of a user's own task: answer, calls one to one, the end state row by row.

Everything is read from the trace: a user's tools may reach the real world, so no call is made again
to grade it. Where the trace does not hold the changes, what depends on them is not available.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from sandboxes.matching import arguments_meet, meets, pair_up
from sandboxes.user_tools import replaced
from tracer.answer_text import answer_match, exact_match
from tracer.records import (
    Call,
    CallKind,
    CallVerdict,
    Change,
    GoldCall,
    Json,
    Outcome,
    Task,
    Tool,
    Trace,
)


def grade(task: Task, trace: Trace, tools: Mapping[str, Tool], blank: Outcome) -> Outcome:
    """The outcome of a run, from its trace alone.

    Args:
        task: The task, as `user_tasks.py` made it.
        trace: The run.
        tools: The user's tools by name; empty where they are not given.
        blank: An outcome with mode and versions filled in.
    """
    errored = trace.error is not None
    matcher = "em" if task.detail.get("answer_match") == "exact" else "am"
    correct: bool | None = None
    if task.answers:
        match = exact_match if matcher == "em" else answer_match
        correct = match(trace.answer or "", task.answers) == 1.0 and not errored
    outcome = replace(
        blank,
        relevant=task.relevant,
        gold_answers=task.answers,
        answer_correct=correct,
        answer_matcher=matcher if task.answers else "",
        errored=errored,
    )
    if task.form == "question":
        return outcome
    return _acted(task, trace, tools, outcome)


def _acted(task: Task, trace: Trace, tools: Mapping[str, Tool], outcome: Outcome) -> Outcome:
    kinds = [_kind(call, task.calls or (), tools) for call in trace.calls]
    failed = [call.error is not None or call.status != "ok" for call in trace.calls]
    matched = _matched(task, trace.calls, failed, tools)
    expect, changes = task.detail.get("expect"), observed(trace.calls, kinds)
    required = {i for i, gold in enumerate(task.calls or ()) if not gold.optional}
    made_all = None if task.calls is None else required <= set(matched.values())
    # A call of which nobody says that it writes cannot be one that should not be there.
    stray = [kinds[i] == "write" and not failed[i] and i not in matched for i in range(len(kinds))]
    state_right, unwanted = _state(expect, changes)
    if expect is None and task.calls is not None:
        unwanted = sum(stray)
    right = state_right if expect is not None else made_all and not any(stray)
    if task.calls is None and expect is None:
        right = outcome.answer_correct
    success = None if right is None else right and outcome.answer_correct is not False
    wrote = any(k != "read" and not bad for k, bad in zip(kinds, failed, strict=True))
    wants = bool(expect) or any(gold.writes for gold in task.calls or ())
    known = task.calls is not None or expect is not None
    return replace(
        outcome,
        required_calls=task.calls,
        calls=tuple(
            CallVerdict(kinds[i], failed[i], matched.get(i), timing=_timing(task, call, matched, i))
            for i, call in enumerate(trace.calls)
        ),
        state_before=next((call.state_before for call in trace.calls if call.state_before), None),
        state_after=next(
            (call.state_after for call in reversed(trace.calls) if call.state_after), None
        ),
        success=None if success is None else success and not outcome.errored,
        unwanted_side_effect=None if unwanted is None else unwanted > 0,
        unwanted_changes=unwanted if expect is not None else None,
        failed_to_act=(wants and not wrote) if known else None,
    )


def _kind(call: Call, gold: Sequence[GoldCall], tools: Mapping[str, Tool]) -> CallKind:
    if call.name in tools:
        return "write" if tools[call.name].writes else "read"
    if call.kind == "unknown" and any(g.writes for g in gold if g.name == call.name):
        return "write"
    return call.kind


def _matched(
    task: Task, calls: Sequence[Call], failed: Sequence[bool], tools: Mapping[str, Tool]
) -> dict[int, int]:
    """Index of a call to the index of the gold call it serves."""
    gold = list(task.detail.get("calls", ()))
    order = sorted(range(len(gold)), key=lambda i: bool(gold[i].get("optional")))

    def serves(index: int, place: int) -> bool:
        call, key = calls[place], gold[index]
        if failed[place] or call.name != key["tool"] or call.arguments is None:
            return False
        defaults = _defaults(tools.get(call.name))
        return arguments_meet(
            {
                **{k: v for k, v in defaults.items() if k in key.get("arguments", {})},
                **call.arguments,
            },
            key.get("arguments", {}),
            left_out=lambda name, value: (
                value is None
                or (name in defaults and meets(value, {"rule": "equal", "value": defaults[name]}))
            ),
        )

    # Gold first, required before optional: a required call is never lost to an optional one.
    pairs = pair_up(order, range(len(calls)), serves)
    return {place: order[position] for position, place in pairs.items()}


def _defaults(tool: Tool | None) -> Mapping[str, Json]:
    properties = {} if tool is None else tool.parameters.get("properties", {})
    return {name: schema["default"] for name, schema in properties.items() if "default" in schema}


def _timing(
    task: Task, call: Call, matched: Mapping[int, int], place: int
) -> Literal["in_turn", "early", "late"] | None:
    due = (task.calls or ())[matched[place]].turn if place in matched else None
    if due is None:
        return None
    return "in_turn" if call.turn == due else "early" if call.turn < due else "late"


def _state(
    expect: Sequence[Mapping[str, Json]] | None, changes: Sequence[Change] | None
) -> tuple[bool | None, int | None]:
    """Whether the state is as expected, and how many changes nobody asked for."""
    if expect is None or changes is None:
        return None, None
    met = pair_up(changes, expect, _change_met)
    return len(changes) == len(expect) == len(met), len(changes) - len(met)


def _change_met(change: Change, expected: Mapping[str, Json]) -> bool:
    if (change.op, change.entity) != (expected["op"], expected["table"]):
        return False
    if expected.get("key") not in (None, change.key):
        return False
    fields, after = expected.get("fields", {}), change.after or {}
    if change.op == "replace" and after.keys() != fields.keys():
        return False
    return change.op == "remove" or all(
        name in after and meets(after[name], rule) for name, rule in fields.items()
    )


def observed(calls: Sequence[Call], kinds: Sequence[CallKind]) -> tuple[Change, ...] | None:
    """What the calls changed in the end, one change a row; None where the trace does not tell.

    Example:
        >>> observed([], [])
        ()
    """
    rows: dict[tuple[str, str], Change] = {}
    for call, kind in zip(calls, kinds, strict=True):
        told = bool(call.changes) or (
            call.state_after is not None and call.state_after == call.state_before
        )
        if not told and kind != "read" and call.status not in ("malformed", "unfinished"):
            return None
        for change in call.changes:
            place = (change.entity, change.key)
            now = _then(rows.pop(place, None), change)
            if now is not None:
                rows[place] = now
    return tuple(rows.values())


def _then(first: Change | None, second: Change) -> Change | None:
    """Two changes of one row as one; None when they cancel."""
    if first is None:
        return second
    table, key = second.entity, second.key
    before, after = first.before or {}, second.after or {}
    if first.op == "add":
        if second.op == "remove":
            return None
        return Change("add", table, key, None, {**(first.after or {}), **after})
    if second.op == "remove":
        return Change("remove", table, key, {**(second.before or {}), **before}, None)
    if first.op == "replace":
        before = {**(second.before or {}), **before}
        after = {**(first.after or {}), **after}
    merged = replaced(table, key, before, after)
    return merged if merged.after else None
