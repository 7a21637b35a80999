"""OpenAI's responses: the request, the events of a streamed answer, the reply."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assistants.chat_format import ToolNames, arguments_text, read_call, user_text
from assistants.endpoint import BrokenStreamError
from tracer.errors import EndpointError
from tracer.records import Json, Message, Reply, Tool

OPTIONAL = ("temperature", "seed", "store")
"""Parameters that a model may refuse and that can be left out; OpenAI's own refuses `seed`."""
_ENDS = ("response.completed", "response.incomplete", "response.failed")


class Responses:
    """`/responses`, asked with the whole conversation each time; nothing is kept there."""

    path = "/responses"
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
        system = [message.content for message in messages if message.role == "system"]
        request: dict[str, Json] = {
            "input": [
                item
                for message in messages
                if message.role != "system"
                for item in _items(message, names, budget_words)
            ],
            "store": False,
        }
        if system:
            request["instructions"] = "\n\n".join(system)
        if tools:
            request["tools"] = [
                {
                    "type": "function",
                    "name": names.sent(tool.name),
                    "description": tool.description,
                    "parameters": dict(tool.parameters),
                    "strict": False,
                }
                for tool in tools
            ]
        if schema:
            request["text"] = {
                "format": {"type": "json_schema", "name": "step", "schema": dict(schema)}
            }
        return request

    def streamed(self) -> dict[str, Json]:
        """What asks for an answer in pieces."""
        return {"stream": True}

    def send(self, client: Any, request: Mapping[str, Json]) -> Any:
        """The whole answer.

        Raises:
            BrokenStreamError: A streamed answer ended in the middle.
        """
        sent = dict(request)
        # The client knows no seed here; endpoints that are not OpenAI's take one.
        extra = {"seed": sent.pop("seed")} if "seed" in sent else None
        answer = client.responses.create(**sent, extra_body=extra)
        return last_of(answer) if request.get("stream") else answer

    def reply(self, answer: Any, names: ToolNames) -> Reply:
        """The answer as a reply.

        Raises:
            EndpointError: The endpoint says that it failed.
            AttributeError, IndexError, TypeError: It is no response.
        """
        if answer.status == "failed":
            said = getattr(answer.error, "message", None) or "no reason given"
            raise EndpointError(f"the response failed: {said}")
        text, calls = [], []
        for item in answer.output:
            if item.type == "function_call":
                calls.append(read_call(item.name, item.arguments, item.call_id or "", names))
            elif item.type == "message":
                text += [_text(part) for part in item.content]
        usage = getattr(answer, "usage", None)
        return Reply(
            Message("assistant", "".join(text), tool_calls=tuple(calls)),
            finish_reason=_reason(answer, bool(calls)),
            input_tokens=getattr(usage, "input_tokens", None),
            output_tokens=getattr(usage, "output_tokens", None),
            response_id=getattr(answer, "id", None) or "",
            model=getattr(answer, "model", None) or "",
        )


def _items(message: Message, names: ToolNames, budget_words: int) -> list[dict[str, Json]]:
    if message.role == "tool":
        return [
            {
                "type": "function_call_output",
                "call_id": message.tool_call_id,
                "output": message.content,
            }
        ]
    text = user_text(message, budget_words=budget_words)
    said: list[dict[str, Json]] = [{"role": message.role, "content": text}] if text else []
    return said + [
        {
            "type": "function_call",
            "call_id": call.call_id,
            "name": names.sent(call.name),
            "arguments": arguments_text(call),
        }
        for call in message.tool_calls
    ]


def _text(part: Any) -> str:
    return str(part.refusal if part.type == "refusal" else part.text)


def _reason(answer: Any, calls: bool) -> str:
    """Why it ended, in the words of chat completions."""
    if answer.status == "incomplete":
        reason = getattr(getattr(answer, "incomplete_details", None), "reason", None)
        return {"max_output_tokens": "length", None: "length"}.get(reason, str(reason))
    return "tool_calls" if calls else "stop"


def last_of(events: Iterable[Any]) -> Any:
    """The response that the last event of a stream carries.

    Raises:
        BrokenStreamError: The stream ended without one.
    """
    try:
        for event in events:
            if event.type in _ENDS:
                return event.response
    except Exception as error:
        # The client passes on what its transport raises, whose classes are not ours to know.
        raise BrokenStreamError(f"{type(error).__name__}: {error}") from error
    raise BrokenStreamError("the stream ended without a response")
