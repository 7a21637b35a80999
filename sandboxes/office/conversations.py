"""Conversations: what the answer key does and says in each turn, and the world it leaves."""

from __future__ import annotations

import json

from sandboxes.office.state import State
from sandboxes.office.tools import bind
from tracer.records import GoldCall, Message, Task, ToolCall


def turn_calls(task: Task, turn: int) -> list[GoldCall]:
    """The gold calls of one turn."""
    return [call for call in task.calls or () if call.turn == turn]


def begin(state: State, task: Task, turn: int) -> None:
    """Bring the world to where the answer key leaves it before a turn, without telling changes."""
    state.reset()
    tools = {tool.name: tool for tool in bind(state)}
    for earlier in range(turn):
        for call in turn_calls(task, earlier):
            if call.writes:
                tools[call.name].run(**call.arguments)
    state.take_changes()


def gold_messages(state: State, task: Task, turn: int) -> tuple[Message, ...]:
    """Gold calls, what they give, and the gold text, as a later turn's history shows them.

    Args:
        state: Any state of the world; it is the answer key's before the turn afterwards moved on by
            the turn's calls.
        task: A conversation.
        turn: Counted from 0.
    """
    begin(state, task, turn)
    tools = {tool.name: tool for tool in bind(state)}
    messages: list[Message] = []
    for number, call in enumerate(turn_calls(task, turn)):
        call_id = f"turn-{turn}-{number}"
        result = tools[call.name].run(**call.arguments)
        asked = ToolCall(call.name, dict(call.arguments), call_id)
        messages += [
            Message("assistant", tool_calls=(asked,)),
            Message("tool", json.dumps(result), tool_call_id=call_id, name=call.name),
        ]
    return (*messages, Message("assistant", task.turns[turn].reply))
