"""The acting assistant as LangChain's `create_agent` makes it: the same tools, prompt, limits."""

from __future__ import annotations

from functools import cache
from typing import Any

from assistants.base import ASSISTANTS, Parts
from assistants.calls import Caller, TurnLimits, shown
from assistants.langchain_model import langchain_message, langchain_model, our_message
from assistants.prompts import ACT
from tracer.langgraph import trace_graph
from tracer.protocols import Assistant
from tracer.records import Message, Request, Tool, ToolCall
from tracer.registry import missing_extra


@ASSISTANTS.add("tools-create-agent")
def create_agent_user(parts: Parts) -> Assistant:
    """As `tools`, with LangChain's own agent loop around the same model and tools.

    LangChain runs tools in threads of its own, where the time of a single tool call is not limited;
    that of the item is.

    Raises:
        MissingExtraError: LangChain is not installed.
    """
    return _CreatedAgent(parts)


class _CreatedAgent:
    """The agent, serving one item."""

    name = "tools-create-agent"
    kind = "tools"

    def __init__(self, parts: Parts) -> None:
        try:
            from langchain.agents import create_agent
        except ImportError as error:
            raise missing_extra("langchain", "agents", f"the assistant {self.name!r}") from error
        self._limits = TurnLimits.of(parts.limits)
        caller = Caller(parts.tools, parts.recorder)
        agent = create_agent(
            langchain_model(parts.model, parts.tools),
            [_langchain_tool(tool) for tool in parts.tools],
            system_prompt=ACT.fill(parts.briefing),
            middleware=[_middleware_class()(caller, self._limits)],
            name=self.name,
        )
        self._graph = trace_graph(agent, parts.recorder, name=self.name, kind=self.kind)

    def answer(self, request: Request) -> str:
        messages = [*request.history, Message("user", request.text)]
        # Two nodes of the agent and two of ours a step, and some room, so that our limit is met.
        config = {"recursion_limit": 4 * self._limits.steps + 10, "max_concurrency": 1}
        state = self._graph.invoke(
            {"messages": [langchain_message(message) for message in messages]}, config
        )
        return our_message(state["messages"][-1]).content.strip()


def _langchain_tool(tool: Tool) -> Any:
    from langchain_core.tools import StructuredTool

    def run(**arguments: Any) -> str:
        return shown(tool.run(**arguments))

    # The schema as it is: arguments are not checked before the tool sees them.
    schema = {"properties": {}, **tool.parameters, "title": tool.name}
    return StructuredTool(
        name=tool.name, description=tool.description or tool.name, args_schema=schema, func=run
    )


@cache
def _middleware_class() -> type[Any]:
    from langchain.agents.middleware import AgentMiddleware, hook_config
    from langchain_core.messages import ToolMessage

    class Limits(AgentMiddleware[Any, Any]):
        """Holds the agent to the limits of a turn and answers the calls that cannot be made."""

        def __init__(self, caller: Caller, limits: TurnLimits) -> None:
            super().__init__()
            self._caller = caller
            self._limits = limits

        def before_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
            """Refuse a step too many."""
            asked = _of_turn(state["messages"])
            steps = sum(message.role == "assistant" for message in asked)
            self._limits.check_steps(steps, our_message(state["messages"][-1]))
            return None

        @hook_config(can_jump_to=["model"])
        def after_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
            """Refuse calls too many; show the model what is wrong with those that are no calls."""
            turn = _of_turn(state["messages"])
            self._limits.check_calls(sum(len(message.tool_calls) for message in turn))
            broken = [call for call in turn[-1].tool_calls if call.arguments is None]
            if not broken:
                return None
            answers = [
                ToolMessage(self._caller.make(call), tool_call_id=call.call_id, name=call.name)
                for call in broken
            ]
            readable = len(broken) < len(turn[-1].tool_calls)
            return {"messages": answers, **({} if readable else {"jump_to": "model"})}

        def wrap_tool_call(self, request: Any, handler: Any) -> Any:
            """Make a call and show the model what came back, whatever went wrong."""
            asked = request.tool_call
            call = ToolCall(asked["name"], dict(asked["args"]), asked["id"] or "")
            text = self._caller.make(call, lambda: str(handler(request).content))
            return ToolMessage(text, tool_call_id=call.call_id, name=call.name)

    return Limits


def _of_turn(messages: Any) -> list[Message]:
    """The messages after the last one of the user."""
    ours = [our_message(message) for message in messages]
    start = max((n for n, message in enumerate(ours) if message.role == "user"), default=-1)
    return ours[start + 1 :]
