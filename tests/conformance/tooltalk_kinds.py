"""ToolTalk cases: scripted agents over whole conversations, and sequences of tool calls."""

from __future__ import annotations

import copy
import functools
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sandboxes.tooltalk.files import SPLITS, read_conversations, read_databases
from sandboxes.tooltalk.replay import Conversation, Made, execute, play, read_conversation
from sandboxes.tooltalk.similarity import Similarity
from sandboxes.tooltalk.state import Databases, World
from sandboxes.tooltalk.verdict import GraderCrashError, Verdict, judge
from tests.conformance.cases import Case, cases_of, data_folder, read_lines

TOKEN = "11111111-2222-3333"
"""Session of the signed-in user of a sequence."""
_PYTHONS_OWN = {
    "TypeError": r"\w+\.call\(\) (missing|got an unexpected|got some|got multiple|takes)"
    r"|strptime\(\) argument|unhashable type|argument of type|expected string"
    r"|'\w+' object is not iterable",
    "AttributeError": r"'\w+' object has no attribute",
    "ValueError": r"time data .* does not match|unconverted data remains|day is out of range",
    "KeyError": r"datetime\.date\(|'[^']*'$",
}
"""Class of exception to what Python says then; only the class is compared."""


def due_cases(golden_dir: Path) -> list[Case]:
    """Every case of both files."""
    return [
        *cases_of(golden_dir / "tooltalk_replay.jsonl", _replay_cases),
        *cases_of(golden_dir / "tooltalk_sandbox.jsonl", _sequence_cases),
    ]


@functools.cache
def databases() -> Databases:
    return read_databases(Path(data_folder("tooltalk")))


@functools.cache
def conversations() -> Mapping[str, Conversation]:
    folder = Path(data_folder("tooltalk"))
    return {
        name: read_conversation(document)
        for split in SPLITS
        for name, document in read_conversations(folder, split).items()
    }


def similarity_of(row: Mapping[str, Any]) -> Similarity:
    """The table of a case in either order, else equality."""
    table = {(first, second): score for first, second, score in row["similarity_pairs"]}

    def similarity(first: str, second: str) -> float:
        if (first, second) in table:
            return float(table[first, second])
        return float(table.get((second, first), first == second))

    return similarity


def played(row: Mapping[str, Any]) -> list[list[Made]]:
    turns = [
        [(call["api_name"], copy.deepcopy(call["parameters"])) for call in turn]
        for turn in row["turns"]
    ]
    return play(databases(), conversations()[row["conversation"]], turns)


def judged(row: Mapping[str, Any], mode: str = "official") -> Verdict:
    gold = [turn.calls for turn in conversations()[row["conversation"]].turns]
    return judge(played(row), gold, mode, similarity_of(row))


def _replay_cases(path: Path) -> list[Case]:
    return [(row["id"], functools.partial(_check_replay, row)) for row in read_lines(path)]


def _check_replay(row: Mapping[str, Any]) -> None:
    expected, made = row["expected"], played(row)
    assert len(made) == len(expected["executed"])
    for calls, wanted in zip(made, expected["executed"], strict=True):
        assert len(calls) == len(wanted)
        for call, result in zip(calls, wanted, strict=True):
            _check_result(call, result)
    if "grader_error" in expected:
        _check_crash(row)
        return
    verdict = judged(row)
    turns = range(len(made))
    flags = [
        [
            {"match": call.gold is not None, "bad_action": call.bad}
            for call in verdict.calls
            if call.turn == turn
        ]
        for turn in turns
    ]
    assert flags == expected["prediction_flags"]
    reached = [
        [index in verdict.served for index, due in enumerate(verdict.gold_turns) if due == turn]
        for turn in turns
    ]
    assert reached == expected["ground_truth_match"]
    assert verdict.counts.metrics() == expected["metrics"]
    assert verdict.error_types(len(made)) == expected["error_types"]


def _check_crash(row: Mapping[str, Any]) -> None:
    with pytest.raises(GraderCrashError, match=row["expected"]["grader_error"] + ":"):
        judged(row)


def _check_result(call: Made, wanted: Mapping[str, Any]) -> None:
    assert call.response == wanted["response"]
    if call.error_type is None or wanted["exception"] is None:
        assert call.exception == wanted["exception"]
    else:
        assert re.match(_PYTHONS_OWN[call.error_type], wanted["exception"]), (
            f"{call.error_type}: {call.exception!r}, expected {wanted['exception']!r}"
        )


def _sequence_cases(path: Path) -> list[Case]:
    return [(row["id"], functools.partial(_check_sequence, row)) for row in read_lines(path)]


def _check_sequence(row: Mapping[str, Any]) -> None:
    world = World(databases())
    username = row["logged_in_user"]
    user = {"username": username, "session_token": TOKEN} if username else {}
    world.begin(row["now"], {**user, "verification_code": row["verification_code"]})
    for asked, wanted in zip(row["calls"], row["expected"], strict=True):
        call = execute(world, asked["api_name"], copy.deepcopy(asked["parameters"]))
        _check_result(call, wanted)
        assert world.session == wanted["session_token_after"]
    assert _changed(world, username) == row["changed_records"]


def _changed(world: World, username: str | None) -> dict[str, Any]:
    """Database to user to everything stored now, for what is not as at the start."""
    start = World(databases())
    if username:
        start.begin("1970-01-01 00:00:00", {"username": username, "session_token": TOKEN})
    found: dict[str, Any] = {}
    for name in databases():
        before, after = start.entries(name), world.entries(name)
        changed = {
            owner: after.get(owner)
            for owner in {**before, **after}
            if before.get(owner) != after.get(owner)
        }
        if changed:
            found[name] = changed
    return found
