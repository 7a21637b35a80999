"""The planner over two invented sets of tools: it must not depend on one suite's names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from assistants.calls import shown
from assistants.models.rules import rules
from assistants.planner.clauses import clauses
from tracer.records import Json, Message, Tool

BRIEFING = "Today is Friday 2026-02-27."
PEOPLE = [
    {"name": "Ann Lee", "address": "ann.lee@x.example", "phone": "555-01"},
    {"name": "Bo Kay", "address": "bo.kay@x.example"},
    {"name": "Bo Ray", "address": "bo.ray@x.example"},
]
LETTERS = [
    {"id": "l1", "when": "2026-02-20 09:00", "from": "ann.lee@x.example", "subject": "Roof"},
    {"id": "l2", "when": "2026-02-26 09:00", "from": "ann.lee@x.example", "subject": "Roof leak"},
    {"id": "l3", "when": "2026-02-25 09:00", "from": "bo.kay@x.example", "subject": "Lunch"},
]


def schema(*required: str, **properties: Any) -> dict[str, Json]:
    return {
        "type": "object",
        "properties": {
            name: {"type": "string"} if value is str else value
            for name, value in properties.items()
        },
        "required": list(required),
    }


def find(rows: list[dict[str, str]]) -> Callable[..., Json]:
    def run(**arguments: str) -> Json:
        words = next(iter(arguments.values())).lower().split()
        return [row for row in rows if all(w in " ".join(row.values()).lower() for w in words)]

    return run


def office(
    naming: Callable[[str], str], written: list[tuple[str, Mapping[str, Json]]]
) -> list[Tool]:
    """Tools over letters, people and meetings, under names made by `naming`."""

    def write(name: str) -> Callable[..., Json]:
        def run(**arguments: Json) -> Json:
            written.append((name, arguments))
            return "ok"

        return run

    ids = {"type": "array", "items": {"type": "string"}}
    return [
        Tool(
            naming("search_mail"), "Find mails.", schema("query", query=str), False, find(LETTERS)
        ),
        Tool(
            naming("find_people"), "Find a person.", schema("name", name=str), False, find(PEOPLE)
        ),
        Tool(
            naming("delete_mail"),
            "Delete mails.",
            schema("mail_ids", mail_ids=ids),
            True,
            write("delete"),
        ),
        Tool(
            naming("send_mail"),
            "Send a mail.",
            schema("to", "subject", "body", to=ids, subject=str, body=str),
            True,
            write("send"),
        ),
        Tool(
            naming("forward_mail"),
            "Pass a mail on.",
            schema("mail_id", "to", mail_id=str, to=ids),
            True,
            write("forward"),
        ),
        Tool(
            naming("create_meeting"),
            "Book a meeting.",
            schema("title", "start", "end", title=str, start=str, end=str, attendees=ids),
            True,
            write("meet"),
        ),
    ]


def dotted(name: str) -> str:
    return f"desk.{name}"


def camel(name: str) -> str:
    first, second = name.split("_")
    return first + second.capitalize()


def carry_out(
    request: str,
    naming: Callable[[str], str],
    place: Callable[[list[tuple[str, Mapping[str, Json]]]], list[Tool]] | None = None,
) -> tuple[list[Any], str]:
    """What was written, and the final answer."""
    written: list[tuple[str, Mapping[str, Json]]] = []
    offered = place(written) if place else office(naming, written)
    tools = {tool.name: tool for tool in offered}
    messages = [Message("system", BRIEFING), Message("user", request)]
    model = rules("")
    for _ in range(12):
        message = model.chat(messages, list(tools.values())).message
        messages.append(message)
        if not message.tool_calls:
            return written, message.content
        for call in message.tool_calls:
            result = shown(tools[call.name].run(**(call.arguments or {})))
            messages.append(Message("tool", result, tool_call_id=call.call_id, name=call.name))
    raise AssertionError(messages)


@pytest.mark.parametrize("naming", [dotted, camel, str])
@pytest.mark.parametrize(
    ("request_text", "expected"),
    [
        ("Delete the last mail from Ann.", ("delete", {"mail_ids": ["l2"]})),
        (
            "Could you please get rid of all mails from Ann Lee?",
            ("delete", {"mail_ids": ["l1", "l2"]}),
        ),
        (
            "Forward the newest mail about the roof to Ann Lee.",
            ("forward", {"mail_id": "l2", "to": ["ann.lee@x.example"]}),
        ),
        (
            "Send an email to ann@y.example with the subject 'Hi' and the body 'See you'.",
            ("send", {"to": ["ann@y.example"], "subject": "Hi", "body": "See you"}),
        ),
        (
            "Book a meeting called 'Plans' with Ann Lee on Tuesday 3 March, 15:00 to 15:30.",
            (
                "meet",
                {
                    "title": "Plans",
                    "start": "2026-03-03 15:00",
                    "end": "2026-03-03 15:30",
                    "attendees": ["ann.lee@x.example"],
                },
            ),
        ),
    ],
)
def test_orders_are_carried_out_whatever_the_tools_are_called(
    request_text: str, expected: tuple[str, Any], naming: Callable[[str], str]
) -> None:
    assert carry_out(request_text, naming)[0] == [expected]


TASKS = [
    {"id": "t1", "title": "Order two bolts", "owner": "ann.lee@x.example", "due": "2026-03-02"},
    {"id": "t2", "title": "Sweep the yard", "owner": "bo.kay@x.example", "due": "2026-03-05"},
    {"id": "t3", "title": "Water the plants", "owner": "ann.lee@x.example", "due": "2026-03-09"},
]
VISITS = [
    {"id": "v1", "title": "Dentist", "start": "2026-03-03 09:00"},
    {"id": "v2", "title": "Lamp fair", "start": "2026-03-04 11:15"},
]


def house(written: list[tuple[str, Mapping[str, Json]]]) -> list[Tool]:
    """Tools that list in place of searching, with numbers, owners, hours and folders."""

    def write(name: str) -> Callable[..., Json]:
        return lambda **arguments: written.append((name, arguments)) or "ok"  # type: ignore[func-returns-value]

    def tasks(owner: str = "", most: int = 2) -> Json:
        return [row for row in TASKS if owner in row["owner"]][:most]

    def visits(start: str, end: str) -> Json:
        return [row for row in VISITS if start <= row["start"] <= end]

    number = {"type": "integer", "maximum": 9, "description": "At most so many rows."}
    moment = {"type": "string", "description": "YYYY-MM-DD HH:MM."}
    person = {"type": "string", "description": "Address of the owner."}
    return [
        Tool("list_tasks", "List tasks.", schema(owner=person, most=number), False, tasks),
        Tool(
            "list_events",
            "List events.",
            schema("start", "end", start=moment, end=moment),
            False,
            visits,
        ),
        Tool("find_people", "Find people.", schema("name", name=str), False, find(PEOPLE)),
        Tool("find_files", "Find files.", schema("query", query=str), False, find(FILES)),
        Tool("close_task", "Close.", schema("task_id", task_id=str), True, write("close")),
        Tool(
            "create_task",
            "Make a task.",
            schema("title", "owner", title=str, owner=person, due=str),
            True,
            write("make"),
        ),
        Tool(
            "update_event",
            "Change an event.",
            schema("event_id", event_id=str, start=moment),
            True,
            write("change"),
        ),
        Tool(
            "move_file",
            "Move a file.",
            schema("file_id", "folder", file_id=str, folder=str),
            True,
            write("move"),
        ),
        Tool(
            "share_file",
            "Share a file.",
            schema("file_id", "addresses", file_id=str, addresses={"type": "array"}),
            True,
            write("share"),
        ),
    ]


FILES = [{"id": "f1", "name": "plan-v2.pdf"}, {"id": "f2", "name": "plan-v1.pdf"}]


@pytest.mark.parametrize(
    ("request_text", "expected"),
    [
        ("Tick off the task about the plants.", ("close", {"task_id": "t3"})),
        ("Close Ann Lee's task with the two bolts.", ("close", {"task_id": "t1"})),
        (
            "Put a task on Ann Lee, due 6 March: clear the bench.",
            ("make", {"title": "Clear the bench", "owner": "ann.lee@x.example"}),
        ),
        (
            "Give Ann Lee a task: clear the bench.",
            ("make", {"title": "Clear the bench", "owner": "ann.lee@x.example"}),
        ),
        (
            "Have the lamp fair on Wednesday 4 March begin at 10:30.",
            ("change", {"event_id": "v2", "start": "2026-03-04 10:30"}),
        ),
        (
            "Put plan-v1.pdf away into the folder old/plans.",
            ("move", {"file_id": "f2", "folder": "old/plans"}),
        ),
        (
            "Let Ann Lee have access to plan-v2.pdf.",
            ("share", {"file_id": "f1", "addresses": ["ann.lee@x.example"]}),
        ),
    ],
)
def test_things_that_cannot_be_searched_are_listed_and_told_apart(
    request_text: str, expected: tuple[str, Mapping[str, Json]]
) -> None:
    written, answer = carry_out(request_text, lambda name: name, house)
    ((name, arguments),) = written or [("nothing", {"said": answer})]
    assert (name, {key: arguments.get(key) for key in expected[1]}) == expected


@pytest.mark.parametrize(
    ("request_text", "answer"),
    [
        ("What is the phone number of Ann Lee?", "555-01"),
        (
            "When does the meeting about the lamp fair begin on 4 March?",
            "Wednesday 4 March 2026, 11:15",
        ),
    ],
)
def test_field_that_a_question_names_is_the_answer(request_text: str, answer: str) -> None:
    assert carry_out(request_text, lambda name: name, house) == ([], answer)


def test_mail_is_found_by_who_wrote_it_and_what_it_says() -> None:
    request = "Delete the mail in which Ann Lee describes the leak in the roof."
    assert carry_out(request, dotted)[0] == [("delete", {"mail_ids": ["l2"]})]


def test_two_of_a_name_are_asked_back() -> None:
    written, answer = carry_out("Forward the mail about lunch to Bo.", dotted)
    assert written == []
    assert answer == "Which Bo do you mean: bo.kay@x.example or bo.ray@x.example?"


def test_what_is_not_found_is_said_and_nothing_is_done() -> None:
    written, answer = carry_out("Delete the mail about 'the green door'.", dotted)
    assert written == []
    assert answer == "I could not find the mail you mean."


@pytest.mark.parametrize(
    "request_text",
    [
        "Please don't delete Ann's mail.",
        "Just so you know, I have answered Ann myself.",
        "Thanks, that was all.",
    ],
)
def test_where_nothing_is_asked_nothing_is_written(request_text: str) -> None:
    assert carry_out(request_text, dotted)[0] == []


def test_quoted_text_neither_ends_a_sentence_nor_gives_an_order() -> None:
    found = clauses("Reply to Ann with 'Done. Delete it. Thanks.' and flag her mail.")
    assert [clause.verb for clause in found] == ["reply", "flag"]


def test_no_tool_name_of_a_suite_stands_in_the_planner(data_dir: Any) -> None:
    """The planner may use everyday words only, never the name of a benchmark's tool."""
    import json
    from pathlib import Path

    names = [
        tool["name"]
        for file in Path(data_dir).glob("*/tool_schemas.json")
        for tool in json.loads(file.read_text())["tools"]
        if "." in tool["name"] or any(letter.isupper() for letter in tool["name"])
    ]
    assert names
    source = (
        "".join(path.read_text() for path in Path("assistants/planner").glob("*.py"))
        + Path("assistants/models/rules.py").read_text()
    )
    assert not [name for name in names if name in source]
