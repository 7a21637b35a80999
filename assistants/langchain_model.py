"""Our chat models and messages as LangChain takes them, and back."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from assistants.chat_format import arguments_text
from tracer.protocols import ChatModel
from tracer.records import Message, Reply, Tool, ToolCall


def langchain_model(model: ChatModel, tools: Sequence[Tool]) -> Any:
    """The model as a LangChain chat model that is always asked with these tools."""
    return _model_class()(model=model, tools=list(tools))


@cache
def _model_class() -> type[Any]:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.outputs import ChatGeneration, ChatResult

    class OurModel(BaseChatModel):
        """Passes the messages on and the reply back."""

        model: Any
        tools: list[Any]

        @property
        def _llm_type(self) -> str:
            return str(self.model.name)

        def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
            """The same model: it has its tools already."""
            return self

        def _generate(
            self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
        ) -> ChatResult:
            reply = self.model.chat([our_message(message) for message in messages], self.tools)
            return ChatResult(generations=[ChatGeneration(message=reply_message(reply))])

    return OurModel


def our_message(message: Any) -> Message:
    """A LangChain message as ours.

    Example:
        >>> from langchain_core.messages import HumanMessage
        >>> our_message(HumanMessage("Hi")).role
        'user'
    """
    role = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool"}[message.type]
    calls = [
        ToolCall(call["name"], dict(call["args"]), call["id"] or "")
        for call in getattr(message, "tool_calls", ())
    ] + [
        ToolCall(call["name"] or "", None, call["id"] or "", raw=call["args"])
        for call in getattr(message, "invalid_tool_calls", ())
    ]
    return Message(
        role,  # type: ignore[arg-type]  # one of the four roles
        str(message.text),
        tool_calls=tuple(calls),
        tool_call_id=getattr(message, "tool_call_id", ""),
        name=message.name or "" if role == "tool" else "",
    )


def reply_message(reply: Reply) -> Any:
    """A reply as LangChain's message, with tokens, reason and model where they are told."""
    message = langchain_message(reply.message)
    if reply.input_tokens is not None and reply.output_tokens is not None:
        message.usage_metadata = {
            "input_tokens": reply.input_tokens,
            "output_tokens": reply.output_tokens,
            "total_tokens": reply.input_tokens + reply.output_tokens,
        }
    message.response_metadata = {"finish_reason": reply.finish_reason, "model_name": reply.model}
    return message


def langchain_message(message: Message) -> Any:
    """One of our messages as LangChain's; a call that cannot be read is an invalid one there."""
    from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

    if message.role == "tool":
        return ToolMessage(
            message.content, tool_call_id=message.tool_call_id or "", name=message.name or None
        )
    if message.role == "system":
        return SystemMessage(message.content)
    if message.role == "user":
        return HumanMessage(message.content)
    return AIMessage(
        message.content,
        tool_calls=[
            {"name": call.name, "args": dict(call.arguments), "id": call.call_id}
            for call in message.tool_calls
            if call.arguments is not None
        ],
        invalid_tool_calls=[
            {
                "name": call.name,
                "args": arguments_text(call),
                "id": call.call_id,
                "error": "no JSON object",
            }
            for call in message.tool_calls
            if call.arguments is None
        ],
    )
