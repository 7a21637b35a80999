"""The verdict on one run: answers part by part, calls one to one, the end state row by row."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sandboxes.matching import meets, pair_up
from sandboxes.office.answers import MATCHER, abstains, part_held, part_held_plainly
from sandboxes.office.conversations import begin
from sandboxes.office.rules import arguments_meet
from sandboxes.office.state import State
from sandboxes.office.tasks import alternatives, gold_calls
from sandboxes.office.tools import bind
from sandboxes.office.world import DATA, Office, read_text
from tracer.records import (
    Call,
    CallKind,
    CallVerdict,
    Change,
    GoldCall,
    Json,
    Outcome,
    Task,
    Trace,
)

MODE = "strict"
_FREE = {"mail": {"subject", "body", "quoted", "answers", "date", "thread"}, "event": {"title"}}
"""What an added row may hold when the key says nothing; anything else must be as if left out."""
_FREE["event"] |= {"notes", "location", "organiser"}
_FREE["todo"] = {"notes"}
_LEFT_OUT: Mapping[str, Json] = {
    "folder": "sent",
    "read": True,
    "flagged": False,
    "kind": "person",
    "status": "confirmed",
}


def grade(office: Office, task: Task, trace: Trace, schema_hash: str = "") -> Outcome:
    """The verdict, from the task and the stored trace alone.

    The calls are played again on a fresh world: tools are deterministic, and a foreign trace need
    not carry results.
    """
    if task.form == "question":
        return _grade_question(office, task, trace, schema_hash)
    if task.form == "conversation":
        return _grade_conversation(office, task, trace, schema_hash)
    return _grade_actions(office, task, trace, schema_hash)


def _grade_question(office: Office, task: Task, trace: Trace, schema_hash: str) -> Outcome:
    answer = trace.answer or ""
    parts = task.detail["parts"]
    errored = trace.error is not None
    if task.detail["absence"]:
        phrases = json.loads(read_text(DATA / "abstentions.json"))["phrases"]
        correct = abstains(answer, phrases, parts)
        plain = correct
    else:
        correct = all(part_held(answer, part) for part in parts)
        plain = all(part_held_plainly(answer, part) for part in parts)
    strict = task.detail["strict"]
    return Outcome(
        mode=MODE,
        data_version=office.version,
        schema_hash=schema_hash,
        relevant=task.relevant,
        relevant_strict=None if strict is None else tuple(tuple(group) for group in strict),
        gold_answers=task.answers,
        answer_correct=correct and not errored,
        answer_matcher=MATCHER,
        errored=errored,
        flags={"am": plain and not errored, "absence": task.detail["absence"]},
    )


def _grade_actions(office: Office, task: Task, trace: Trace, schema_hash: str) -> Outcome:
    detail, answer, errored = task.detail, trace.answer or "", trace.error is not None
    state = State(office)
    start = state.digest()
    played = list(_play(state, trace.calls))
    ends = _ends(state.difference(), detail["expect"])
    wanted, matched = _best_match(detail["calls"], played)
    parts = detail["parts"]
    answer_right = all(part_held(answer, part) for part in parts) if parts else None
    asked = _asks_back(answer, detail["candidates"]) if detail["ask_back"] else None
    right = ends.right and answer_right is not False and asked is not False and not errored
    return Outcome(
        mode=MODE,
        data_version=office.version,
        schema_hash=schema_hash,
        gold_scope="all",
        gold_answers=task.answers if parts else (),
        answer_correct=None if answer_right is None else answer_right and not errored,
        answer_matcher=MATCHER if parts else "",
        required_calls=wanted,
        calls=tuple(
            CallVerdict(tool.kind, tool.failed, matched.get(index))
            for index, tool in enumerate(played)
        ),
        state_before=start,
        state_after=state.digest(),
        state_expected=expected_digest(office, wanted),
        success=right,
        unwanted_side_effect=ends.unwanted > 0,
        unwanted_changes=ends.unwanted,
        failed_to_act=ends.expected > 0 and not ends.changed,
        asked_back=asked,
        errored=errored,
        flags={"state_right": ends.right},
    )


def _grade_conversation(office: Office, task: Task, trace: Trace, schema_hash: str) -> Outcome:
    """Turn by turn: each begins in the world that the answer key's earlier turns leave."""
    state = State(office)
    start = state.digest()
    wanted: list[GoldCall] = []
    verdicts: dict[int, CallVerdict] = {}
    every: list[_Ends] = []
    for turn, key in enumerate(task.detail["turns"]):
        begin(state, task, turn)
        before = state.snapshot()
        places = [n for n, call in enumerate(trace.calls) if _turn_of(call, task) == turn]
        played = list(_play(state, [trace.calls[place] for place in places]))
        every.append(_ends(state.difference(before), key["expect"]))
        gold, matched = _best_match(key["calls"], played, turn)
        for index, (place, tool) in enumerate(zip(places, played, strict=True)):
            serves = matched.get(index)
            shown = None if serves is None else serves + len(wanted)
            verdicts[place] = CallVerdict(tool.kind, tool.failed, shown)
        wanted += gold
    errored = trace.error is not None
    unwanted = sum(ends.unwanted for ends in every)
    return Outcome(
        mode=MODE,
        data_version=office.version,
        schema_hash=schema_hash,
        gold_scope="all",
        required_calls=tuple(wanted),
        calls=tuple(verdicts[place] for place in sorted(verdicts)),
        state_before=start,
        state_after=state.digest(),
        state_expected=expected_digest(office, wanted),
        success=all(ends.right for ends in every) and not errored,
        unwanted_side_effect=unwanted > 0,
        unwanted_changes=unwanted,
        failed_to_act=any(ends.expected for ends in every)
        and not any(ends.changed for ends in every),
        errored=errored,
        flags={"state_right": all(ends.right for ends in every)},
    )


def _turn_of(call: Call, task: Task) -> int:
    """The turn a call was made in; one beyond the last belongs to the last."""
    return min(max(call.turn, 0), len(task.turns) - 1)


@dataclass(frozen=True, slots=True)
class _Ends:
    """How what changed stands to what was to change."""

    changed: int
    expected: int
    met: int

    @property
    def unwanted(self) -> int:
        return self.changed - self.met

    @property
    def right(self) -> bool:
        return self.changed == self.expected == self.met


def _ends(changes: Sequence[Change], expect: Sequence[Mapping[str, Json]]) -> _Ends:
    return _Ends(len(changes), len(expect), len(pair_up(changes, expect, _change_met)))


@dataclass(frozen=True, slots=True)
class _Played:
    """One call of the trace with what the world answered."""

    call: Call
    kind: CallKind
    result: Json
    failed: bool

    def serves(self, gold: Mapping[str, Json]) -> bool:
        """Whether the call is the one that the answer key asks for."""
        if self.failed:
            return False
        if "returns" in gold:
            return self.call.name in gold["tools"] and set(gold["returns"]) <= set(
                _returned(self.result)
            )
        return self.call.name == gold["tool"] and arguments_meet(
            self.call.arguments or {}, gold["arguments"]
        )


def _play(state: State, calls: Sequence[Call]) -> Iterator[_Played]:
    tools = {tool.name: tool for tool in bind(state)}
    for call in calls:
        tool = tools.get(call.name)
        never_made = call.status in ("unfinished", "malformed")
        if tool is None or call.arguments is None or never_made:
            result: Json = {"error": "not made"}
        elif call.error is not None:
            result = {"error": call.error}
        else:
            result = tool.run(**call.arguments)
        kind: CallKind = call.kind
        if tool is not None:
            kind = "write" if tool.writes else "read"
        failed = isinstance(result, Mapping) and "error" in result
        yield _Played(call, kind, result, failed)


def _best_match(
    calls: Sequence[Mapping[str, Json]], played: Sequence[_Played], turn: int | None = None
) -> tuple[tuple[GoldCall, ...], dict[int, int]]:
    """The alternative of the key that fits best, and which of its calls each call serves."""
    best: tuple[int, tuple[GoldCall, ...], dict[int, int]] | None = None
    for choice in alternatives(calls):
        required = [i for i, gold in enumerate(choice) if not gold.get("optional")]
        order = required + [i for i in range(len(choice)) if i not in required]
        # Gold first, required before optional: a required call is never lost to an optional one.
        pairs = pair_up([choice[i] for i in order], played, lambda gold, made: made.serves(gold))
        matched = {made: order[position] for position, made in pairs.items()}
        lost = len(required) - sum(index in required for index in matched.values())
        if best is None or lost < best[0]:
            best = (lost, gold_calls(choice, turn), matched)
    assert best is not None
    return best[1], best[2]


def _change_met(change: Change, expected: Mapping[str, Json]) -> bool:
    if (change.op, change.entity) != (expected["op"], expected["table"]):
        return False
    if change.op == "remove":
        return bool(change.key == expected["key"])
    fields, after = expected["fields"], change.after or {}
    if change.op == "replace":
        return change.key == expected["key"] and (
            after.keys() == fields.keys() and all(meets(after[n], fields[n]) for n in fields)
        )
    free = {"id", *fields, *_FREE[change.entity]}
    if "forwards" in fields:
        free.add("attachments")
    rest = {name: value for name, value in after.items() if name not in free}
    return all(meets(after.get(name), rule) for name, rule in fields.items()) and all(
        _as_left_out(name, value) for name, value in rest.items()
    )


def _as_left_out(name: str, value: Json) -> bool:
    if name == "from":
        return True
    return bool(value == _LEFT_OUT[name]) if name in _LEFT_OUT else not value


def _returned(result: Json) -> Iterator[str]:
    if isinstance(result, Mapping):
        if isinstance(result.get("id"), str):
            yield result["id"]
        for value in result.values():
            yield from _returned(value)
    elif isinstance(result, list | tuple):
        for value in result:
            yield from _returned(value)


def _asks_back(answer: str, candidates: Sequence[str]) -> bool:
    text = answer.casefold()
    both = bool(candidates) and all(name.casefold() in text for name in candidates)
    return "?" in answer and ("which" in text or both)


def expected_digest(office: Office, calls: Sequence[GoldCall]) -> str:
    """Digest of the state after the calls of the answer key."""
    state = State(office)
    tools = {tool.name: tool for tool in bind(state)}
    for call in calls:
        if call.writes:
            tools[call.name].run(**call.arguments)
    return state.digest()
