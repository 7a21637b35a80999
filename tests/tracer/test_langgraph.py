"""Spans of LangGraph graphs: one tree a run, and nothing left behind."""

from __future__ import annotations

import asyncio
import gc
import threading

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Send, interrupt
from opentelemetry import trace as ot

from tests.tracer.graphs import State, agent_graph, line_graph
from tracer.langgraph import readable, trace_graph
from tracer.protocols import ChatModel
from tracer.record import Recorder
from tracer.records import Message, ModelSource, Passage, Reply, Tool
from tracer.spans import agent_span
from tracer.wrap import wrap_model, wrap_retriever, wrap_tool

QUESTION = {"question": "Where is it?"}


@pytest.fixture(autouse=True)
def _nothing_swallowed(caplog):
    """LangChain only logs what a handler raises; a test must not pass over it."""
    yield
    assert "Error in" not in caplog.text
    assert "Failed to detach" not in caplog.text
    assert not ot.get_current_span().get_span_context().is_valid


def tree(sink) -> list[str]:
    """The paths of all spans, sorted."""
    spans = {span.span_id: span for span in sink.spans()}

    def path(span) -> str:
        above = spans.get(span.parent_id)
        return span.name if above is None else f"{path(above)}/{span.name}"

    return sorted(path(span) for span in spans.values())


AGENT = "invoke_agent demo"
WHOLE = sorted(
    [
        AGENT,
        f"{AGENT}/node retrieve",
        f"{AGENT}/node retrieve/retrieval",
        f"{AGENT}/node agent",
        f"{AGENT}/node agent/chat scripted-1",
        f"{AGENT}/node tools",
        f"{AGENT}/node tools/execute_tool look",
        f"{AGENT}/node tools/execute_tool look",
        f"{AGENT}/node agent",
        f"{AGENT}/node agent/chat scripted-1",
    ]
)


async def _astream(graph):
    return [step async for step in graph.astream(QUESTION)]


async def _astream_events(graph):
    return [event async for event in graph.astream_events(QUESTION, version="v2")]


ENTRIES = {
    "invoke": lambda graph: graph.invoke(QUESTION),
    "ainvoke": lambda graph: asyncio.run(graph.ainvoke(QUESTION)),
    "stream": lambda graph: list(graph.stream(QUESTION)),
    "astream": lambda graph: asyncio.run(_astream(graph)),
    "astream_events": lambda graph: asyncio.run(_astream_events(graph)),
    "batch": lambda graph: graph.batch([QUESTION]),
    "abatch": lambda graph: asyncio.run(graph.abatch([QUESTION])),
}


@pytest.mark.parametrize("entry", ENTRIES)
def test_every_entry_point_gives_the_same_tree(entry, recorder, sink):
    ENTRIES[entry](trace_graph(agent_graph(), recorder, name="demo"))
    assert tree(sink) == WHOLE
    assert len({span.trace_id for span in sink.spans()}) == 1


def test_the_results_are_the_graphs_own(recorder):
    graph = agent_graph()
    plain, traced = graph.invoke(QUESTION), trace_graph(graph, recorder).invoke(QUESTION)
    assert [m.content for m in plain["messages"]] == [m.content for m in traced["messages"]]


@pytest.mark.parametrize("entry", ENTRIES)
def test_users_spans_land_under_node_and_tool(entry, recorder, sink, users):
    graph = agent_graph(lambda: users.mark("node"), lambda: users.mark("tool"))
    ENTRIES[entry](trace_graph(graph, recorder, name="demo"))
    spans = {int(span.span_id, 16): span.name for span in sink.spans()}
    parents = {(span.name, spans.get(span.parent.span_id)) for span in users.spans()}
    assert parents == {("node", "node retrieve"), ("tool", "execute_tool look")}
    assert {f"{s.context.trace_id:032x}" for s in users.spans()} == {
        s.trace_id for s in sink.spans()
    }


def test_users_spans_land_under_async_nodes(recorder, sink, users):
    async def node(state: State):
        users.mark("before")
        await asyncio.sleep(0)
        users.mark("after")
        return {"answer": "x"}

    asyncio.run(trace_graph(line_graph(node), recorder).ainvoke(QUESTION))
    (span,) = [span for span in sink.spans() if span.name == "node node"]
    assert {f"{s.parent.span_id:016x}" for s in users.spans()} == {span.span_id}


@pytest.mark.parametrize("entry", ["invoke", "ainvoke", "stream", "astream"])
def test_our_root_is_a_child_of_the_callers_span(entry, recorder, sink, users):
    with users.tracer.start_as_current_span("outer") as outer:
        ENTRIES[entry](trace_graph(agent_graph(), recorder, name="demo"))
        assert ot.get_current_span() is outer
    (root,) = [span for span in sink.spans() if span.name == AGENT]
    assert root.parent_id == f"{outer.get_span_context().span_id:016x}"


def test_an_early_break_of_a_stream_ends_every_span_as_abandoned(recorder, sink):
    for _ in trace_graph(agent_graph(), recorder, name="demo").stream(QUESTION):
        assert not ot.get_current_span().get_span_context().is_valid
        break
    gc.collect()
    (root,) = [span for span in sink.spans() if span.name == AGENT]
    assert root.attributes["stagetrace.ended_by"] == "abandoned"
    assert root.status == 0
    assert recorder.open == 0


def test_an_early_break_of_an_async_stream_ends_every_span_as_abandoned(recorder, sink):
    async def consume():
        async for _ in trace_graph(agent_graph(), recorder, name="demo").astream(QUESTION):
            assert not ot.get_current_span().get_span_context().is_valid
            break

    asyncio.run(consume())
    gc.collect()
    (root,) = [span for span in sink.spans() if span.name == AGENT]
    assert root.attributes["stagetrace.ended_by"] == "abandoned"
    assert recorder.open == 0


def test_four_concurrent_runs_are_four_whole_trees(recorder, sink):
    async def four():
        graph = trace_graph(agent_graph(), recorder, name="demo")
        await asyncio.gather(*(graph.ainvoke(QUESTION) for _ in range(4)))

    asyncio.run(four())
    traces = {span.trace_id for span in sink.spans()}
    assert len(traces) == 4
    for trace_id in traces:
        assert len([s for s in sink.spans() if s.trace_id == trace_id]) == len(WHOLE)


def test_four_runs_in_one_task_are_four_traces_and_leave_nothing_current(recorder, sink):
    async def four():
        graph = trace_graph(agent_graph(), recorder, name="demo")
        await graph.ainvoke(QUESTION)
        async for _ in graph.astream(QUESTION):
            assert not ot.get_current_span().get_span_context().is_valid
        async for _ in graph.astream(QUESTION):
            break
        assert not ot.get_current_span().get_span_context().is_valid
        await graph.ainvoke(QUESTION)
        assert not ot.get_current_span().get_span_context().is_valid

    asyncio.run(four())
    assert len({span.trace_id for span in sink.spans()}) == 4


def test_a_failing_tool_is_an_error_on_its_span_and_above(recorder, sink):
    with pytest.raises(ValueError, match="broken tool"):
        trace_graph(agent_graph(fail=True), recorder, name="demo").invoke(QUESTION)
    tools = [span for span in sink.spans() if span.name == "execute_tool look"]
    assert {span.attributes["stagetrace.tool.outcome"] for span in tools} == {"error"}
    assert {span.attributes["error.type"] for span in tools} == {"ValueError"}
    (root,) = [span for span in sink.spans() if span.name == AGENT]
    assert root.status == 2
    assert recorder.open == 0


def test_an_interrupt_is_no_error_and_its_resumption_links_back(recorder, sink):
    from langgraph.types import Command

    def ask(state: State):
        return {"answer": interrupt("sure?")}

    graph = trace_graph(line_graph(ask, checkpointer=InMemorySaver()), recorder, name="demo")
    config = {"configurable": {"thread_id": "t1"}}
    graph.invoke(QUESTION, config)
    graph.invoke(Command(resume="yes"), config)
    assert {span.status for span in sink.spans()} == {0}
    first, second = [span for span in sink.spans() if span.name == AGENT]
    assert [(link.trace_id, link.span_id) for link in second.links] == [
        (first.trace_id, first.span_id)
    ]
    assert [
        s.attributes.get("stagetrace.control_flow") for s in sink.spans() if s.name == "node ask"
    ] == [
        "GraphInterrupt",
        None,
    ]


def test_a_fan_out_gives_one_span_a_task(recorder, sink):
    from langgraph.graph import END, START, StateGraph

    graph = StateGraph(State)
    graph.add_node("work", lambda state: {"seen": [state["question"]]})
    graph.add_conditional_edges(
        START, lambda state: [Send("work", {"question": str(n)}) for n in range(8)]
    )
    graph.add_edge("work", END)
    trace_graph(graph.compile(), recorder, name="demo").invoke(QUESTION)
    assert tree(sink) == [AGENT, *[f"{AGENT}/node work"] * 8]
    tasks = {
        s.attributes.get("stagetrace.graph.task_id") for s in sink.spans() if s.name == "node work"
    }
    assert len(tasks) == 8


def test_a_subgraph_is_present_once_with_its_nodes_below(recorder, sink):
    def inner(state: State):
        return {"answer": "deep"}

    trace_graph(line_graph(("sub", line_graph(inner))), recorder, name="demo").invoke(QUESTION)
    assert tree(sink) == [AGENT, f"{AGENT}/node sub", f"{AGENT}/node sub/node inner"]
    node = next(span for span in sink.spans() if span.name == "node inner")
    assert node.attributes["graph.node.id"] == "sub/inner"
    assert node.attributes["graph.node.parent_id"] == "sub"


class Loud:
    def __repr__(self) -> str:
        raise RuntimeError("no repr")


@pytest.mark.parametrize("thing", [Loud(), threading.Lock(), object(), lambda: 0])
def test_state_that_cannot_be_shown_is_no_matter(thing, recorder, sink):
    def node(state: State):
        return {"blob": thing, "answer": "x"}

    trace_graph(line_graph(node), recorder, name="demo").invoke(QUESTION | {"blob": thing})
    (span,) = [span for span in sink.spans() if span.name == "node node"]
    assert span.attributes["stagetrace.graph.changed"] == ["answer", "blob"]


def test_a_large_state_is_never_stored(recorder, sink):
    trace_graph(agent_graph(), recorder, name="demo").invoke(QUESTION | {"blob": "x" * 100_000})
    assert len(sink.data) < 40_000


def test_a_timeout_ends_every_span(recorder, sink):
    async def slow(state: State):
        await asyncio.sleep(10)

    async def impatient():
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(
                trace_graph(line_graph(slow), recorder, name="demo").ainvoke(QUESTION), 0.05
            )

    asyncio.run(impatient())
    assert {span.attributes["error.type"] for span in sink.spans()} == {"CancelledError"}
    assert recorder.open == 0


def test_the_handler_keeps_nothing_of_finished_runs(recorder, sink):
    graph = trace_graph(line_graph(("n", lambda state: {"answer": "x"})), recorder)
    graph.invoke(QUESTION)
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(50):
        graph.invoke(QUESTION)
        next(graph.stream(QUESTION))
    gc.collect()
    assert len(gc.get_objects()) - before < 500


class Fixed:
    name = "fixed"
    source = ModelSource("stagetrace", "built in", baseline=True)

    def chat(self, messages, tools=()):
        return Reply(Message("assistant", "Yes."), input_tokens=3, output_tokens=1)


def test_a_wrapped_model_and_retriever_in_a_node_are_one_span_each(recorder, sink):
    model: ChatModel = wrap_model(Fixed(), recorder)
    retriever = wrap_retriever(
        lambda query, k: [Passage("d1", 1.0, "text")], recorder, ranker="bm25"
    )

    def node(state: State):
        retriever(state["question"], 5)
        return {"answer": model.chat([Message("user", state["question"])]).message.content}

    trace_graph(line_graph(node), recorder, name="demo").invoke(QUESTION)
    assert tree(sink) == [
        AGENT,
        f"{AGENT}/node node",
        f"{AGENT}/node node/chat fixed",
        f"{AGENT}/node node/retrieval",
    ]


def test_a_wrapped_tool_inside_a_langchain_tool_is_one_span(recorder, sink):
    from langchain_core.tools import StructuredTool

    wrapped = wrap_tool(Tool("add", "Add.", {"type": "object"}, True, lambda n: n + 1), recorder)

    def add(n: int) -> int:
        """Add one."""
        return wrapped.run(n=n)

    tool = StructuredTool.from_function(add)

    def node(state: State, config):
        return {"answer": str(tool.invoke({"n": 1}, config))}

    trace_graph(line_graph(node), recorder, name="demo").invoke(QUESTION)
    assert tree(sink) == [AGENT, f"{AGENT}/node node", f"{AGENT}/node node/execute_tool add"]
    (span,) = [span for span in sink.spans() if span.name == "execute_tool add"]
    assert span.attributes["stagetrace.tool.effect"] == "write"


def test_a_graph_inside_its_own_agent_span_fills_that_span(recorder, sink):
    graph = trace_graph(line_graph(("n", lambda state: {"answer": "x"})), recorder, name="demo")
    with agent_span(recorder, "demo", "rag"):
        graph.invoke(QUESTION)
    assert tree(sink) == [AGENT, f"{AGENT}/node n"]


def test_a_traced_graph_inside_a_traced_graph_is_traced_once(recorder, sink):
    inner = trace_graph(line_graph(("deep", lambda state: {"answer": "x"})), recorder, name="inner")
    outer = trace_graph(
        line_graph(("call", lambda state: inner.invoke(QUESTION))), recorder, name="demo"
    )
    outer.invoke(QUESTION)
    assert tree(sink) == [
        AGENT,
        f"{AGENT}/node call",
        f"{AGENT}/node call/invoke_agent inner",
        f"{AGENT}/node call/invoke_agent inner/node deep",
    ]


def test_the_users_own_callbacks_still_hear(recorder):
    from langchain_core.callbacks import BaseCallbackHandler

    class Ear(BaseCallbackHandler):
        heard = 0

        def on_chain_start(self, *args, **kwargs):
            self.heard += 1

    ear = Ear()
    trace_graph(agent_graph(), recorder).invoke(QUESTION, {"callbacks": [ear]})
    assert ear.heard > 3


def test_chat_and_retrieval_spans_carry_both_conventions(recorder, sink):
    trace_graph(agent_graph(), recorder, name="demo").invoke(QUESTION)
    chat = [span for span in sink.spans() if span.name.startswith("chat")][-1].attributes
    assert chat["gen_ai.request.model"] == "scripted-1"
    assert (chat["gen_ai.usage.input_tokens"], chat["llm.token_count.total"]) == (9, 11)
    assert chat["openinference.span.kind"] == "LLM"
    retrieval = next(span for span in sink.spans() if span.name == "retrieval").attributes
    assert retrieval["stagetrace.retrieval.ids"] == ["d1", "d2"]
    assert retrieval["stagetrace.retrieval.scores"] == [0.9, 0.5]
    assert retrieval["retrieval.documents.1.document.id"] == "d2"


def test_attributes_of_the_graph_are_at_hand(recorder):
    graph = agent_graph()
    traced = trace_graph(graph, recorder)
    assert traced.nodes is graph.nodes
    assert traced.with_config(tags=["x"]).invoke(QUESTION)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a", "a"),
        ({"messages": [("user", "hi")]}, "hi"),
        ({"a": 1, "b": 2}, None),
        ({"x": {"answer": "y"}}, "y"),
        (3, None),
    ],
)
def test_only_a_short_text_of_a_state_is_taken(value, text):
    assert readable(value, ("answer",)) == text


def test_content_off_keeps_no_words_of_a_graph(sink):
    with Recorder(sink, content=False) as recorder:
        trace_graph(agent_graph(), recorder, name="demo").invoke({"question": "MARKED"})
    assert b"MARKED" not in sink.data
    assert b"seen mail" not in sink.data
