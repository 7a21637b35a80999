"""A ReAct agent built with LangGraph, traced by one line.

python examples/react_graph.py TRACES
stagetrace show TRACES
"""

from __future__ import annotations

import sys
from typing import Annotated, Any, TypedDict

from fake_endpoint import fake_endpoint
from langchain_core.messages import AnyMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.prebuilt import ToolNode

import stagetrace


class State(TypedDict):
    """The conversation."""

    messages: Annotated[list[AnyMessage], add_messages]


@tool
def search_mail(query: str) -> str:
    """Search the mailbox."""
    return f"1 mail about {query!r}: the review is on Friday at ten."


def build(base_url: str) -> Any:
    """The agent: the model asks for tools until it has its answer."""
    model = ChatOpenAI(model="small", base_url=base_url, api_key="none").bind_tools([search_mail])

    def think(state: State) -> dict[str, Any]:
        return {"messages": [model.invoke(state["messages"])]}

    def route(state: State) -> str:
        return "tools" if state["messages"][-1].tool_calls else END

    graph = StateGraph(State)
    graph.add_node("think", think)
    graph.add_node("tools", ToolNode([search_mail]))
    graph.add_edge(START, "think")
    graph.add_conditional_edges("think", route)
    graph.add_edge("tools", "think")
    return graph.compile()


def main(store: str) -> None:
    """Ask one question and print the answer."""
    with fake_endpoint() as url:
        agent = stagetrace.trace(build(url), store=store, name="mail-agent")
        result = agent.invoke({"messages": [("user", "When is the review?")]})
    print(result["messages"][-1].content)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "stagetrace-traces")
