"""A tool caller that is a program: it sees messages and tool schemas, as a model does."""

from __future__ import annotations

from collections.abc import Sequence

from assistants.base import MODELS
from assistants.planner.plan import NextCall, answer, key
from assistants.planner.rows import read_result
from assistants.words import words
from tracer.protocols import ChatModel
from tracer.records import Json, Message, ModelSource, Reply, Tool, ToolCall


@MODELS.add("rules")
def rules(argument: str) -> ChatModel:
    """The deterministic planner."""
    if argument:
        raise ValueError(f"model 'rules' takes nothing after the colon, got {argument!r}")
    return Rules()


class Rules:
    """Chooses tools by the words of request and schema, fills arguments by their shape.

    Source:
        Ours: a baseline program, generic over tool schemas, so that a run needs no language model.
    """

    name = "rules"
    source = ModelSource("stagetrace", "built in", baseline=True)

    def chat(self, messages: Sequence[Message], tools: Sequence[Tool] = ()) -> Reply:
        """The next call of the plan for the last user message, or the answer."""
        start = max((n for n, m in enumerate(messages) if m.role == "user"), default=0)
        request = messages[start].content if messages else ""
        briefing = "\n".join(m.content for m in messages if m.role == "system")
        made = _made(messages[start:])
        used = sum(len(words(message.content)) for message in messages)
        try:
            text = answer(request, briefing, tools, made)
        except NextCall as step:
            call = ToolCall(step.tool, step.arguments, f"call-{len(made)}")
            message = Message("assistant", tool_calls=(call,))
            return Reply(message, "tool_calls", input_tokens=used, output_tokens=0)
        return Reply(Message("assistant", text), input_tokens=used, output_tokens=len(words(text)))


def _made(messages: Sequence[Message]) -> dict[tuple[str, str], Json]:
    """The calls that were made, with what came back."""
    results = {m.tool_call_id: read_result(m.content) for m in messages if m.role == "tool"}
    return {
        key(call.name, call.arguments): results[call.call_id]
        for message in messages
        for call in message.tool_calls
        if call.arguments is not None and call.call_id in results
    }
