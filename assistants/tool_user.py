"""An acting assistant as a LangGraph graph: ask -> call -> look -> ask again, up to a limit."""

from __future__ import annotations

from typing import Any, TypedDict

from assistants.base import ASSISTANTS, Parts
from assistants.calls import Caller, TurnLimits
from assistants.prompts import ACT
from tracer.langgraph import trace_graph
from tracer.protocols import Assistant
from tracer.records import Message, Request
from tracer.registry import missing_extra


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


class _ToolUser:
    """The loop, serving one item."""

    name = "tools"
    kind = "tools"

    def __init__(self, parts: Parts) -> None:
        self._limits = TurnLimits.of(parts.limits)
        self._parts = parts
        self._caller = Caller(parts.tools, parts.recorder)
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
        self._limits.check_steps(state["steps"], state["messages"][-1])
        reply = self._parts.model.chat(state["messages"], self._parts.tools)
        return {"messages": (*state["messages"], reply.message), "steps": state["steps"] + 1}

    def _call(self, state: ActState) -> ActState:
        asked = state["messages"][-1].tool_calls
        made = state["calls"] + len(asked)
        self._limits.check_calls(made)
        results = tuple(
            Message("tool", self._caller.make(call), tool_call_id=call.call_id, name=call.name)
            for call in asked
        )
        return {"results": results, "calls": made}

    def _look(self, state: ActState) -> ActState:
        return {"messages": (*state["messages"], *state["results"]), "results": ()}


def _next(state: ActState) -> str:
    return "call" if state["messages"][-1].tool_calls else "answer"
