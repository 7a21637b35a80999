"""A reading assistant as a LangGraph graph: retrieve -> read -> answer; one without retrieval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict

from assistants.base import ASSISTANTS, Parts
from assistants.prompts import ANSWER, READ
from tracer.errors import InputError
from tracer.langgraph import trace_graph
from tracer.protocols import Assistant
from tracer.records import Message, Passage, Request
from tracer.registry import missing_extra


class ReadState(TypedDict, total=False):
    """What the nodes hand on."""

    question: str
    history: tuple[Message, ...]
    passages: tuple[Passage, ...]
    reply: str
    answer: str


@ASSISTANTS.add("rag")
def rag(parts: Parts) -> Assistant:
    """Retrieve the best documents for the request, let a model read them, give its answer.

    Raises:
        InputError: The suite has no documents to search.
        MissingExtraError: LangGraph is not installed.
    """
    if parts.retriever is None:
        raise InputError(
            "assistant 'rag' needs documents to search, and this suite has none; "
            "use --assistant tools or llm"
        )
    retriever = parts.retriever

    def retrieve(state: ReadState) -> ReadState:
        return {"passages": tuple(retriever(state["question"], parts.top_k))}

    def read(state: ReadState) -> ReadState:
        messages = conversation(READ.fill(parts.briefing), state, state["passages"])
        return {"reply": parts.model.chat(messages).message.content}

    return _Reader(parts, "rag", (("retrieve", retrieve), ("read", read), ("answer", answer)))


@ASSISTANTS.add("llm")
def llm(parts: Parts) -> Assistant:
    """Ask the model alone: no documents, no tools.

    Raises:
        MissingExtraError: LangGraph is not installed.
    """

    def read(state: ReadState) -> ReadState:
        messages = conversation(ANSWER.fill(parts.briefing), state, ())
        return {"reply": parts.model.chat(messages).message.content}

    return _Reader(parts, "llm", (("read", read), ("answer", answer)))


def conversation(system: str, state: ReadState, passages: Sequence[Passage]) -> list[Message]:
    """The messages a reader sees: the prompt, earlier turns, the question with its documents."""
    question = Message("user", state["question"], documents=tuple(passages))
    return [Message("system", system), *state.get("history", ()), question]


def answer(state: ReadState) -> ReadState:
    """The final answer: the model's text without blanks around it."""
    return {"answer": state["reply"].strip()}


class _Reader:
    """A graph of nodes in a row, serving one item."""

    def __init__(self, parts: Parts, kind: str, nodes: Sequence[tuple[str, Any]]) -> None:
        self.name = kind
        self.kind = kind
        self._graph = trace_graph(
            chain(ReadState, nodes, kind), parts.recorder, name=kind, kind=kind
        )

    def answer(self, request: Request) -> str:
        state: ReadState = {"question": request.text, "history": request.history}
        return str(self._graph.invoke(state)["answer"])


def chain(schema: type, nodes: Sequence[tuple[str, Any]], name: str) -> Any:
    """A compiled LangGraph graph that runs `nodes` one after the other.

    Raises:
        MissingExtraError: LangGraph is not installed.
    """
    try:
        from langgraph.graph import END, START, StateGraph
    except ImportError as error:
        raise missing_extra("langgraph", "agents", f"the assistant {name!r}") from error
    graph: Any = StateGraph(schema)
    names = [node for node, _ in nodes]
    for node, function in nodes:
        graph.add_node(node, function)
    for before, after in zip([START, *names], [*names, END], strict=True):
        graph.add_edge(before, after)
    return graph.compile(name=name)
