"""Our messages and tools in the form of chat completions, and replies back out of it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from assistants.prompts import render_documents
from tracer.records import Json, Message, Tool, ToolCall

_ALLOWED = re.compile(r"[^a-zA-Z0-9_-]")
_LONGEST_NAME = 64


class ToolNames:
    """Names of tools as endpoints allow them, and back.

    Example:
        >>> names = ToolNames(["email.search", "email_search"])
        >>> names.sent("email.search"), names.sent("email_search")
        ('email_search', 'email_search_2')
        >>> names.ours("email_search")
        'email.search'
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._sent: dict[str, str] = {}
        self._ours: dict[str, str] = {}
        for name in names:
            self._add(name)

    def _add(self, name: str) -> str:
        plain = _ALLOWED.sub("_", name)[:_LONGEST_NAME] or "tool"
        sent, number = plain, 1
        while sent in self._ours:
            number += 1
            tail = f"_{number}"
            sent = plain[: _LONGEST_NAME - len(tail)] + tail
        self._sent[name], self._ours[sent] = sent, name
        return sent

    def sent(self, name: str) -> str:
        """The name as the endpoint is told it; a name from an earlier turn is added."""
        return self._sent[name] if name in self._sent else self._add(name)

    def ours(self, name: str) -> str:
        """The tool's own name; a name that the endpoint made up stays as it is."""
        return self._ours.get(name, name)


def user_text(message: Message, *, budget_words: int) -> str:
    """What a text model reads of a message: its documents, then its text."""
    if not message.documents:
        return message.content
    shown = render_documents(message.documents, budget_words=budget_words)
    return f"Mails:\n\n{shown}\n\nQuestion: {message.content}"


def wire_messages(
    messages: Sequence[Message], names: ToolNames, *, budget_words: int
) -> list[dict[str, Json]]:
    """The messages as an endpoint takes them."""
    return [_wire(message, names, budget_words) for message in messages]


def _wire(message: Message, names: ToolNames, budget_words: int) -> dict[str, Json]:
    if message.role == "tool":
        return {
            "role": "tool",
            "tool_call_id": message.tool_call_id,
            "content": message.content,
        }
    wire: dict[str, Json] = {
        "role": message.role,
        "content": user_text(message, budget_words=budget_words),
    }
    if message.tool_calls:
        wire["tool_calls"] = [
            {
                "id": call.call_id,
                "type": "function",
                "function": {"name": names.sent(call.name), "arguments": arguments_text(call)},
            }
            for call in message.tool_calls
        ]
    return wire


def arguments_text(call: ToolCall) -> str:
    """The arguments as JSON text; text that could not be read goes back as it came."""
    if call.arguments is None:
        return call.raw or ""
    return json.dumps(call.arguments, ensure_ascii=False)


def wire_tools(tools: Sequence[Tool], names: ToolNames) -> list[dict[str, Json]]:
    """The tools as an endpoint takes them."""
    return [
        {
            "type": "function",
            "function": {
                "name": names.sent(tool.name),
                "description": tool.description,
                "parameters": dict(tool.parameters),
            },
        }
        for tool in tools
    ]


def read_call(name: str, arguments: str | None, call_id: str, names: ToolNames) -> ToolCall:
    """A call as the model asked for it; arguments that are no JSON object are kept as text."""
    try:
        value = json.loads(arguments) if arguments else {}
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, Mapping):
        return ToolCall(names.ours(name), None, call_id, raw=arguments)
    return ToolCall(names.ours(name), dict(value), call_id)
