"""A user's own agent in the place of a reference assistant."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from assistants.base import AssistantFactory, Parts
from tracer.errors import InputError
from tracer.langgraph import is_runnable
from tracer.limits import json_text
from tracer.protocols import Assistant
from tracer.records import Request
from tracer.wrap import trace

_TEXT_KEYS = ("question", "input", "query", "request", "text")
_ANSWER_KEYS = ("answer", "output", "reply", "response", "result", "text")


def user_agent(target: Any, name: str) -> AssistantFactory:
    """A factory of assistants around what a user's `MODULE:ATTR` names.

    It may be a LangGraph graph, a LangChain runnable, something with `answer(request)`, a function
    of the request's text, or a factory of one of these: a function that takes nothing, or one whose
    only parameter is called `parts` and gets the tools, model and retriever of the item.

    Raises:
        InputError: It is none of these.
    """
    if not (_is_agent(target) or callable(target)):
        raise InputError(
            f"assistant {name!r} is a {type(target).__name__}; it must be a graph, a runnable, "
            "a function of the request's text, or a factory of one"
        )

    def build(parts: Parts) -> Assistant:
        return _UserAgent(_made(target, parts), parts, name)

    return build


def _is_agent(target: object) -> bool:
    if isinstance(target, type):
        return False
    return is_runnable(target) or callable(getattr(target, "answer", None))


def _made(target: Any, parts: Parts) -> Any:
    """The agent itself: what a factory gives, else the target."""
    if _is_agent(target):
        return target
    names = _parameters(target)
    if names == ["parts"]:
        return target(parts)
    return target() if not names else target


def _parameters(target: Any) -> list[str]:
    """Names of the parameters that must be given."""
    needed = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    try:
        signature = inspect.signature(target)
    except (TypeError, ValueError):
        return ["text"]
    return [
        parameter.name
        for parameter in signature.parameters.values()
        if parameter.kind in needed and parameter.default is inspect.Parameter.empty
    ]


class _UserAgent:
    """Hands the request over in the agent's own form and reads the answer out of its."""

    kind = "user"

    def __init__(self, agent: Any, parts: Parts, name: str) -> None:
        self.name = name
        self._own = agent
        self._traced = trace(agent, parts.recorder, name=name, kind=self.kind)

    def answer(self, request: Request) -> str:
        if callable(getattr(self._own, "answer", None)):
            return str(self._traced.answer(request))
        if is_runnable(self._own):
            return _answer_text(self._traced.invoke(_graph_input(self._own, request)))
        return _answer_text(self._traced(request.text))


def _graph_input(agent: Any, request: Request) -> Any:
    """The state a graph begins with, or the bare text for other runnables."""
    channels = getattr(agent, "channels", None)
    if not isinstance(channels, Mapping):
        return request.text
    if "messages" in channels:
        earlier = [(message.role, message.content) for message in request.history]
        return {"messages": [*earlier, ("user", request.text)]}
    return {next((key for key in _TEXT_KEYS if key in channels), "input"): request.text}


def _answer_text(result: Any) -> str:
    """The final answer as text: of a message, of the last message of a state, of its answer key."""
    if isinstance(result, str):
        return result
    content = getattr(result, "content", None)
    if content is not None:
        return _content_text(content)
    if isinstance(result, Mapping):
        messages = result.get("messages")
        if isinstance(messages, Sequence) and messages and not isinstance(messages, str):
            return _answer_text(messages[-1])
        for key in _ANSWER_KEYS:
            if key in result:
                return _answer_text(result[key])
    return json_text(result)


def _content_text(content: Any) -> str:
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, Sequence) else [content]
    return "".join(
        block if isinstance(block, str) else str(block.get("text", "")) for block in blocks
    )
