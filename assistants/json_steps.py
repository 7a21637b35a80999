"""Calls out of a model without tools of its own: output that a JSON Schema holds to one step."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from assistants.chat_format import arguments_text
from assistants.prompts import ACT, CHOOSE
from tracer.records import Json, Message, Tool, ToolCall

MODE = "json_schema"
"""As `tool_call_mode` on spans: the model's output was held to a schema of its steps."""
NATIVE = "native"
"""As `tool_call_mode` on spans: the model was handed the tools in its own form."""


def step_schema(tools: Sequence[Tool]) -> dict[str, Json]:
    """The schema of one step: a call of any of the tools, or an answer.

    Example:
        >>> tool = Tool("find", "Find.", {"type": "object", "properties": {}}, False, print)
        >>> [sorted(choice["properties"]) for choice in step_schema([tool])["anyOf"]]
        [['arguments', 'tool'], ['answer', 'tool']]
    """
    calls = [
        {
            "type": "object",
            "properties": {"tool": {"const": tool.name}, "arguments": dict(tool.parameters)},
            "required": ["tool", "arguments"],
            "additionalProperties": False,
        }
        for tool in tools
    ]
    answer = {
        "type": "object",
        "properties": {"tool": {"const": "none"}, "answer": {"type": "string"}},
        "required": ["tool", "answer"],
        "additionalProperties": False,
    }
    # Some endpoints want the outermost schema to be of an object by its own word.
    return {"type": "object", "anyOf": [*calls, answer]}


def step_messages(
    messages: Sequence[Message], tools: Sequence[Tool], *, brief: bool = False
) -> list[Message]:
    """The conversation without calls and tool messages: those become text.

    Args:
        messages: As an assistant hands them over.
        tools: What can be called; described in the system message.
        brief: Name only the arguments, for models with little room.
    """
    plain = [_plain(message, tools, brief) for message in messages]
    if not any(message.role == "system" for message in messages):
        plain.insert(0, Message("system", CHOOSE.fill(_described(tools, brief))))
    return plain


def _plain(message: Message, tools: Sequence[Tool], brief: bool) -> Message:
    if message.role == "system":
        chosen = CHOOSE.fill(_described(tools, brief))
        said = _after(ACT.text, message.content) if brief else message.content
        return Message("system", f"{chosen}\n{said}" if brief else f"{said}\n\n{chosen}")
    if message.role == "tool":
        return Message("user", f"{message.name} returned: {message.content}")
    if message.tool_calls:
        return Message("assistant", "".join(_step_text(call) for call in message.tool_calls))
    if message.role == "assistant":
        # As the schema has it, so that the model sees what it is held to.
        return Message(
            "assistant", json.dumps({"tool": "none", "answer": message.content}, ensure_ascii=False)
        )
    return message


def _step_text(call: ToolCall) -> str:
    if call.arguments is None and not call.name:
        return call.raw or ""
    return f'{{"tool": {json.dumps(call.name)}, "arguments": {arguments_text(call)}}}'


def _after(template: str, filled: str) -> str:
    """What was put in the place of the briefing."""
    return filled.removeprefix(template.split("{briefing}")[0].strip()).strip()


def _described(tools: Sequence[Tool], brief: bool) -> str:
    return "\n".join(_brief(tool) if brief else _whole(tool) for tool in tools)


def _brief(tool: Tool) -> str:
    said = tool.description.splitlines()[0] if tool.description else ""
    return f"- {tool.name}({', '.join(tool.parameters.get('properties') or {})}): {said}"


def _whole(tool: Tool) -> str:
    schema = json.dumps(dict(tool.parameters), ensure_ascii=False)
    return f"- {tool.name}: {tool.description}\n  arguments: {schema}"


def read_step(text: str, call_id: str) -> Message:
    """The text of a step as a message; text that is no step is a call that cannot be read.

    Example:
        >>> read_step('{"tool": "find", "arguments": {"q": "tea"}}', "c").tool_calls[0].arguments
        {'q': 'tea'}
        >>> read_step('{"tool": "none", "answer": "Done."}', "c").content
        'Done.'
        >>> read_step('{"tool": "find", "argu', "c").tool_calls[0].raw
        '{"tool": "find", "argu'
    """
    try:
        step = json.loads(text)
    except (ValueError, RecursionError):
        step = None
    if not isinstance(step, Mapping) or "tool" not in step:
        return Message("assistant", tool_calls=(ToolCall("", None, call_id, raw=text),))
    if step["tool"] == "none":
        return Message("assistant", str(step.get("answer", "")))
    arguments = step.get("arguments")
    if not isinstance(arguments, Mapping):
        call = ToolCall(str(step["tool"]), None, call_id, raw=json.dumps(arguments))
    else:
        call = ToolCall(str(step["tool"]), dict(arguments), call_id)
    return Message("assistant", tool_calls=(call,))
