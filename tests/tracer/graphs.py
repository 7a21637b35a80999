"""Small graphs, tools and models that the tracer's tests run."""

from __future__ import annotations

import operator
from typing import Annotated, Any, TypedDict

from langchain_core.documents import Document
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.retrievers import BaseRetriever
from langchain_core.tools import tool
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.prebuilt import ToolNode


class State(TypedDict, total=False):
    messages: Annotated[list, add_messages]
    question: str
    answer: str
    seen: Annotated[list, operator.add]
    blob: Any


class ScriptedModel(BaseChatModel):
    """Asks for the calls of its first reply, then answers."""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _get_ls_params(self, stop=None, **kwargs):
        return super()._get_ls_params(stop=stop, **kwargs) | {"ls_model_name": "scripted-1"}

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        if messages[-1].type == "tool":
            reply = AIMessage(
                "All done.",
                usage_metadata={"input_tokens": 9, "output_tokens": 2, "total_tokens": 11},
            )
        else:
            calls = [
                {"name": "look", "args": {"what": what}, "id": f"call-{what}"}
                for what in ("mail", "calendar")
            ]
            reply = AIMessage(
                "", tool_calls=calls, response_metadata={"finish_reason": "tool_calls"}
            )
        return ChatResult(generations=[ChatGeneration(message=reply)])


class TwoDocuments(BaseRetriever):
    def _get_relevant_documents(self, query, *, run_manager):
        return [
            Document("first", id="d1", metadata={"score": 0.9}),
            Document("second", id="d2", metadata={"score": 0.5}),
        ]


def agent_graph(in_node=lambda: None, in_tool=lambda: None, fail=False):
    """retrieve -> agent -> two parallel tool calls -> agent."""

    @tool
    def look(what: str) -> str:
        """Look something up."""
        in_tool()
        if fail:
            raise ValueError("broken tool")
        return f"seen {what}"

    def retrieve(state, config):
        in_node()
        documents = TwoDocuments().invoke(state["question"], config)
        return {
            "seen": [document.id for document in documents],
            "messages": [HumanMessage(state["question"])],
        }

    def agent(state, config):
        return {"messages": [ScriptedModel().invoke(state["messages"], config)]}

    def route(state):
        return "tools" if state["messages"][-1].tool_calls else END

    graph = StateGraph(State)
    graph.add_node("retrieve", retrieve)
    graph.add_node("agent", agent)
    graph.add_node("tools", ToolNode([look], handle_tool_errors=False))
    graph.add_edge(START, "retrieve")
    graph.add_edge("retrieve", "agent")
    graph.add_conditional_edges("agent", route)
    graph.add_edge("tools", "agent")
    return graph.compile()


def line_graph(*nodes, checkpointer=None):
    """Nodes one after the other; each is a function or a (name, function) pair."""
    graph = StateGraph(State)
    before = START
    for node in nodes:
        name, function = node if isinstance(node, tuple) else (node.__name__, node)
        graph.add_node(name, function)
        graph.add_edge(before, name)
        before = name
    graph.add_edge(before, END)
    return graph.compile(checkpointer=checkpointer)
