"""What data 0.1 held stays as it was: data 1.0 only adds, so old and new results can be read."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from sandboxes.office.state import State
from sandboxes.office.tasks import all_tasks, groups_of
from sandboxes.office.tools import bind
from sandboxes.office.world import DATA, load, records, stated
from tracer.records import Task

OFFICE = load()
OLD = json.loads(Path(__file__).with_name("office_frozen_0_1.json").read_text(encoding="utf-8"))
OLD_MAILS = frozenset(OLD["mails"])
TASKS = {task.item: task for task in all_tasks()}
ACTIONS = [TASKS[item] for item in OLD["expect"]]
QUESTIONS = {row["id"]: row for row in records(DATA / "questions.jsonl")}
KEYS = {"questions.jsonl": "id", "tool_tasks.jsonl": "id", "facts.jsonl": "id"}


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def changes_of(task: Task) -> list[list[object]]:
    """What the gold calls change, without the ids of new rows, which count on from the table."""
    state = State(OFFICE)
    tools = {tool.name: tool for tool in bind(state)}
    for call in task.calls or ():
        tools[call.name].run(**call.arguments)
    return [
        [c.op, c.entity, "" if c.op == "add" else c.key, _without_id(c.after or {})]
        for c in state.difference()
    ]


def _without_id(row: object) -> dict[str, object]:
    assert isinstance(row, dict)
    return {name: value for name, value in row.items() if name != "id"}


@pytest.mark.parametrize("name", OLD["mail_files"])
def test_old_mails_are_byte_equal(name):
    text = (DATA / "mails" / name).read_text(encoding="utf-8")
    assert digest(text) == OLD["mail_files"][name]


@pytest.mark.parametrize("name", OLD["lines"])
def test_old_events_items_and_facts_are_byte_equal(name):
    found = {}
    for line in (DATA / name).read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        found[row.get(KEYS.get(name, "key"))] = digest(line)
    assert {key: found.get(key) for key in OLD["lines"][name]} == OLD["lines"][name]


def test_old_events_keep_their_ids():
    assert {key: OFFICE.events[key]["id"] for key in OLD["events"]} == OLD["events"]


@pytest.mark.parametrize("name", OLD["lines"]["facts.jsonl"])
def test_no_new_mail_states_or_quotes_an_old_fact(name):
    for version in OFFICE.facts[name].versions:
        own, quoted = stated(OFFICE, version)
        assert {*own, *quoted} <= OLD_MAILS


@pytest.mark.parametrize("item", OLD["groups"])
def test_groups_of_old_questions_are_unchanged(item):
    row = QUESTIONS[item]
    facts = () if row["reasoning"] == "absence" else row["facts"]
    wide, strict = groups_of(OFFICE, facts)
    assert [[list(group) for group in groups] for groups in (wide, strict)] == OLD["groups"][item]


@pytest.mark.parametrize("item", OLD["answers"])
def test_answers_and_literals_of_old_items_are_unchanged(item):
    assert list(TASKS[item].answers) == OLD["answers"][item]
    assert list(TASKS[item].protected) == OLD["protected"][item]


@pytest.mark.parametrize("task", ACTIONS, ids=lambda task: task.item)
def test_expected_states_of_old_tasks_are_unchanged(task):
    assert digest(json.dumps(task.detail["expect"], sort_keys=True)) == OLD["expect"][task.item]
    assert digest(json.dumps(changes_of(task), sort_keys=True)) == OLD["ends"][task.item]


def test_no_new_row_falls_into_a_set_that_an_old_task_looks_at():
    """The sync on 5 March, the workshop list, and what stands on the days of moved events."""
    new = [event for key, event in OFFICE.events.items() if key not in OLD["events"]]
    syncs = [e for e in new if "sync" in e["title"].lower() and e["start"] < "2026-04-01"]
    assert syncs == []
    assert len(OFFICE.lists["workshop@ottermoss.example"]) == 3
    days = {"2026-02-27", "2026-03-02", "2026-03-05"}
    assert [e["key"] for e in new if e["start"][:10] in days and e["status"] != "cancelled"] == []
