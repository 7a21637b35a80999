"""Spans stay in one tree across threads, processes, generators, bare parts and hand-made code."""

from __future__ import annotations

import asyncio
import gc
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.messages import AIMessage
from langchain_core.tools import create_retriever_tool, tool
from langchain_core.vectorstores import InMemoryVectorStore
from langgraph.prebuilt import ToolNode
from opentelemetry import baggage
from opentelemetry import trace as ot

from tests.tracer.graphs import ScriptedModel, State, TwoDocuments, agent_graph, line_graph
from tests.tracer.test_langgraph import AGENT, QUESTION, WHOLE, tree
from tracer.carry import CarryingExecutor, carried, carrier
from tracer.fold import fold
from tracer.langgraph import trace_graph
from tracer.record import Recorder
from tracer.records import Request, Tool
from tracer.spans import item_span
from tracer.store import FileSink, read_spans, read_traces
from tracer.testing import MemorySink
from tracer.wrap import trace, wrap_tool


@pytest.fixture(autouse=True)
def _nothing_swallowed(caplog):
    yield
    assert "Error in" not in caplog.text
    assert "Failed to detach" not in caplog.text
    assert not ot.get_current_span().get_span_context().is_valid


def test_twenty_streams_at_once_each_give_the_tree_of_invoke(recorder, sink):
    graph = trace_graph(agent_graph(), recorder, name="demo")

    async def serve():
        async def request():
            return [step async for step in graph.astream(QUESTION)]

        await asyncio.gather(*(asyncio.create_task(request()) for _ in range(20)))

    asyncio.run(serve())
    spans = sink.spans()
    traces = {span.trace_id for span in spans}
    assert len(traces) == 20
    for trace_id in traces:
        part = MemorySink()
        part.spans = lambda t=trace_id: [s for s in spans if s.trace_id == t]
        assert tree(part) == WHOLE


def test_eight_parallel_calls_of_a_tool_node_are_eight_nested_spans(recorder, sink):
    @tool
    def look(what: str) -> str:
        """Look something up."""
        return what

    calls = [{"name": "look", "args": {"what": str(n)}, "id": f"c{n}"} for n in range(8)]

    def ask(state: State):
        return {"messages": [AIMessage("", tool_calls=calls)]}

    graph = line_graph(ask, ("tools", ToolNode([look])))
    trace_graph(graph, recorder, name="demo").invoke(QUESTION)
    assert tree(sink).count(f"{AGENT}/node tools/execute_tool look") == 8


@pytest.mark.parametrize("submit", ["executor", "carried"])
def test_a_users_pool_inside_a_tool_keeps_the_tool_as_parent(submit, recorder, sink):
    inner = wrap_tool(Tool("inner", "", {}, False, lambda n: n), recorder)

    def outer() -> int:
        if submit == "executor":
            with CarryingExecutor(4) as pool:
                return sum(pool.map(lambda n: inner.run(n=n), range(8)))
        with ThreadPoolExecutor(4) as pool:
            work = carried(lambda n: inner.run(n=n))
            return sum(future.result() for future in [pool.submit(work, n) for n in range(8)])

    with recorder.span("agent", "a"):
        assert wrap_tool(Tool("outer", "", {}, False, outer), recorder).run() == 28
    spans = sink.spans()
    (above,) = [span for span in spans if span.name == "execute_tool outer"]
    inside = [span for span in spans if span.name == "execute_tool inner"]
    assert len(inside) == 8
    assert {span.parent_id for span in inside} == {above.span_id}


CHILD = """
import json, sys
from pathlib import Path
from tracer.carry import continued
from tracer.record import Recorder
from tracer.records import Tool
from tracer.store import FileSink
from tracer.wrap import wrap_tool
with Recorder(FileSink(Path(sys.argv[1]))) as recorder, continued(json.loads(sys.argv[2])):
    with recorder.span("node", "child"):
        wrap_tool(Tool("deep", "", {}, False, lambda: 1), recorder).run()
"""


def test_a_spawned_process_goes_on_with_the_trace_and_the_item(tmp_path):
    import json

    request = Request("i1", "q", suite="office", condition="formal", replicate=2)
    with (
        Recorder(FileSink(tmp_path / "a.otlp.jsonl"), run="r") as recorder,
        item_span(recorder, request) as item,
        recorder.span("node", "start") as above,
    ):
        given = json.dumps(carrier())
        code = [sys.executable, "-c", CHILD, str(tmp_path / "b.otlp.jsonl"), given]
        subprocess.run(code, check=True, timeout=60)
    (whole,) = read_traces(tmp_path)
    assert (whole.request.item, whole.request.condition, whole.request.replicate) == (
        "i1",
        "formal",
        2,
    )
    assert [call.name for call in whole.calls] == ["deep"]
    assert whole.warnings == ()
    child = next(span for span in read_spans(tmp_path) if span.name == "child")
    assert (child.trace_id, child.parent_id) == (item.trace_id, above.span_id)
    assert child.attributes["session.id"] == "r/i1/formal/2"


def test_identity_is_out_of_the_baggage_inside_models_and_tools(sink):
    seen = []

    def look() -> int:
        seen.append(dict(baggage.get_all()))
        return 1

    for asked in (False, True):
        with (
            Recorder(sink, send_identity=asked) as recorder,
            item_span(recorder, Request("i1", "q")),
        ):
            assert baggage.get_all()["stagetrace.item.id"] == "i1"
            wrap_tool(Tool("t", "", {}, False, look), recorder).run()
            assert baggage.get_all()["stagetrace.item.id"] == "i1"
    assert seen[0] == {}
    assert seen[1]["stagetrace.item.id"] == "i1"
    assert {s.attributes["stagetrace.item.id"] for s in sink.spans()} == {"i1"}


def test_what_others_put_into_the_baggage_stays(recorder):
    from opentelemetry import context

    token = context.attach(baggage.set_baggage("mine", "1"))
    with item_span(recorder, Request("i1", "q")), recorder.span("tool", "t"):
        assert dict(baggage.get_all()) == {"mine": "1"}
    context.detach(token)


def test_a_generators_span_lasts_to_its_last_item_and_is_not_current_outside(recorder, sink, users):
    def words(question):
        users.mark("inside")
        yield "a"
        users.mark("inside")
        yield "b"

    for _ in trace(words, recorder)("q"):
        users.mark("outside")
    (span,) = sink.spans()
    assert span.attributes["output.value"] == "ab"
    parents = {s.name: s.parent and f"{s.parent.span_id:016x}" for s in users.spans()}
    assert parents == {"inside": span.span_id, "outside": None}


def test_an_async_generator_that_is_broken_off_is_abandoned(recorder, sink):
    async def words(question):
        yield "a"
        yield "b"

    async def consume():
        async for _ in trace(words, recorder)("q"):
            break

    asyncio.run(consume())
    gc.collect()
    (span,) = sink.spans()
    assert (span.attributes["stagetrace.ended_by"], span.status) == ("abandoned", 0)


def test_a_decorated_function_in_an_async_node_calling_a_traced_tool_nests(recorder, sink):
    look = wrap_tool(Tool("look", "", {}, False, lambda: 1), recorder)

    async def helper():
        await asyncio.sleep(0)
        return look.run()

    helped = trace(helper, recorder, name="helper")

    async def node(state: State):
        return {"answer": str(await helped())}

    asyncio.run(trace_graph(line_graph(node), recorder, name="demo").ainvoke(QUESTION))
    assert f"{AGENT}/node node/invoke_agent helper/execute_tool look" in tree(sink)


def test_an_attribute_set_in_a_tool_under_ainvoke_lands_on_that_tool(recorder, sink):
    graph = agent_graph(in_tool=lambda: ot.get_current_span().set_attribute("mine", 1))
    asyncio.run(trace_graph(graph, recorder, name="demo").ainvoke(QUESTION))
    assert {s.name for s in sink.spans() if "mine" in s.attributes} == {"execute_tool look"}


BARE = {
    "model": (ScriptedModel, "hi", "chat scripted-1"),
    "retriever": (TwoDocuments, "where", "retrieval"),
    "tool": (lambda: tool(_double), {"n": 2}, "execute_tool _double"),
}


def _double(n: int) -> int:
    """Twice."""
    return 2 * n


@pytest.mark.parametrize("part", BARE)
@pytest.mark.parametrize("how", ["invoke", "ainvoke", "batch", "stream"])
def test_a_bare_part_is_one_span_and_leaves_nothing_current(part, how, recorder, sink):
    make, value, name = BARE[part]
    traced = trace(make(), recorder)
    if how == "ainvoke":
        asyncio.run(traced.ainvoke(value))
    elif how == "batch":
        traced.batch([value])
    elif how == "stream":
        list(traced.stream(value))
    else:
        traced.invoke(value)
    assert [span.name for span in sink.spans()] == [name]
    assert not ot.get_current_span().get_span_context().is_valid


def test_a_bare_model_with_tools_bound_stays_traced(recorder, sink):
    class Binding(ScriptedModel):
        def bind_tools(self, tools, **kwargs):
            return self.bind(tools=[str(t) for t in tools])

    trace(Binding(), recorder).bind_tools([_double]).invoke("hi")
    assert [span.name for span in sink.spans()] == ["chat scripted-1"]


def test_a_retriever_that_is_wrapped_as_a_tool_tells_ids_and_scores(recorder, sink):
    finder = create_retriever_tool(TwoDocuments(), "find", "Find documents.")

    def node(state: State, config):
        return {"answer": str(finder.invoke({"query": "q"}, config))}

    trace_graph(line_graph(node), recorder, name="demo").invoke(QUESTION)
    assert f"{AGENT}/node node/execute_tool find/retrieval" in tree(sink)
    (retrieval,) = fold(sink.spans()).retrievals
    assert [(p.doc_id, p.score) for p in retrieval.passages] == [("d1", 0.9), ("d2", 0.5)]


def test_a_vector_store_asked_directly_tells_ids_and_scores(recorder, sink):
    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=8))
    store.add_documents([Document(f"text {n}", id=f"d{n}") for n in range(5)])
    traced = trace(store, recorder)
    found = traced.similarity_search_with_score("q", k=3)
    traced.similarity_search("q", k=2)
    asyncio.run(traced.asimilarity_search("q", k=1))
    retrievals = [fold([span]).retrievals[0] for span in sink.spans()]
    assert [p.doc_id for p in retrievals[0].passages] == [d.id for d, _ in found]
    assert [p.score for p in retrievals[0].passages] == [float(score) for _, score in found]
    assert [len(r.passages) for r in retrievals] == [3, 2, 1]
    assert (retrievals[0].top_k, retrievals[0].query) == (3, "q")


def test_cancelled_and_interrupted_runs_end_every_span_with_the_reason(recorder, sink):
    async def slow(state: State):
        await asyncio.sleep(10)

    async def cancel():
        graph = trace_graph(line_graph(slow), recorder, name="demo")
        task = asyncio.create_task(graph.ainvoke(QUESTION))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())

    def stop(state: State):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trace_graph(line_graph(stop), recorder, name="demo").invoke(QUESTION)
    kinds = [s.attributes["error.type"] for s in sink.spans() if s.name == AGENT]
    assert kinds == ["CancelledError", "KeyboardInterrupt"]
    assert recorder.open == 0


ENDING = """
import os, signal, sys, threading, time
from pathlib import Path
from tracer.process import end_spans_on_sigterm
from tracer.record import Recorder
from tracer.store import FileSink
recorder = Recorder(FileSink(Path(sys.argv[1])), durability="item")
end_spans_on_sigterm()
recorder.start("chat", "never ended")
with recorder.span("agent", "root"), recorder.span("tool", "inside"):
    if sys.argv[2] == "exit":
        sys.exit(0)
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGTERM)).start()
    time.sleep(30)
"""


@pytest.mark.parametrize(
    ("how", "status", "reason"), [("exit", 0, "exit"), ("kill", 143, "terminated")]
)
def test_exit_and_sigterm_end_every_span_with_the_reason(how, status, reason, tmp_path):
    path = tmp_path / "t.otlp.jsonl"
    child = subprocess.run(
        [sys.executable, "-c", ENDING, str(path), how], timeout=60, capture_output=True, check=False
    )
    assert (child.returncode, child.stderr) == (status, b"")
    ended = {span.name: span.attributes["stagetrace.ended_by"] for span in read_spans(path)}
    assert ended == {"root": reason, "inside": reason, "never ended": "exit"}


def test_a_handler_of_sigterm_that_is_there_stays():
    from tracer.process import end_spans_on_sigterm

    before = signal.signal(signal.SIGTERM, lambda *_: None)
    try:
        assert end_spans_on_sigterm() is False
    finally:
        signal.signal(signal.SIGTERM, before)


def test_the_file_holds_every_span_when_the_run_returns(tmp_path):
    path = Path(tmp_path) / "t.otlp.jsonl"
    recorder = Recorder(FileSink(path), durability="item")
    trace_graph(agent_graph(), recorder, name="demo").invoke(QUESTION)
    assert len(list(read_spans(path))) == len(WHOLE)
    recorder.close()


def test_a_tool_call_costs_few_spans(recorder, sink):
    trace_graph(agent_graph(), recorder, name="demo").invoke(QUESTION)
    per_tool = [p for p in tree(sink) if "execute_tool" in p]
    assert len(tree(sink)) - 8 == len(per_tool) == 2


def test_a_result_of_five_megabytes_is_kept_whole(recorder, sink):
    wrap_tool(Tool("big", "", {}, False, lambda: "é" * 5_000_000), recorder).run()
    assert fold(sink.spans()).calls[0].result == "é" * 5_000_000
