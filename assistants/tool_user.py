"""An acting assistant as a LangGraph graph: ask -> call -> look -> ask again, up to a limit."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, TypedDict

from assistants.base import ASSISTANTS, AgentError, Parts
from assistants.prompts import ACT
from tracer.errors import StagetraceError
from tracer.langgraph import trace_graph
from tracer.protocols import Assistant
from tracer.records import Json, Message, Request, ToolCall
from tracer.registry import missing_extra, nearest
from tracer.wrap import calling, reject_call

STEPS = 20
"""Times the model is asked in one turn.

Source:
    WorkBench at 42f1b6d, whose agent stops after 20 iterations.
"""
CALLS = 100
"""Calls in one turn, as a model may ask for many at once."""
SHOWN_CHARACTERS = 20_000
"""Of one result, as the model is shown it."""


class StepLimitError(AgentError):
    """The agent asked for more steps or calls than it may; an outcome of the item."""


class ActState(TypedDict, total=False):
    """What the nodes hand on."""

    messages: tuple[Message, ...]
    results: tuple[Message, ...]
    steps: int
    calls: int


@ASSISTANTS.add("tools")
def tool_user(parts: Parts) -> Assistant:
    """Let the model call tools and look at the results until it answers in words.

    Errors of tools, unknown names and unreadable arguments are shown to the model, and it goes on.

    Raises:
        MissingExtraError: LangGraph is not installed.
    """
    return _ToolUser(parts)


@dataclass(frozen=True, slots=True)
class _Limits:
    steps: int
    calls: int


class _ToolUser:
    """The loop, serving one item."""

    name = "tools"
    kind = "tools"

    def __init__(self, parts: Parts) -> None:
        limits = parts.limits or {}
        self._limits = _Limits(limits.get("steps", STEPS), limits.get("calls", CALLS))
        self._parts = parts
        self._tools = {tool.name: tool for tool in parts.tools}
        self._graph = trace_graph(self._compile(), parts.recorder, name=self.name, kind=self.kind)

    def answer(self, request: Request) -> str:
        system = Message("system", ACT.fill(self._parts.briefing))
        messages = (system, *request.history, Message("user", request.text))
        # LangGraph counts every node; three nodes a step and some room, so that our limit is met.
        config = {"recursion_limit": 3 * self._limits.steps + 10}
        state = self._graph.invoke({"messages": messages, "steps": 0, "calls": 0}, config)
        last: Message = state["messages"][-1]
        return last.content.strip()

    def _compile(self) -> Any:
        try:
            from langgraph.graph import END, START, StateGraph
        except ImportError as error:
            raise missing_extra("langgraph", "agents", "the assistant 'tools'") from error
        graph: Any = StateGraph(ActState)
        graph.add_node("ask", self._ask)
        graph.add_node("call", self._call)
        graph.add_node("look", self._look)
        graph.add_edge(START, "ask")
        graph.add_conditional_edges("ask", _next, {"call": "call", "answer": END})
        graph.add_edge("call", "look")
        graph.add_edge("look", "ask")
        return graph.compile(name=self.name)

    def _ask(self, state: ActState) -> ActState:
        if state["steps"] >= self._limits.steps:
            raise StepLimitError(
                f"no answer after {self._limits.steps} steps; the last message asked for "
                f"{state['messages'][-1].name or 'a tool'!r}"
            )
        reply = self._parts.model.chat(state["messages"], self._parts.tools)
        return {"messages": (*state["messages"], reply.message), "steps": state["steps"] + 1}

    def _call(self, state: ActState) -> ActState:
        asked = state["messages"][-1].tool_calls
        made = state["calls"] + len(asked)
        if made > self._limits.calls:
            raise StepLimitError(f"asked for {made} calls, {self._limits.calls} are allowed")
        return {"results": tuple(self._result(call) for call in asked), "calls": made}

    def _look(self, state: ActState) -> ActState:
        return {"messages": (*state["messages"], *state["results"]), "results": ()}

    def _result(self, call: ToolCall) -> Message:
        """The tool message that answers a call; what went wrong with it is its text."""
        return Message("tool", self._make(call), tool_call_id=call.call_id, name=call.name)

    def _make(self, call: ToolCall) -> str:
        if call.arguments is None:
            return self._reject(call, "the arguments are no JSON object", "MalformedCall")
        tool = self._tools.get(call.name)
        if tool is None:
            known = nearest(call.name, sorted(self._tools))
            return self._reject(call, f"there is no tool {call.name!r}; {known}", "UnknownTool")
        try:
            with calling(call):
                return shown(tool.run(**call.arguments))
        except StagetraceError:
            raise
        except Exception as error:
            return f"error: {type(error).__name__}: {error}"

    def _reject(self, call: ToolCall, why: str, error_type: str) -> str:
        reject_call(self._parts.recorder, call, why, error_type=error_type)
        return f"error: {error_type}: {why}"


def _next(state: ActState) -> str:
    return "call" if state["messages"][-1].tool_calls else "answer"


def shown(result: Json) -> str:
    """A result as text for the model: text as it is, all else as JSON; a long one is cut.

    Example:
        >>> shown({"a": 1})
        '{"a": 1}'
    """
    text = (
        result if isinstance(result, str) else json.dumps(result, ensure_ascii=False, default=str)
    )
    if len(text) <= SHOWN_CHARACTERS:
        return text
    return f"{text[:SHOWN_CHARACTERS]} [... {len(text) - SHOWN_CHARACTERS} more characters]"
