"""Whole spans of a small graph against a golden file; `STAGETRACE_GOLDEN=1` rewrites it."""

from __future__ import annotations

from tests.golden_spans import assert_golden, plain
from tests.tracer.graphs import State, line_graph
from tracer.langgraph import trace_graph
from tracer.record import Recorder
from tracer.records import (
    Change,
    Message,
    ModelSource,
    Outcome,
    Passage,
    Reply,
    Request,
    Tool,
    ToolCall,
)
from tracer.spans import item_span, set_answer, set_outcome
from tracer.testing import CountingIds, MemorySink, SteppingClock
from tracer.wrap import calling, wrap_model, wrap_retriever, wrap_tool


class World:
    name = "office"
    changes: tuple = ()

    def state_digest(self):
        return "after" if self.changes else "before"

    def take_changes(self):
        return self.changes

    def move(self, event: str, to: str) -> str:
        self.changes = (Change("replace", "event", event, {"day": "Monday"}, {"day": to}),)
        return "moved"


class Model:
    name = "scripted"
    source = ModelSource("stagetrace", "built in", baseline=True)

    def chat(self, messages, tools=()):
        call = ToolCall("calendar.move", {"event": "e1", "to": "Friday"}, "c1")
        return Reply(Message("assistant", "Moving it.", (call,)), "tool_calls", 12, 7)


def small_run():
    sink, world = MemorySink(), World()
    request = Request(
        "i1", "Move the review to Friday.", suite="office", condition="formal", axis="formality"
    )
    with Recorder(
        sink, run="golden", clock=SteppingClock(), ids=CountingIds(), durability="item"
    ) as recorder:
        model = wrap_model(Model(), recorder)
        search = wrap_retriever(
            lambda q, k: [Passage("m1", 2.5, "The review is on Monday.")],
            recorder,
            ranker="bm25",
            data_source="mail",
        )
        move = wrap_tool(
            Tool("calendar.move", "Move an event.", {"type": "object"}, True, world.move),
            recorder,
            world,
        )

        def read(state: State):
            return {"seen": [p.doc_id for p in search(state["question"], 5)]}

        def act(state: State):
            (call,) = model.chat([Message("user", state["question"])]).message.tool_calls
            with calling(call):
                return {"answer": move.run(**call.arguments)}

        with item_span(recorder, request, assistant_kind="tools") as item:
            graph = trace_graph(line_graph(read, act), recorder, name="small", kind="tools")
            set_answer(item, graph.invoke({"question": request.text})["answer"])
            set_outcome(item, Outcome("strict", success=True, unwanted_side_effect=False))
    return plain(sink.spans())


def test_the_spans_of_a_small_graph_are_the_golden_ones():
    assert_golden("tracer_small_graph.json", small_run())


def test_two_runs_give_equal_spans():
    assert small_run() == small_run()
