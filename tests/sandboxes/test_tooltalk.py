"""ToolTalk's world and its conversations as a sandbox."""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sandboxes.base import SANDBOXES
from sandboxes.tooltalk import Tooltalk
from sandboxes.tooltalk.replay import begin, execute, read_conversation
from sandboxes.tooltalk.state import World
from sandboxes.tooltalk.toolkit import SYNTHETIC, tool_specs
from tracer.errors import DataMissingError, UnknownNameError
from tracer.records import Call, Json, Task, Trace
from tracer.records import Request as UserRequest


def open_box(data: Path, part: str = "all", **options: Any) -> Tooltalk:
    return Tooltalk(part, data=lambda name: str(data / name), **options)


@pytest.fixture(scope="module")
def box(data_dir: Path) -> Tooltalk:
    return open_box(data_dir)


@pytest.fixture(scope="module")
def tasks(box: Tooltalk) -> list[Task]:
    return list(box.tasks())


def named(tasks: list[Task], name: str) -> Task:
    return next(task for task in tasks if task.item.endswith(name))


def trace_of(task: Task, calls: list[Call], **fields: Any) -> Trace:
    return Trace("1" * 32, UserRequest(task.item, task.text), calls=tuple(calls), **fields)


def gold_trace(task: Task) -> Trace:
    return trace_of(
        task, [Call(call.name, call.arguments, turn=call.turn or 0) for call in task.calls or ()]
    )


# The suite


@pytest.mark.parametrize(("part", "number"), [("easy", 28), ("hard", 50), ("all", 78)])
def test_a_part_holds_its_conversations(data_dir: Path, part: str, number: int) -> None:
    box = open_box(data_dir, part)
    assert len(list(box.tasks())) == number
    assert box.name == f"tooltalk:{part}"
    assert {task.suite for task in box.tasks()} == {box.name}


def test_turns_and_gold_calls_are_those_of_the_published_run(tasks: list[Task]) -> None:
    hard = [task for task in tasks if task.groups["split"] == "hard"]
    assert sum(len(task.turns) for task in hard) == 177
    assert sum(len(task.turns) for task in tasks) == 177 + 53
    assert sum(len(task.calls or ()) for task in hard) == 238
    assert sum(len({call.turn for call in task.calls or ()}) for task in hard) == 136
    assert all(task.form == "conversation" and all(t.reply for t in task.turns) for task in tasks)


def test_user_texts_in_a_row_are_one_turn(tasks: list[Task]) -> None:
    task = named(tasks, "Calendar-Weather-RegisterUser-0")
    assert task.text.count("\n") == 1
    assert len(task.turns) == 11


def test_items_and_clusters_are_told_apart(tasks: list[Task]) -> None:
    assert len({task.item for task in tasks}) == 78
    assert len({task.cluster for task in tasks}) == 78


def test_every_protected_literal_stands_in_its_turn(tasks: list[Task]) -> None:
    for task in tasks:
        for turn, literals in zip(task.turns, task.detail["protected"], strict=True):
            assert all(literal in turn.text for literal in literals)
            assert set(literals) <= set(task.protected)


def test_gold_calls_hold_no_session_token(tasks: list[Task]) -> None:
    assert not any("session_token" in c.arguments for task in tasks for c in task.calls or ())


def test_tasks_survive_json(box: Tooltalk, tasks: list[Task]) -> None:
    for task in tasks:
        assert json.loads(json.dumps(task.detail)) == task.detail


def test_the_tools_are_the_28_of_the_benchmark(box: Tooltalk, data_dir: Path) -> None:
    known = json.loads((data_dir / "tooltalk" / "tool_schemas.json").read_text())["tools"]
    tools = {tool.name: tool for tool in box.tools()}
    assert tools.keys() == {entry["name"] for entry in known}
    for entry in known:
        tool, spec = tools[entry["name"]], tool_specs()[entry["name"]]
        assert tool.writes == entry["is_action"]
        assert (spec.suite, spec.login) == (entry["suite"], entry["requires_login"])
        properties = tool.parameters["properties"]
        assert list(properties) == list(entry["parameters"])
        assert {n: p["type"] for n, p in properties.items()} == {
            n: p["type"] for n, p in entry["parameters"].items()
        }
        required = [name for name, p in entry["parameters"].items() if p["required"]]
        assert tool.parameters["required"] == required


def test_it_is_filed_with_its_parts() -> None:
    assert {"easy", "hard", "all"} <= set(SANDBOXES.get("tooltalk").parts)


@pytest.mark.parametrize(("part", "mode"), [("medium", None), ("easy", "revised")])
def test_unknown_parts_and_modes_offer_the_known_ones(
    data_dir: Path, part: str, mode: str | None
) -> None:
    with pytest.raises(UnknownNameError, match="there are: "):
        open_box(data_dir, part, mode=mode)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataMissingError, match="STAGETRACE_DATA"):
        open_box(tmp_path)


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "tooltalk" / "databases").mkdir(parents=True)
    (tmp_path / "tooltalk" / "databases" / "Account.json").write_text("[1")
    with pytest.raises(DataMissingError, match=r"Account\.json"):
        open_box(tmp_path)


def test_the_briefing_tells_who_where_and_when(box: Tooltalk, tasks: list[Task]) -> None:
    box.reset(named(tasks, "LogoutUser-easy"))
    assert box.briefing == (
        "It is 2023-09-11 09:00:00. The user is in Tokyo. The user is signed in as lifeng."
    )
    box.reset(named(tasks, "UserLogin-easy"))
    assert box.briefing.endswith("Nobody is signed in.")


# The state


def test_reset_restores(box: Tooltalk, tasks: list[Task]) -> None:
    task = named(tasks, "golden_conversation_4")
    box.reset(task)
    before = box.state_digest()
    tools = {tool.name: tool for tool in box.tools()}
    for call in task.calls or ():
        with contextlib.suppress(Exception):
            tools[call.name].run(**call.arguments)
    assert box.state_digest() != before
    box.reset(task)
    assert box.state_digest() == before
    assert box.take_changes() == ()


def test_a_turn_begins_where_the_answer_key_would_be(box: Tooltalk, tasks: list[Task]) -> None:
    task = named(tasks, "Email-Messages-Reminder-SendEmail-2")
    tools = {tool.name: tool for tool in box.tools()}
    box.reset(task)
    start = box.state_digest()
    box.begin_turn(task, 1)
    left = tools["GetReminders"].run()["reminders"]
    assert box.take_changes() == ()
    box.begin_turn(task, 0)
    assert box.state_digest() == start
    assert len(tools["GetReminders"].run()["reminders"]) == len(left) + 3


def test_ids_go_on_where_the_gold_calls_left_them(box: Tooltalk, tasks: list[Task]) -> None:
    """A second e-mail of the conversation gets the tool's second id, also in a later turn."""
    task = named(tasks, "Email-Reminder-Weather-SendEmail-2")
    turn = next(call.turn for call in task.calls or () if call.name == "SendEmail") or 0
    tools = {tool.name: tool for tool in box.tools()}
    mail = {"to": ["a@b"], "subject": "s", "body": "b"}
    box.begin_turn(task, turn)
    assert tools["SendEmail"].run(**mail) == {"email_id": "5b-dd80-9f8a27ab"}
    assert tools["SendEmail"].run(**mail) == {"email_id": "07-1add-8af336bb"}


def test_running_free_keeps_what_the_assistant_did(data_dir: Path) -> None:
    box = open_box(data_dir, "hard-free")
    task = named(list(box.tasks()), "Email-Messages-Reminder-SendEmail-2")
    assert [turn.reply for turn in task.turns] == ["", ""]
    box.reset(task)
    tools = {tool.name: tool for tool in box.tools()}
    tools["AddReminder"].run(task="water the plants")
    digest = box.state_digest()
    box.begin_turn(task, 1)
    assert box.state_digest() == digest
    assert box.gold_turn(task, 0) == ()


def test_what_is_sent_shows_as_a_change(box: Tooltalk, tasks: list[Task]) -> None:
    """The databases keep nothing of it, the diff of the world does."""
    box.reset(named(tasks, "SendMessage-easy"))
    tools = {tool.name: tool for tool in box.tools()}
    before = box.state_digest()
    tools["SendMessage"].run(receiver="olivedo", message="hello")
    (change,) = box.take_changes()
    assert (change.op, change.entity, change.key) == ("add", "SentMessage", "e149636f-ecc3f121")
    assert change.after is not None
    assert change.after["receiver"] == "olivedo"
    assert box.state_digest() != before


def test_reads_and_refusals_change_nothing(box: Tooltalk, tasks: list[Task]) -> None:
    box.reset(named(tasks, "LogoutUser-easy"))
    tools = {tool.name: tool for tool in box.tools()}
    before = box.state_digest()
    tools["GetReminders"].run()
    with pytest.raises(Exception, match="not found"):
        tools["DeleteAlarm"].run(alarm_id="zzzz-zzzz")
    assert box.take_changes() == ()
    assert box.state_digest() == before


def test_a_result_is_a_copy(box: Tooltalk, tasks: list[Task]) -> None:
    box.reset(named(tasks, "QueryCalendar-easy"))
    tools = {tool.name: tool for tool in box.tools()}
    span = {"start_time": "2023-01-01 00:00:00", "end_time": "2023-12-31 00:00:00"}
    before = box.state_digest()
    for event in tools["QueryCalendar"].run(**span)["events"]:
        event["name"] = "changed"
        if event["attendees"]:
            event["attendees"].append("changed")
    assert "changed" not in json.dumps(tools["QueryCalendar"].run(**span))
    assert box.state_digest() == before


def test_arguments_stay_as_they_were_sent(box: Tooltalk, tasks: list[Task]) -> None:
    """The user's own name is added to what is stored, not to the caller's list."""
    box.reset(named(tasks, "CreateEvent-easy"))
    tools = {tool.name: tool for tool in box.tools()}
    attendees = ["olivedo"]
    times = {"start_time": "2030-01-01 10:00:00", "end_time": "2030-01-01 11:00:00"}
    tools["CreateEvent"].run(name="n", event_type="meeting", attendees=attendees, **times)
    attendees.append("later")
    (change,) = box.take_changes()
    assert change.after is not None
    assert change.after["attendees"][0] == "olivedo"
    assert "later" not in change.after["attendees"]
    assert attendees == ["olivedo", "later"]


def test_two_boxes_stand_side_by_side(data_dir: Path, box: Tooltalk, tasks: list[Task]) -> None:
    other = open_box(data_dir)
    task = named(tasks, "AddAlarm-easy")
    box.reset(task)
    other.reset(task)
    digest = box.state_digest()
    next(tool for tool in other.tools() if tool.name == "AddAlarm").run(time="06:00:00")
    assert box.state_digest() == digest


def test_a_reset_costs_under_a_millisecond(box: Tooltalk, tasks: list[Task]) -> None:
    box.reset(tasks[0])
    best = min(_seconds(lambda: [box.reset(task) for task in tasks]) for _ in range(5))
    assert best / len(tasks) < 0.001


def _seconds(work: Any) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


# Secrets


def test_fixture_secrets_are_declared(box: Tooltalk, tasks: list[Task]) -> None:
    secrets = box.secrets()
    assert {"ooZ0ahKae", "98a5a87a-7714-b404", "982003"} <= secrets
    for task in tasks:
        for call in task.calls or ():
            for name, value in call.arguments.items():
                assert name not in SYNTHETIC or value in secrets
    assert box.synthetic_arguments == SYNTHETIC


def test_secrets_issued_at_run_time_are_added(box: Tooltalk, tasks: list[Task]) -> None:
    task = named(tasks, "RegisterUser-easy")
    box.reset(task)
    tools = {tool.name: tool for tool in box.tools()}
    tools["SendVerificationCode"].run(username="decture", email="VirginiaJGraham@gahoo.com")
    code = box.take_changes()[0].after
    assert code is not None
    assert code["verification_code"] in box.secrets()
    made = tools["UserLogin"].run(username="decture", password="chaew5Oeth")
    assert made["session_token"] in box.secrets()


# History


def test_history_shows_gold_calls_results_and_text(box: Tooltalk, tasks: list[Task]) -> None:
    task = named(tasks, "Email-Messages-Reminder-SendEmail-2")
    messages = box.gold_turn(task, 0)
    assert [message.role for message in messages] == ["assistant", "tool"] * 4 + ["assistant"]
    assert messages[-1].content == task.turns[0].reply
    asked = messages[0].tool_calls[0]
    assert (asked.name, asked.call_id) == ("GetReminders", messages[1].tool_call_id)
    assert "reminders" in json.loads(messages[1].content)
    assert "session_token" not in json.dumps([m.tool_calls[0].arguments for m in messages[:-1:2]])


# Order and processes


def _ends(data: Path, backward: bool) -> dict[str, Json]:
    """What every conversation's gold calls give and where they end."""
    box = open_box(data)
    tasks = list(box.tasks())
    found: dict[str, Json] = {}
    for task in tasks[::-1] if backward else tasks:
        conversation = read_conversation(task.detail["conversation"])
        box.reset(task)
        tools = {tool.name: tool for tool in box.tools()}
        given = []
        for turn, gold in enumerate(conversation.turns):
            box.begin_turn(task, turn)
            for call in gold.calls:
                try:
                    given.append(tools[call.name].run(**(call.arguments or {})))
                except Exception as error:
                    given.append(str(error))
        outcome = box.grade(task, gold_trace(task))
        found[task.item] = [given, box.state_digest(), outcome.success, repr(outcome)]
    return found


def test_the_order_of_conversations_does_not_matter(data_dir: Path) -> None:
    assert _ends(data_dir, False) == _ends(data_dir, True)


def test_another_process_gives_the_same(data_dir: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        first, second = pool.starmap(_ends, [(data_dir, False), (data_dir, True)])
    assert first == second == _ends(data_dir, False)


def test_gold_calls_fail_and_succeed_as_the_files_say(box: Tooltalk, tasks: list[Task]) -> None:
    """One is meant to fail. Results in the files are partly older than the databases."""
    world = World(box._databases)
    for task in tasks:
        conversation = read_conversation(task.detail["conversation"])
        for turn, gold in enumerate(conversation.turns):
            begin(world, conversation, turn)
            for call in gold.calls:
                made = execute(world, call.name, call.arguments)
                assert made.exception == call.exception


# Hostile arguments

HOSTILE: list[Json] = [
    "__import__('os').system('true')",
    "open('/etc/passwd').read()",
    "{0.__class__.__mro__}",
    "'; import socket; socket.socket()",
    "(a+)+" * 50,
    "[" * 5000,
    "a" * 100_000,
    "a@" * 10_000,
    "\x00",
    "\ud800",
    "%s%n",
    "../../etc/passwd",
    "2023-09-11 09:00:00",
    "9999-12-31 23:59:59",
    "23:59:59",
    "",
    -1,
    1e308,
    float("nan"),
    True,
    None,
    {"a": 1},
    ["x"],
    [["x"]],
    [],
]


@contextlib.contextmanager
def listening() -> Iterator[list[str]]:
    """The audit events of opening, executing, connecting and importing inside the block."""
    seen: list[str] = []
    watched = ("open", "exec", "compile", "socket", "subprocess", "os.", "import", "ctypes")
    state = {"on": True}

    def listen(event: str, arguments: object) -> None:
        if state["on"] and event.startswith((*watched, "shutil", "pty", "winreg")):
            seen.append(event)

    sys.addaudithook(listen)
    try:
        yield seen
    finally:
        state["on"] = False


def test_hostile_arguments_touch_nothing_outside(box: Tooltalk, tasks: list[Task]) -> None:
    """Nothing is opened, executed, connected or imported, whatever the arguments say."""
    task = named(tasks, "AddAlarm-easy")
    box.grade(task, gold_trace(task))  # what Python imports at its first use is imported now
    tools = box.tools()
    calls = []
    with listening() as seen:
        for value in HOSTILE:
            for tool in tools:
                names = [*tool.parameters["properties"], "session_token", "world", "self"]
                some = dict.fromkeys(tool.parameters["properties"], value)
                for arguments in (some, {**some, names[-1]: value}, dict.fromkeys(names, value)):
                    box.reset(task)
                    with contextlib.suppress(Exception):
                        tool.run(**arguments)
                    box.state_digest()
                calls.append(Call(tool.name, some))
        outcome = box.grade(task, trace_of(task, calls))
        assert seen == []
        Path(__file__).read_bytes()
        assert seen == ["open"]
    assert len(calls) >= 500
    assert len(outcome.calls) == len(calls)


def test_hostile_calls_do_not_reach_the_next_conversation(box: Tooltalk, tasks: list[Task]) -> None:
    task = named(tasks, "AddAlarm-easy")
    box.reset(task)
    before = box.state_digest()
    for value in HOSTILE:
        for tool in box.tools():
            with contextlib.suppress(Exception):
                tool.run(**dict.fromkeys(tool.parameters["properties"], value))
    box.reset(task)
    assert box.state_digest() == before


def test_an_argument_named_like_ours_is_an_unexpected_one(box: Tooltalk, tasks: list[Task]) -> None:
    box.reset(named(tasks, "AddAlarm-easy"))
    tools = {tool.name: tool for tool in box.tools()}
    with pytest.raises(TypeError, match=r"AddAlarm\.call\(\)"):
        tools["AddAlarm"].run(time="06:00:00", world="x")
