"""ToolTalk's rules of grading: the published ones, and how `strict` mends their faults."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sandboxes.tooltalk import Tooltalk
from sandboxes.tooltalk.grade import grade
from sandboxes.tooltalk.replay import UNFINISHED, Conversation, Made, play, read_conversation
from sandboxes.tooltalk.similarity import EmbedderSimilarity, Similarity, equal_texts, name_of
from sandboxes.tooltalk.verdict import (
    Counts,
    GraderCrashError,
    Verdict,
    judge,
    summary,
)
from tests.conformance.cases import read_lines
from tests.conformance.tooltalk_kinds import similarity_of
from tracer.records import Call, Json, ModelSource, Outcome, Request, Task, Trace


class Boxes:
    """Both modes over one folder, and a short way to their verdicts."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.official = self.open("all")
        self.strict = self.open("all", mode="strict")
        self.tasks = {task.item.split("-", 2)[2]: task for task in self.official.tasks()}

    def open(self, part: str, **options: Any) -> Tooltalk:
        return Tooltalk(part, data=lambda name: str(self.data / name), **options)

    def pair(self, name: str, calls: Sequence[Call]) -> tuple[Outcome, Outcome]:
        """The verdicts of both modes on the same calls."""
        task = self.tasks[name]
        trace = trace_of(task, calls)
        return self.official.grade(task, trace), self.strict.grade(task, trace)


@pytest.fixture(scope="module")
def boxes(data_dir: Path) -> Boxes:
    return Boxes(data_dir)


def trace_of(task: Task, calls: Sequence[Call], **fields: Any) -> Trace:
    return Trace("1" * 32, Request(task.item, task.text), calls=tuple(calls), **fields)


def gold(boxes: Boxes, name: str) -> list[Call]:
    return [
        Call(call.name, call.arguments, turn=call.turn or 0)
        for call in boxes.tasks[name].calls or ()
    ]


def changed(call: Call, **arguments: Json) -> Call:
    return replace(call, arguments={**(call.arguments or {}), **arguments})


def with_changed(calls: list[Call], name: str, **arguments: Json) -> list[Call]:
    """The calls with other arguments in the first call of a tool."""
    place = next(i for i, call in enumerate(calls) if call.name == name)
    return [changed(c, **arguments) if i == place else c for i, c in enumerate(calls)]


# The answer key


@pytest.mark.parametrize("mode", ["official", "strict"])
@pytest.mark.parametrize("free", ["", "-free"])
def test_gold_as_prediction_succeeds_everywhere(boxes: Boxes, mode: str, free: str) -> None:
    box = boxes.open("all" + free, mode=mode)
    tasks = list(box.tasks())
    outcomes = [
        box.grade(
            task,
            trace_of(task, [Call(c.name, c.arguments, turn=c.turn or 0) for c in task.calls or ()]),
        )
        for task in tasks
    ]
    assert [outcome.success for outcome in outcomes] == [True] * 78
    for task, outcome in zip(tasks, outcomes, strict=True):
        assert sorted(c.matched for c in outcome.calls if c.matched is not None) == list(
            range(len(task.calls or ()))
        )
        assert {call.timing for call in outcome.calls} == {"in_turn"}
        assert not outcome.flags["early_call"]
        assert outcome.flags["free_running"] is bool(free)


def test_golden_replays_graded_as_traces_have_the_published_flags(
    boxes: Boxes, specs_dir: Path
) -> None:
    for row in list(read_lines(specs_dir / "golden" / "tooltalk_replay.jsonl"))[::5]:
        task = boxes.tasks[row["conversation"]]
        calls = [
            Call(
                call["api_name"],
                call["parameters"],
                turn=turn,
                status="ok" if call["parameters"] is not None else "malformed",
            )
            for turn, asked in enumerate(row["turns"])
            for call in asked
        ]
        blank = Outcome("official")
        outcome = grade(
            task, trace_of(task, calls), boxes.official._databases, similarity_of(row), blank
        )
        expected = row["expected"]
        if "grader_error" in expected:
            assert outcome.success is None
            assert (outcome.grader_error or "").startswith(expected["grader_error"])
            continue
        assert outcome.success == expected["metrics"]["success"], row["id"]
        flags = [flag for turn in expected["prediction_flags"] for flag in turn]
        assert [call.matched is not None for call in outcome.calls] == [f["match"] for f in flags]
        bad = [c.kind == "write" and c.matched is None and not c.failed for c in outcome.calls]
        assert bad == [flag["bad_action"] for flag in flags]
        kinds = {
            k.replace("-", "_").replace(" ", "_"): v for k, v in expected["error_types"].items()
        }
        assert {name: outcome.flags[name] for name in kinds} == {k: v > 0 for k, v in kinds.items()}


def test_grading_ignores_the_present_state(boxes: Boxes) -> None:
    task = boxes.tasks["AddAlarm-easy"]
    trace = trace_of(task, gold(boxes, "AddAlarm-easy"))
    before = boxes.official.grade(task, trace)
    boxes.official.reset(boxes.tasks["UserLogin-easy"])
    digest = boxes.official.state_digest()
    assert boxes.official.grade(task, trace) == before
    assert boxes.official.state_digest() == digest


def test_calls_out_of_trace_order_keep_their_verdicts(boxes: Boxes) -> None:
    """Verdicts stand in the order of the trace, whatever turn a call names."""
    calls = gold(boxes, "Email-Messages-Reminder-SendEmail-2")
    outcome, _ = boxes.pair("Email-Messages-Reminder-SendEmail-2", [calls[-1], *calls[:-1]])
    assert [call.matched for call in outcome.calls] == [4, 0, 1, 2, 3]


# Known faults, each as a pair: official shows it, strict mends it


def test_a_receiver_is_never_checked(boxes: Boxes) -> None:
    calls = with_changed(gold(boxes, "SendMessage-easy"), "SendMessage", receiver="nobody")
    official, strict = boxes.pair("SendMessage-easy", calls)
    assert (official.success, strict.success) == (True, False)


def test_a_failed_action_is_never_bad(boxes: Boxes) -> None:
    calls = [*gold(boxes, "AddAlarm-easy"), Call("DeleteAlarm", {"alarm_id": "zzzz-zzzz"})]
    official, strict = boxes.pair("AddAlarm-easy", calls)
    assert (official.success, strict.success) == (True, False)


def test_a_null_date_ends_the_published_grader(boxes: Boxes) -> None:
    name = "Messages-Reminder-Weather-AddReminder-1"
    official, strict = boxes.pair(
        name, with_changed(gold(boxes, name), "AddReminder", due_date=None)
    )
    assert official.success is None
    assert (official.grader_error or "").startswith("TypeError")
    assert (strict.success, strict.grader_error) == (False, None)


def test_a_number_for_a_text_ends_the_published_grader(boxes: Boxes) -> None:
    calls = with_changed(gold(boxes, "SendMessage-easy"), "SendMessage", message=7)
    official, strict = boxes.pair("SendMessage-easy", calls)
    assert (official.success, strict.success) == (None, False)
    assert len(official.calls) == len(strict.calls) == 1


MEETING = {
    "session_token": "t",
    "name": "Plan",
    "event_type": "meeting",
    "start_time": "2023-09-12 09:00:00",
    "end_time": "2023-09-12 10:00:00",
    "attendees": ["ann", "ben"],
}


def matched(mode: str, made: Made, gold_call: Made, similarity: Similarity = equal_texts) -> bool:
    return judge([[made]], [[gold_call]], mode, similarity).served == {0}


def both(made: Made, gold_call: Made) -> tuple[bool, bool]:
    return matched("official", made, gold_call), matched("strict", made, gold_call)


def test_attendees_count_in_their_order(boxes: Boxes) -> None:
    swapped = Made("CreateEvent", {**MEETING, "attendees": ["ben", "ann"]}, user="me")
    assert both(swapped, Made("CreateEvent", MEETING)) == (False, True)


def test_the_users_own_name_counts_among_attendees() -> None:
    named = Made("CreateEvent", {**MEETING, "attendees": ["ann", "ben", "me"]}, user="me")
    assert both(named, Made("CreateEvent", MEETING)) == (False, True)
    other = Made("CreateEvent", {**MEETING, "attendees": ["ann", "ben", "eve"]}, user="me")
    assert both(other, Made("CreateEvent", MEETING)) == (False, False)


def test_times_count_as_texts(boxes: Boxes) -> None:
    short = Made("CreateEvent", {**MEETING, "start_time": "2023-9-12 9:00:00"})
    assert both(short, Made("CreateEvent", MEETING)) == (False, True)
    (alarm,) = gold(boxes, "AddAlarm-easy")
    assert alarm.arguments == {"time": "18:30:00"}
    official, strict = boxes.pair("AddAlarm-easy", [changed(alarm, time="18:30:0")])
    assert (official.success, strict.success) == (False, True)


def test_what_an_action_writes_beyond_the_gold_call_is_ignored(boxes: Boxes) -> None:
    name = "UpdateAccountInformation-easy"
    assert "new_name" not in (gold(boxes, name)[0].arguments or {})
    calls = with_changed(gold(boxes, name), "UpdateAccountInformation", new_name="Somebody Else")
    official, strict = boxes.pair(name, calls)
    assert (official.success, strict.success) == (True, False)


def test_extra_arguments_that_change_nothing_are_harmless(boxes: Boxes) -> None:
    name = "ModifyEvent-easy"
    arguments = gold(boxes, name)[0].arguments or {}
    boxes.official.reset(boxes.tasks[name])
    tools = {tool.name: tool for tool in boxes.official.tools()}
    span = {"start_time": "2000-01-01 00:00:00", "end_time": "2100-01-01 00:00:00"}
    events = {event["event_id"]: event for event in tools["QueryCalendar"].run(**span)["events"]}
    event = events[arguments["event_id"]]
    field = "new_name" if "new_name" not in arguments else "new_location"
    kept = with_changed(
        gold(boxes, name), "ModifyEvent", **{field: event[field.removeprefix("new_")]}
    )
    other = with_changed(gold(boxes, name), "ModifyEvent", **{field: "something else"})
    assert [outcome.success for outcome in boxes.pair(name, kept)] == [True, True]
    assert [outcome.success for outcome in boxes.pair(name, other)] == [True, False]


def test_a_city_counts_letter_by_letter(boxes: Boxes) -> None:
    (call,) = gold(boxes, "CurrentWeather-easy")
    upper = changed(call, location=" " + (call.arguments or {})["location"].upper())
    official, strict = boxes.pair("CurrentWeather-easy", [upper])
    assert (official.success, strict.success) == (False, True)


def test_true_passes_for_one() -> None:
    wanted = Made("DeleteAlarm", {"alarm_id": 1}, {"status": "success"})
    assert both(Made("DeleteAlarm", {"alarm_id": True}, {"status": "success"}), wanted) == (
        True,
        False,
    )


def test_any_look_serves_where_the_gold_call_found_nothing() -> None:
    wanted = Made(
        "QueryCalendar",
        {"start_time": "2023-09-18 00:00:00", "end_time": "2023-09-22 23:59:59"},
        {"events": []},
    )
    elsewhere = {"start_time": "2025-01-01 00:00:00", "end_time": "2025-01-02 00:00:00"}
    wider = {"start_time": "2023-09-01 00:00:00", "end_time": "2023-09-30 00:00:00"}
    assert both(Made("QueryCalendar", elsewhere, {"events": []}), wanted) == (True, False)
    assert both(Made("QueryCalendar", wider, {"events": [{"event_id": "x"}]}), wanted) == (
        True,
        True,
    )


def test_the_first_fit_may_leave_calls_unpaired() -> None:
    """With texts that are all alike to one, the published order of matching loses a pair."""
    scores = {("b", "a"): 1.0, ("b", "b"): 1.0, ("a", "a"): 1.0, ("a", "b"): 0.0}

    def similarity(first: str, second: str) -> float:
        return scores[first, second]

    made = [Made("SendMessage", {"receiver": "r", "message": text}) for text in ("b", "a")]
    wanted = [Made("SendMessage", {"receiver": "r", "message": text}) for text in ("a", "b")]
    official = judge([made], [wanted], "official", similarity)
    strict = judge([made], [wanted], "strict", similarity)
    assert (official.counts.matches, strict.counts.matches) == (1, 2)


def test_a_tool_called_too_seldom_is_taken_for_a_bad_call() -> None:
    wanted = [
        Made("QueryCalendar", {"start_time": day}, {"events": [{"event_id": day}]})
        for day in ("1", "2")
    ]
    made = [Made("QueryCalendar", {"start_time": "3"}, {"events": []})]
    kinds = {
        mode: judge([made], [wanted], mode, equal_texts).error_types(1)
        for mode in ("official", "strict")
    }
    assert kinds["official"] == {"over-trigger": 0, "bad planning": 0, "bad call": 1}
    assert kinds["strict"] == {"over-trigger": 0, "bad planning": 1, "bad call": 0}


def test_the_published_summary_divides_by_zero() -> None:
    """No call anywhere: the published code raises, both modes give the defined values."""
    silent = Counts(0, 4, 0, 0, 0, 0)
    assert summary([silent, silent]) == {
        "precision": 0.0,
        "recall": 0.0,
        "action_precision": 1.0,
        "bad_action_rate": 0.0,
        "success_rate": 0.0,
        "recall_mean": 0.0,
        "bad_action_rate_mean": 0.0,
    }


def test_a_summary_sums_first_and_means_beside_it() -> None:
    one, three = Counts(1, 1, 1, 1, 1, 0), Counts(2, 3, 0, 2, 0, 1)
    found = summary([one, three])
    assert found["recall"] == 0.25
    assert found["recall_mean"] == 0.5
    assert found["bad_action_rate"] == 1 / 3
    assert found["success_rate"] == 0.5


# Worked examples

SEND = "Email-Messages-Reminder-SendEmail-2"


def test_no_call_at_all(boxes: Boxes) -> None:
    outcome, _ = boxes.pair(SEND, [])
    assert outcome.success is False
    assert outcome.flags["bad_planning"]
    assert not outcome.flags["bad_call"]


def test_only_reads(boxes: Boxes) -> None:
    outcome, _ = boxes.pair(SEND, gold(boxes, SEND)[:1])
    assert (outcome.success, outcome.calls[0].matched) == (False, 0)


def test_an_action_made_twice_is_bad(boxes: Boxes) -> None:
    calls = gold(boxes, "AddAlarm-easy") * 2
    for outcome in boxes.pair("AddAlarm-easy", calls):
        assert outcome.success is False
        assert [call.matched for call in outcome.calls] == [0, None]


@pytest.mark.parametrize(
    ("argument", "score", "passes"),
    [("subject", 0.9, True), ("subject", 0.8, False), ("body", 0.8, True), ("body", 0.7, False)],
)
def test_a_score_at_the_threshold_passes(
    boxes: Boxes, argument: str, score: float, passes: bool
) -> None:
    def similarity(first: str, second: str) -> float:
        return 1.0 if first == second else score

    box = boxes.open("all", similarity=similarity)
    calls = with_changed(gold(boxes, SEND), "SendEmail", **{argument: "other words"})
    outcome = box.grade(boxes.tasks[SEND], trace_of(boxes.tasks[SEND], calls))
    assert outcome.success is passes
    assert outcome.similarity == "similarity"
    kept = {one.argument: one for one in outcome.comparisons}
    assert (kept[argument].score, kept[argument].call, kept[argument].gold) == (score, 4, 4)


# Turns


def test_an_early_call_is_named(boxes: Boxes) -> None:
    """Matching does not look at turns; the diagnosis does."""
    calls = gold(boxes, SEND)
    calls[-1] = replace(calls[-1], turn=0)
    for outcome in boxes.pair(SEND, calls):
        assert outcome.success is True
        assert [call.timing for call in outcome.calls] == ["in_turn"] * 4 + ["early"]
        assert outcome.flags["early_call"]
        assert not outcome.flags["late_call"]


def test_a_late_call_is_named_also_where_it_fails(boxes: Boxes) -> None:
    """A deletion one turn late finds nothing left to delete, because the gold call was made."""
    calls = gold(boxes, SEND)
    calls[1] = replace(calls[1], turn=1)
    outcome, _ = boxes.pair(SEND, calls)
    assert outcome.success is False
    assert outcome.calls[1].failed
    assert outcome.calls[1].matched is None
    assert outcome.calls[1].timing == "late"
    assert outcome.flags["late_call"]


def test_a_late_call_succeeds_when_running_free(boxes: Boxes) -> None:
    box = boxes.open("all-free")
    task = next(task for task in box.tasks() if task.item.endswith(SEND))
    calls = gold(boxes, SEND)
    calls[1] = replace(calls[1], turn=1)
    outcome = box.grade(task, trace_of(task, calls))
    assert outcome.success is True
    assert outcome.calls[1].timing == "late"


def test_a_call_that_serves_nothing_has_no_timing(boxes: Boxes) -> None:
    calls = [Call("AddAlarm", {"time": "01:02:03"})]
    assert boxes.pair(SEND, calls)[0].calls[0].timing is None


def test_a_turn_beyond_the_last_counts_to_the_last(boxes: Boxes) -> None:
    calls = [replace(call, turn=call.turn * 9) for call in gold(boxes, SEND)]
    assert boxes.pair(SEND, calls)[0].success is True


# Calls that were not made whole


def test_a_malformed_call_is_no_bad_action(boxes: Boxes) -> None:
    broken = Call("AddAlarm", None, status="malformed", raw='{"time": ')
    for outcome in boxes.pair("AddAlarm-easy", [broken, *gold(boxes, "AddAlarm-easy")]):
        assert outcome.success is True
        assert (outcome.calls[0].failed, outcome.calls[0].matched) == (True, None)


def test_an_unfinished_call_is_not_made_again(boxes: Boxes) -> None:
    hanging = replace(gold(boxes, "AddAlarm-easy")[0], status="unfinished")
    for outcome in boxes.pair("AddAlarm-easy", [hanging]):
        assert outcome.success is False
        assert outcome.calls[0].kind == "write"
        assert outcome.calls[0].matched is None


def test_an_unfinished_call_is_an_action_and_not_a_bad_one() -> None:
    hanging = Made("AddAlarm", {"time": "01:02:03"}, exception=UNFINISHED)
    for mode in ("official", "strict"):
        counts = judge([[hanging]], [[]], mode, equal_texts).counts
        assert (counts.actions, counts.bad_actions) == (1, 0)


def test_an_unknown_tool_is_no_action(boxes: Boxes) -> None:
    calls = [*gold(boxes, "AddAlarm-easy"), Call("Nope", {"a": 1})]
    for outcome in boxes.pair("AddAlarm-easy", calls):
        assert outcome.success is True
        assert (outcome.calls[1].kind, outcome.calls[1].failed) == ("unknown", True)


def test_arguments_that_were_not_captured_cannot_be_graded(boxes: Boxes) -> None:
    for outcome in boxes.pair("AddAlarm-easy", [Call("AddAlarm", None)]):
        assert outcome.success is None
        assert "not captured" in (outcome.grader_error or "")


def test_the_agents_own_error_makes_it_wrong(boxes: Boxes) -> None:
    task = boxes.tasks["AddAlarm-easy"]
    calls = gold(boxes, "AddAlarm-easy")
    outcome = boxes.official.grade(task, trace_of(task, calls, error="limit", status="error"))
    assert (outcome.success, outcome.errored) == (False, True)


# Similarity


class Letters:
    """An embedder that counts letters."""

    name = "letters"
    source = ModelSource("test", "letters")

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        rows = [[text.count(chr(97 + i)) for i in range(26)] for text in texts]
        return np.array(rows, dtype=np.float32)


def test_an_embedder_gives_its_cosine() -> None:
    similarity = EmbedderSimilarity(Letters())
    assert similarity("ab", "ba") == pytest.approx(1.0)
    assert similarity("ab", "bc") == pytest.approx(0.5)
    assert similarity("", "ab") == 0.0
    assert similarity("", "") == 1.0


def test_the_result_names_the_similarity(boxes: Boxes) -> None:
    box = boxes.open("all", similarity=Letters())
    task = boxes.tasks["SendMessage-easy"]
    calls = gold(boxes, "SendMessage-easy")
    with_letters = box.grade(task, trace_of(task, calls))
    assert with_letters.similarity == "letters"
    assert with_letters.flags["equal_texts_only"] is False
    without = boxes.official.grade(task, trace_of(task, calls))
    assert without.similarity == "equal texts"
    assert without.flags["equal_texts_only"] is True


def test_a_function_is_named_after_itself() -> None:
    assert name_of(equal_texts) == "equal texts"
    assert name_of(lambda first, second: 0.0) == "<lambda>"


def test_every_comparison_is_kept(boxes: Boxes) -> None:
    """Also those of pairs that did not match."""
    calls = gold(boxes, "SendMessage-easy") * 2
    calls[0] = changed(calls[0], message="other words")
    outcome, _ = boxes.pair("SendMessage-easy", calls)
    assert [(one.call, one.gold, one.score) for one in outcome.comparisons] == [
        (0, 0, 0.0),
        (1, 0, 1.0),
    ]
    assert {one.threshold for one in outcome.comparisons} == {0.8}


def test_a_null_text_scores_zero() -> None:
    null = Made("SendMessage", {"receiver": "r", "message": None})
    verdict = judge(
        [[null]],
        [[Made("SendMessage", {"receiver": "r", "message": "x"})]],
        "official",
        equal_texts,
    )
    assert [one.score for one in verdict.comparisons] == [0.0]


def test_the_crash_says_what_it_was() -> None:
    date = {"task": "t", "due_date": "2023-09-12 00:00:00"}
    with pytest.raises(GraderCrashError, match="TypeError"):
        judge(
            [[Made("AddReminder", {**date, "due_date": None})]],
            [[Made("AddReminder", date)]],
            "official",
            equal_texts,
        )


def test_error_types_are_counted_in_failed_conversations_only() -> None:
    read = Made("GetReminders", {}, {"reminders": []})
    verdict: Verdict = judge([[read, read]], [[read]], "official", equal_texts)
    assert verdict.counts.success
    assert verdict.error_types(1) == {"over-trigger": 0, "bad planning": 0, "bad call": 0}


def test_replay_keeps_partial_writes(boxes: Boxes) -> None:
    """A name that is written before the times are refused stays written, as published."""
    conversation: Conversation = read_conversation(
        boxes.tasks["ModifyEvent-easy"].detail["conversation"]
    )
    event_id = (gold(boxes, "ModifyEvent-easy")[0].arguments or {})["event_id"]
    turn = [
        ("ModifyEvent", {"event_id": event_id, "new_name": "kept", "new_start_time": "x"}),
        (
            "QueryCalendar",
            {"start_time": "2000-01-01 00:00:00", "end_time": "2100-01-01 00:00:00"},
        ),
    ]
    ((refused, listed),) = play(boxes.official._databases, conversation, [turn])
    assert refused.exception == "new_end_time must be provided if new_start_time is provided."
    assert "kept" in [event["name"] for event in listed.response["events"]]
