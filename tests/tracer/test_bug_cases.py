"""Faults of other tracers that are told in words, each under its number in the list of cases."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import numpy as np
import pytest
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langchain_core.vectorstores import InMemoryVectorStore
from langgraph.prebuilt import ToolNode

import stagetrace
from stagetrace.commandline import run
from tests.tracer.graphs import State, agent_graph, line_graph
from tests.tracer.test_langgraph import AGENT, QUESTION, WHOLE, tree
from tracer.fold import fold
from tracer.langgraph import trace_graph
from tracer.record import Recorder
from tracer.records import Message, ModelSource, Passage, Reply
from tracer.store import read_run
from tracer.testing import MemorySink
from tracer.wrap import trace, wrap_embedder, wrap_model, wrap_reranker, wrap_retriever


def failing_graph():
    """A model that asks for one call, and a `ToolNode` as it is by default, whose tool raises."""

    @tool
    def look(what: str) -> str:
        """Look something up."""
        raise ValueError("boom")

    def ask(state: State):
        call = {"name": "look", "args": {"what": "mail"}, "id": "call-1"}
        return {"messages": [AIMessage("", tool_calls=[call])]}

    return line_graph(ask, ("tools", ToolNode([look])))


def test_bug_001_an_async_agent_with_two_calls_is_one_trace(recorder, sink):
    asyncio.run(trace_graph(agent_graph(), recorder, name="demo").ainvoke(QUESTION))
    spans = sink.spans()
    ids = {span.span_id for span in spans}
    tools = [path for path in tree(sink) if path.endswith("execute_tool look")]
    assert len({span.trace_id for span in spans}) == 1
    assert [span.name for span in spans if span.parent_id not in ids] == [AGENT]
    assert len(tools) == 2
    assert all(path.startswith(f"{AGENT}/") for path in tools)


@pytest.mark.parametrize("whose", ["ours", "theirs"])
def test_bug_003_an_agent_hangs_below_the_callers_span(whose, recorder, sink, users):
    """`job` is a span of ours, or one of another tracer of the process."""
    job = (
        recorder.span("chain", "job")
        if whose == "ours"
        else users.tracer.start_as_current_span("job")
    )
    with job as span:
        trace_graph(agent_graph(), recorder, name="demo").invoke(QUESTION)
        above = span.get_span_context()
    (root,) = [one for one in sink.spans() if one.name == AGENT]
    assert root.parent_id == f"{above.span_id:016x}"
    assert {one.trace_id for one in sink.spans()} == {f"{above.trace_id:032x}"}


@pytest.mark.parametrize("how", ["twice", "inside a traced function", "with_config"])
def test_bug_005_an_agent_that_is_wrapped_already_is_traced_once(how, recorder, sink):
    once = trace(agent_graph(), recorder, name="demo")
    if how == "twice":
        trace(once, recorder, name="demo").invoke(QUESTION)
    elif how == "with_config":
        trace(once.with_config(tags=["x"]), recorder, name="demo").invoke(QUESTION)
    else:
        trace(lambda: once.invoke(QUESTION), recorder, name="demo")()
    assert tree(sink) == WHOLE


def test_bug_005_a_part_that_is_wrapped_already_is_traced_once(recorder, sink):
    """A model, an embedder, a retriever, a re-ranker and a vector store, each wrapped twice."""

    class Model:
        name, source = "m", ModelSource("local", "w")

        def chat(self, messages, tools=()):
            return Reply(Message("assistant", "Yes."), input_tokens=3, output_tokens=1)

        def embed(self, texts):
            return np.zeros((len(texts), 2), dtype=np.float32)

    def twice(wrap, part, **more):
        return wrap(wrap(part, recorder, **more), recorder, **more)

    passages = [Passage("d1", 1.0)]
    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=4))
    with recorder.span("agent", "a"):
        twice(wrap_model, Model()).chat([Message("user", "hi")])
        twice(wrap_embedder, Model()).embed(["hi"])
        twice(wrap_retriever, lambda query, k: passages)("q", 1)
        twice(wrap_reranker, lambda query, some, k: some, model="r")("q", passages, 1)
        twice(trace, store).similarity_search("q", k=1)
    names = ["chat m", "embeddings m", "retrieval", "rerank r", "retrieval", "a"]
    assert [span.name for span in sink.spans()] == names


def test_bug_014_a_tool_that_raises_is_an_error_on_tool_and_agent():
    sink = MemorySink()
    with (
        Recorder(sink) as recorder,
        pytest.raises(ValueError, match="boom"),
    ):
        trace_graph(failing_graph(), recorder, name="demo").invoke(QUESTION)
    spans = {span.name: span for span in sink.spans()}
    look = spans["execute_tool look"]
    assert (look.status, look.attributes["error.type"]) == (2, "ValueError")
    assert (spans[AGENT].status, spans[AGENT].attributes["error.type"]) == (2, "ValueError")
    assert spans[AGENT].ended_ns is not None
    (call,) = fold(sink.spans()).calls
    assert (call.status, call.error, call.arguments) == ("error", "boom", {"what": "mail"})


def test_bug_014_a_run_with_such_a_tool_is_recorded_as_failed(tmp_path, monkeypatch, capsys):
    """The agent's own exception is an outcome: its item is there, graded as not successful."""
    task = {"item": "t1", "text": "Look at my mail.", "answers": ["nothing"]}
    (tmp_path / "tasks.jsonl").write_text(json.dumps(task) + "\n")
    monkeypatch.chdir(tmp_path)
    agent = f"{__name__}:failing_graph"
    assert run(["run", "tasks:tasks.jsonl", "--assistant", agent, "--out", "here"]) == 0
    stored = read_run(Path("here"))
    (done,) = stored.done.values()
    assert done.item == "t1"
    assert done.outcome is not None
    assert (done.outcome.errored, done.outcome.answer_correct) == (True, False)
    (trace_,) = stored.traces()
    assert (trace_.status, trace_.error) == ("error", "boom")
    assert [(call.name, call.status) for call in trace_.calls] == [("look", "error")]
    scores = stagetrace.score(stored.traces(), metrics=["answer_accuracy"])
    assert list(scores["value"]) == [0.0]
