"""The planner on the office under other names: it may lose less than a quarter of its score."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from assistants.models.rules import rules
from assistants.run import Bench, run_slot
from assistants.slots import Slot, base_wording
from assistants.tool_user import tool_user
from sandboxes.office import OfficeSandbox
from tracer.record import Recorder
from tracer.records import Task, Tool, Trace
from tracer.testing import MemorySink

pytest.importorskip("langgraph")

SYNONYMS = {
    "search": "seek", "read": "open", "list": "show", "send": "dispatch", "reply": "respond",
    "forward": "relay", "move": "shift", "flag": "star", "delete": "remove", "find": "look_up",
    "create": "schedule", "update": "change", "cancel": "call_off", "mail": "message",
    "mails": "messages", "ids": "keys", "id": "key", "thread": "conversation", "folder": "box",
    "event": "appointment", "events": "appointments", "free": "open", "time": "slot",
    "people": "colleagues", "members": "subscribers", "query": "text", "from": "sender",
    "to": "addressees", "address": "mailbox", "after": "since", "before": "until",
    "has": "with", "attachment": "file", "attachments": "files", "limit": "most",
    "subject": "topic", "body": "content", "cc": "copy", "all": "everyone",
    "comment": "note", "flagged": "starred", "start": "begin", "end": "finish",
    "attendee": "guest", "attendees": "guests", "minutes": "length", "title": "heading",
    "location": "place", "notes": "remarks", "scope": "which", "team": "department",
    "organisation": "company", "complete": "finish", "todo": "task", "todos": "tasks",
    "document": "paper", "documents": "papers", "file": "paper", "files": "papers",
    "due": "deadline", "text": "wording", "done": "finished", "status": "condition",
    "name": "called", "priority": "urgency", "assignee": "owner", "label": "tag", "get": "fetch",
    "draft": "sketch", "contact": "acquaintance", "room": "chamber", "rooms": "chambers",
    "path": "location", "share": "lend", "owner": "assignee", "addresses": "recipients",
    "note": "remark",
}  # fmt: skip


def renamed(name: str) -> str:
    """The name with each of its words in other words."""
    words = re.findall(r"[a-z]+|[A-Z][a-z]*|\d+|[._]", name)
    return "".join(SYNONYMS.get(word.lower(), word) for word in words)


class Renamed:
    """An office whose tools and parameters have other names; it is graded by its own."""

    def __init__(self, box: Any) -> None:
        self._box = box
        tools = box.tools()
        self._tools = {renamed(tool.name): tool.name for tool in tools}
        self._parameters = {
            tool.name: {renamed(name): name for name in tool.parameters.get("properties") or {}}
            for tool in tools
        }
        assert len(self._tools) == len(tools)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._box, name)

    def tools(self) -> list[Tool]:
        return [self._renamed(tool) for tool in self._box.tools()]

    def _renamed(self, tool: Tool) -> Tool:
        back = self._parameters[tool.name]
        to = {own: other for other, own in back.items()}
        schema = dict(tool.parameters)
        schema["properties"] = {to[k]: v for k, v in (schema.get("properties") or {}).items()}
        schema["required"] = [to[k] for k in schema.get("required") or ()]
        description = tool.description
        for own, other in to.items():
            if "_" in own:
                description = description.replace(own, other)

        def run(**arguments: Any) -> Any:
            return tool.run(**{back.get(k, k): v for k, v in arguments.items()})

        return replace(
            tool, name=renamed(tool.name), description=description, parameters=schema, run=run
        )

    def grade(self, task: Task, trace: Trace) -> Any:
        calls = tuple(
            replace(
                call,
                name=self._tools.get(call.name, call.name),
                arguments=call.arguments
                and {
                    self._parameters[self._tools[call.name]].get(key, key): value
                    for key, value in call.arguments.items()
                },
            )
            if call.name in self._tools
            else call
            for call in trace.calls
        )
        return self._box.grade(task, replace(trace, calls=calls))


def score(make: Callable[[], Any]) -> float:
    """Share of the acting tasks that are carried out."""
    box = make()
    tasks = [task for task in box.tasks() if task.form == "actions"]
    bench = Bench(box, rules(""), tool_user, "tools")
    right = 0
    with Recorder(MemorySink()) as recorder:
        for task in tasks:
            done = run_slot(bench, recorder, Slot(task, base_wording(task)))
            right += bool(done.outcome and done.outcome.success)
    return right / len(tasks)


def test_no_name_of_a_tool_or_parameter_is_left() -> None:
    box = OfficeSandbox("", data=str)
    own, other = box.tools(), Renamed(box).tools()
    assert not {tool.name for tool in own} & {tool.name for tool in other}
    kept = [
        name
        for tool, new in zip(own, other, strict=True)
        for name in set(tool.parameters["properties"]) & set(new.parameters["properties"])
    ]
    assert not kept, json.dumps(kept)


@pytest.mark.slow
def test_other_names_cost_less_than_a_quarter() -> None:
    own = score(lambda: OfficeSandbox("", data=str))
    other = score(lambda: Renamed(OfficeSandbox("", data=str)))
    assert own > 0.4
    assert other > 0.75 * own, f"{other:.2f} under other names, {own:.2f} under its own"
