"""OpenAI's chat completions: the request, the pieces of a streamed answer, the reply."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from assistants.chat_format import ToolNames, read_call, wire_messages, wire_tools
from assistants.endpoint import BrokenStreamError
from tracer.records import Json, Message, Reply, Tool

OPTIONAL = ("temperature", "seed", "stream_options")
"""Parameters that a model may refuse and that can be left out."""


class Completions:
    """`/chat/completions`."""

    path = "/chat/completions"
    optional = OPTIONAL

    def request(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool],
        names: ToolNames,
        *,
        schema: Mapping[str, Json] | None,
        budget_words: int,
    ) -> dict[str, Json]:
        """What is sent of messages, tools, and the schema that the answer is held to."""
        request: dict[str, Json] = {
            "messages": wire_messages(messages, names, budget_words=budget_words)
        }
        if tools:
            request["tools"] = wire_tools(tools, names)
        if schema:
            request["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "step", "schema": dict(schema)},
            }
        return request

    def streamed(self) -> dict[str, Json]:
        """What asks for an answer in pieces."""
        return {"stream": True, "stream_options": {"include_usage": True}}

    def send(self, client: Any, request: Mapping[str, Json]) -> Any:
        """The whole answer.

        Raises:
            BrokenStreamError: A streamed answer ended in the middle.
        """
        answer = client.chat.completions.create(**request)
        return collect(answer) if request.get("stream") else answer

    def reply(self, answer: Any, names: ToolNames) -> Reply:
        """The answer as a reply.

        Raises:
            AttributeError, IndexError, TypeError: It is no chat completion.
        """
        choice = answer.choices[0]
        calls = tuple(
            read_call(call.function.name, call.function.arguments, call.id or "", names)
            for call in choice.message.tool_calls or ()
        )
        usage = getattr(answer, "usage", None)
        return Reply(
            Message("assistant", choice.message.content or "", tool_calls=calls),
            finish_reason=choice.finish_reason or "stop",
            input_tokens=getattr(usage, "prompt_tokens", None),
            output_tokens=getattr(usage, "completion_tokens", None),
            response_id=getattr(answer, "id", None) or "",
            model=getattr(answer, "model", None) or "",
        )


def collect(chunks: Iterable[Any]) -> Any:
    """One chat completion out of its pieces.

    Raises:
        BrokenStreamError: The stream ended in the middle.
    """
    text: list[str] = []
    calls: dict[int, SimpleNamespace] = {}
    whole = SimpleNamespace(id="", model="", usage=None)
    finish = None
    try:
        for chunk in chunks:
            whole.id, whole.model = chunk.id or whole.id, chunk.model or whole.model
            whole.usage = chunk.usage or whole.usage
            for choice in chunk.choices[:1]:
                finish = choice.finish_reason or finish
                text.append(choice.delta.content or "")
                for piece in choice.delta.tool_calls or ():
                    _add_piece(calls, piece)
    except Exception as error:
        # The client passes on what its transport raises, whose classes are not ours to know.
        raise BrokenStreamError(f"{type(error).__name__}: {error}") from error
    if finish is None:
        raise BrokenStreamError("the stream ended without a reason to finish")
    message = SimpleNamespace(
        content="".join(text), tool_calls=[calls[index] for index in sorted(calls)]
    )
    whole.choices = [SimpleNamespace(message=message, finish_reason=finish)]
    return whole


def _add_piece(calls: dict[int, SimpleNamespace], piece: Any) -> None:
    call = calls.setdefault(
        piece.index, SimpleNamespace(id="", function=SimpleNamespace(name="", arguments=""))
    )
    call.id = piece.id or call.id
    if piece.function is not None:
        call.function.name += piece.function.name or ""
        call.function.arguments += piece.function.arguments or ""
