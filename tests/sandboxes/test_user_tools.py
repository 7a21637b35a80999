"""The user's own tools: forms, marks, fresh worlds, gold calls by rule, expected states."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest

from sandboxes.user_tasks import UserTasks
from sandboxes.user_tools import make_world
from stagetrace.commandline import run
from tests.sandboxes import shop_tools
from tracer.errors import InputError
from tracer.fold import fold
from tracer.record import Recorder
from tracer.records import Call, Outcome, Request, Trace
from tracer.spans import item_span
from tracer.store import read_run
from tracer.testing import MemorySink
from tracer.wrap import wrap_tool

CANCEL = {
    "item": "t1",
    "text": "Cancel order o1, it comes too late, and note it for 9 March.",
    "calls": [
        {"tool": "find_order", "arguments": {"order": "o1"}, "optional": True},
        {
            "tool": "cancel_order",
            "arguments": {"order": {"rule": "ci", "value": "O1", "example": "o1"}},
        },
        {
            "tool": "add_note",
            "arguments": {
                "text": {"rule": "similar", "value": "order o1 cancelled"},
                "due": {"rule": "date", "value": "2026-03-09"},
            },
        },
    ],
    "expect": [
        {"op": "replace", "table": "order", "key": "o1", "fields": {"status": "cancelled"}},
        {"op": "add", "table": "note", "fields": {"due": {"rule": "date", "value": "2026-03-09"}}},
    ],
    "cluster": "orders",
}
NOTHING = {"item": "t2", "text": "Leave the orders as they are.", "calls": [], "expect": []}
TALK = {
    "item": "t3",
    "turns": [
        {
            "text": "How is o2?",
            "reply": "Open.",
            "calls": [{"tool": "find_order", "arguments": {"order": "o2"}}],
        },
        {
            "text": "Cancel it then.",
            "calls": [{"tool": "cancel_order", "arguments": {"order": "o2"}}],
        },
    ],
    "rewrites": {"casual": ["o2?", "cancel it"]},
}


def write(folder: Path, *tasks: dict[str, Any]) -> Path:
    text = "".join(json.dumps(task) + "\n" for task in tasks)
    (folder / "tasks.jsonl").write_text(text, encoding="utf-8")
    return folder


def box(folder: Path, *tasks: dict[str, Any], tools: Any = shop_tools.Shop) -> UserTasks:
    own = None if tools is None else (tools, "shop")
    return UserTasks(str(write(folder, *tasks)), data=str, tools=own)


def made(shop: UserTasks, *calls: tuple[str, dict[str, Any]], item: int = 0) -> Outcome:
    """The verdict on calls that are really made and traced, over a stored trace."""
    task = list(shop.tasks())[item]
    shop.reset(task)
    sink = MemorySink()
    recorder = Recorder(sink)
    with item_span(recorder, Request("x", "x")) as span:
        tools = {tool.name: wrap_tool(tool, recorder, shop) for tool in shop.tools()}
        for name, arguments in calls:
            with contextlib.suppress(Exception):
                tools[name].run(**arguments)
        trace = fold(recorder.so_far(span))
    recorder.close()
    return shop.grade(task, trace)


RIGHT = (
    ("cancel_order", {"order": "o1"}),
    ("add_note", {"text": "cancelled order o1", "due": "2026-03-09 00:00"}),
)


def test_the_right_calls_reach_the_expected_state(tmp_path: Path) -> None:
    verdict = made(box(tmp_path, CANCEL), *RIGHT)
    assert verdict.success is True
    assert verdict.unwanted_changes == 0
    assert [call.matched for call in verdict.calls] == [1, 2]


def test_an_optional_read_is_matched_and_a_default_may_be_given(tmp_path: Path) -> None:
    calls = (("find_order", {"order": "o1"}), ("cancel_order", {"order": "o1", "reason": "other"}))
    verdict = made(box(tmp_path, CANCEL), *calls, RIGHT[1])
    assert verdict.success is True
    assert [call.matched for call in verdict.calls] == [0, 1, 2]


def test_an_argument_that_nobody_asked_for_is_no_match(tmp_path: Path) -> None:
    calls = (("cancel_order", {"order": "o1", "reason": "late"}), RIGHT[1])
    verdict = made(box(tmp_path, CANCEL), *calls)
    assert [call.matched for call in verdict.calls] == [None, 2]
    assert verdict.success is True  # the state decides where one is expected


@pytest.mark.parametrize(
    ("calls", "unwanted", "failed_to_act"),
    [
        ((*RIGHT, ("cancel_order", {"order": "o2"})), 1, False),
        ((("cancel_order", {"order": "o2"}),), 1, False),
        ((("find_order", {"order": "o1"}),), 0, True),
        ((("cancel_order", {"order": "o9"}),), 0, True),
        ((), 0, True),
    ],
)
def test_other_ends_are_wrong(
    tmp_path: Path, calls: Any, unwanted: int, failed_to_act: bool
) -> None:
    verdict = made(box(tmp_path, CANCEL), *calls)
    assert verdict.success is False
    assert verdict.unwanted_changes == unwanted
    assert verdict.failed_to_act is failed_to_act


def test_a_change_that_is_taken_back_does_not_count(tmp_path: Path) -> None:
    shop = box(tmp_path, NOTHING)
    assert made(shop, ("find_order", {"order": "o1"})).success is True
    assert made(shop, ("cancel_order", {"order": "o1"})).success is False


def test_each_item_begins_in_a_fresh_world(tmp_path: Path) -> None:
    shop = box(tmp_path, CANCEL, NOTHING)
    fresh = shop.state_digest()
    made(shop, *RIGHT)
    assert shop.state_digest() != fresh
    shop.reset(next(iter(shop.tasks())))
    assert shop.state_digest() == fresh


def test_without_a_state_the_calls_decide(tmp_path: Path) -> None:
    task = {key: value for key, value in CANCEL.items() if key != "expect"}
    shop = box(tmp_path, task, tools=shop_tools.bare)
    assert made(shop, *RIGHT).success is True
    assert made(shop, *RIGHT, ("cancel_order", {"order": "o2"})).success is False
    assert made(shop, *RIGHT[:1]).success is False
    assert made(shop, *RIGHT).unwanted_changes is None


def test_a_trace_without_changes_has_no_verdict_on_the_state(tmp_path: Path) -> None:
    shop = box(tmp_path, CANCEL)
    calls = tuple(Call(name, arguments) for name, arguments in RIGHT)
    verdict = shop.grade(next(iter(shop.tasks())), Trace("t", Request("t1", "x"), calls=calls))
    assert verdict.success is None
    assert [call.matched for call in verdict.calls] == [1, 2]


def test_a_turn_is_told_apart(tmp_path: Path) -> None:
    shop = box(tmp_path, TALK)
    calls = (
        Call("cancel_order", {"order": "o2"}, turn=0),
        Call("find_order", {"order": "o2"}, turn=1),
    )
    verdict = shop.grade(next(iter(shop.tasks())), Trace("t", Request("t3", "x"), calls=calls))
    assert [call.timing for call in verdict.calls] == ["early", "late"]
    assert shop.rewrites()["casual"]["t3"] == {"turns": ["o2?", "cancel it"]}


def test_functions_become_tools_with_a_schema() -> None:
    tools = {tool.name: tool for tool in make_world(shop_tools.Shop, "shop").tools}
    cancel = tools["cancel_order"]
    assert cancel.writes
    assert not tools["find_order"].writes
    assert tools["find_order"].description == "One order."
    assert cancel.parameters["required"] == ["order"]
    assert cancel.parameters["properties"]["reason"] == {
        "enum": ["late", "other"],
        "default": "other",
    }


def test_langchain_tools_are_taken_and_make_one_span_a_call() -> None:
    world = make_world(shop_tools.langchain_tools, "x:y")
    sink = MemorySink()
    recorder = Recorder(sink)
    with item_span(recorder, Request("x", "x")) as span:
        assert wrap_tool(world.tools[0], recorder).run(order="o1") == "order o1 is open"
        assert len(fold(recorder.so_far(span)).calls) == 1
    recorder.close()
    assert world.tools[0].parameters["properties"]["order"]["type"] == "string"


@pytest.mark.parametrize(
    ("target", "said"),
    [
        (shop_tools.unmarked, "marked neither as reading nor as writing"),
        (lambda: {"reads": []}, "'reads' is neither 'read' nor 'write'"),
        (lambda: 1 // 0, "raised ZeroDivisionError"),
        ([], "give "),
        ("text", "holds no tools"),
        ({"read": [shop_tools.bare] * 2}, "two tools are called 'bare'"),
        ({"read": ["text"]}, "no function and no LangChain tool"),
    ],
)
def test_what_is_no_tool_is_named(target: Any, said: str) -> None:
    with pytest.raises(InputError, match="--tools shop: ") as caught:
        make_world(target, "shop")
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("task", "said"),
    [
        ({**CANCEL, "calls": [{"tool": "cancel_ordr"}]}, "did you mean 'cancel_order'"),
        (
            {**CANCEL, "calls": [{"tool": "x", "arguments": {"a": {"rule": "near"}}}]},
            "calls.0.arguments.a.rule: 'near' is not one of",
        ),
        (
            {
                **CANCEL,
                "calls": [{"tool": "x", "arguments": {"a": {"rule": "regex", "value": "("}}}],
            },
            "calls.0.arguments.a: '(' is no regular expression",
        ),
        (
            {
                **CANCEL,
                "calls": [{"tool": "x", "arguments": {"a": {"rule": "date", "value": "soon"}}}],
            },
            "'soon' is no time",
        ),
        (
            {**CANCEL, "calls": [{"tool": "x", "arguments": {"a": {"rule": "set", "value": "b"}}}]},
            "calls.0.arguments.a.value: 'b' is not of type 'array'",
        ),
        (
            {**CANCEL, "expect": [{"op": "remove", "table": "order"}]},
            "'key' is a required property",
        ),
        ({**TALK, "text": "x"}, "text: cannot stand beside 'turns'"),
        ({**TALK, "rewrites": {"casual": "o2?"}}, "rewrites.casual: 1 text for 2 turns"),
        ({**CANCEL, "form": "conversation"}, "'conversation' goes with turns"),
    ],
)
def test_wrong_tasks_are_named_by_line_and_field(
    tmp_path: Path, task: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError) as caught:
        box(tmp_path, task)
    assert "tasks.jsonl" in str(caught.value)
    assert said in str(caught.value)


def test_an_expected_state_asks_for_a_state(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no method state"):
        box(tmp_path, CANCEL, tools=shop_tools.bare)


def test_gold_reaches_a_full_score_through_the_command(tmp_path: Path) -> None:
    folder = write(tmp_path, CANCEL, NOTHING, TALK)
    out = tmp_path / "run"
    arguments = ["run", f"tasks:{folder}", "--assistant", "tools", "--model", "gold"]
    assert run([*arguments, "--tools", "tests.sandboxes.shop_tools:Shop", "--out", str(out)]) == 0
    outcomes = [trace.outcome for trace in read_run(out).traces()]
    assert [outcome and outcome.success for outcome in outcomes] == [True, True, True]


def test_tools_are_asked_for_and_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write(tmp_path, NOTHING)
    run(["run", f"tasks:{folder}", "--assistant", "tools"])
    run(["run", "office", "--assistant", "tools", "--tools", "tests.sandboxes.shop_tools:Shop"])
    run(["run", f"tasks:{folder}", "--assistant", "tools", "--tools", "no_such:thing"])
    said = capsys.readouterr().err
    assert "give --tools MODULE:ATTR" in said
    assert "only tasks:PATH takes yours" in said
    assert "--tools no_such:thing: cannot be imported" in said
