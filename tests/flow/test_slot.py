"""One item in one wording, from the request to the done-record, in this process."""

from __future__ import annotations

import time
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import pytest

from assistants.base import ASSISTANTS, Parts
from assistants.models.gold import gold
from assistants.retrievers.bm25 import bm25
from assistants.run import Bench, run_slot
from assistants.slots import Slot, base_wording
from assistants.user_agent import user_agent
from tracer.errors import EndpointError, StagetraceError
from tracer.fold import fold
from tracer.protocols import ChatModel
from tracer.record import Recorder
from tracer.records import Message, ModelSource, Reply, Task, Tool, ToolCall
from tracer.testing import CountingIds, MemorySink, SteppingClock


class Run:
    """A bench with an in-memory store."""

    def __init__(self, box: ModuleType, model: ChatModel, kind: str = "tools", **more: Any) -> None:
        self.sandbox = box.Outbox(items=3, questions=1, turns=1)
        self.sink = MemorySink()
        self.recorder = Recorder(self.sink, clock=SteppingClock(), ids=CountingIds())
        self.bench = Bench(
            self.sandbox,
            model,
            more.pop("assistant", None) or ASSISTANTS.get(kind),
            kind,
            clock=SteppingClock(),
            run="r",
            **more,
        )

    def task(self, item: str) -> Task:
        return next(task for task in self.sandbox.tasks() if task.item == item)

    def done(self, item: str) -> Any:
        task = self.task(item)
        done = run_slot(self.bench, self.recorder, Slot(task, base_wording(task)))
        self.recorder.flush()
        return done

    def trace(self) -> Any:
        return fold(self.sink.spans())

    def tree(self) -> list[str]:
        """Span names, indented by depth, in the order of their starts."""
        spans = sorted(self.sink.spans(), key=lambda s: s.attributes["stagetrace.sequence"])
        depth: dict[str, int] = {"": -1}
        lines = []
        for span in spans:
            depth[span.span_id] = depth[span.parent_id] + 1
            lines.append("  " * depth[span.span_id] + span.name)
        return lines


class Says:
    """A model that gives the replies of a list, one a call."""

    name = "says"
    source = ModelSource("stagetrace", "tests")

    def __init__(self, *replies: Message | Exception) -> None:
        self.replies = list(replies)
        self.seen: list[Sequence[Message]] = []

    def chat(self, messages: Sequence[Message], tools: Sequence[Tool] = ()) -> Reply:
        self.seen.append(tuple(messages))
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return Reply(reply)


def asks(name: str, call_id: str = "c", **arguments: Any) -> Message:
    return Message("assistant", tool_calls=(ToolCall(name, arguments, call_id),))


def test_tools_tree_has_every_step_once(box: ModuleType) -> None:
    run = Run(box, gold(""))
    assert run.done("t01").outcome.success is True
    assert run.tree() == [
        "stagetrace.item",
        "  invoke_agent tools",
        "    node ask",
        "      chat gold",
        "    node call",
        "      execute_tool outbox.send",
        "    node look",
        "    node ask",
        "      chat gold",
    ]


def test_rag_tree_has_every_step_once(box: ModuleType) -> None:
    run = Run(box, gold(""), "rag", retriever=bm25, retriever_name="bm25")
    assert run.done("q00").outcome.answer_correct is True
    assert run.tree() == [
        "stagetrace.item",
        "  invoke_agent rag",
        "    node retrieve",
        "      retrieval",
        "    node read",
        "      chat gold",
        "    node answer",
    ]


def test_reader_is_shown_the_retrieved_documents_in_their_order(box: ModuleType) -> None:
    model = Says(Message("assistant", "x"))
    run = Run(box, model, "rag", retriever=bm25, retriever_name="bm25", top_k=3)
    run.done("q00")
    shown = [passage.doc_id for passage in model.seen[0][-1].documents]
    assert shown == [passage.doc_id for passage in run.trace().retrievals[0].passages]
    assert len(shown) == 3


def test_llm_sees_neither_documents_nor_tools(box: ModuleType) -> None:
    model = Says(Message("assistant", "10:30"))
    run = Run(box, model, "llm")
    assert run.done("q00").outcome.answer_correct is True
    assert model.seen[0][-1].documents == ()


def test_tool_exception_is_shown_to_the_model_and_the_run_goes_on(box: ModuleType) -> None:
    model = Says(asks("outbox.send", text=""), Message("assistant", "sorry"))
    run = Run(box, model)
    done = run.done("t00")
    assert (done.status, done.outcome.errored, done.outcome.success) == ("ok", False, False)
    assert model.seen[1][-1].content == "error: ValueError: an empty note"
    assert run.trace().calls[0].error_type == "ValueError"


def test_unknown_tool_is_a_call_that_failed(box: ModuleType) -> None:
    model = Says(asks("outbox.sent", text="a"), Message("assistant", "sorry"))
    run = Run(box, model)
    run.done("t00")
    assert "did you mean 'outbox.send'" in model.seen[1][-1].content
    assert (run.trace().calls[0].name, run.trace().calls[0].status) == ("outbox.sent", "error")


def test_unreadable_arguments_are_a_malformed_call(box: ModuleType) -> None:
    broken = Message("assistant", tool_calls=(ToolCall("outbox.send", None, "c", raw="{oops"),))
    run = Run(box, Says(broken, Message("assistant", "sorry")))
    run.done("t00")
    call = run.trace().calls[0]
    assert (call.status, call.arguments, call.raw) == ("malformed", None, "{oops")


def test_agent_exception_is_an_outcome_and_graded(box: ModuleType) -> None:
    done = Run(box, Says(ValueError("no idea"))).done("t00")
    assert (done.status, done.error) == ("ok", "")
    assert (done.outcome.errored, done.outcome.success) == (True, False)


def test_step_limit_is_an_outcome(box: ModuleType) -> None:
    model = Says(*[asks("outbox.count")] * 9)
    run = Run(box, model, limits={"steps": 4})
    assert run.done("t00").outcome.errored is True
    assert run.trace().error_type == "StepLimitError"
    assert len(run.trace().calls) == 4


def test_a_call_over_the_limit_is_a_tool_error_and_the_run_goes_on(box: ModuleType) -> None:
    model = Says(*[asks("outbox.count")] * 4, Message("assistant", "Enough."))
    run = Run(box, model, limits={"tool_calls": 2})
    done = run.done("t00")
    trace = run.trace()
    assert done.status == "ok"
    assert [call.error_type for call in trace.calls] == [None, None, *["ToolLimitError"] * 2]
    assert trace.answer == "Enough."


def test_endpoint_error_is_no_score(box: ModuleType) -> None:
    done = Run(box, Says(EndpointError("endpoint x: status 503"))).done("t00")
    assert (done.status, done.outcome, done.error_class) == ("failed", None, "EndpointError")


def test_endpoint_failure_of_a_users_client_is_no_score(box: ModuleType) -> None:
    class APIConnectionError(Exception):
        pass

    done = Run(box, Says(APIConnectionError("refused"))).done("t00")
    assert (done.status, done.error_class) == ("failed", "EndpointError")


def test_broken_grader_is_no_score(box: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TINY_BAD_GRADE", "t00")
    done = Run(box, gold("")).done("t00")
    assert (done.status, done.outcome, done.error_class) == ("failed", None, "GraderError")
    assert "the grader tripped" in done.error


def test_each_slot_begins_in_a_fresh_sandbox(box: ModuleType) -> None:
    model = Says(
        asks("outbox.send", text="a"),
        Message("assistant", ""),
        asks("outbox.count"),
        Message("assistant", ""),
    )
    run = Run(box, model)
    run.done("t00")
    run.done("t01")
    assert model.seen[3][-1].content == '{"count": 0}'


def test_item_over_its_time_is_an_outcome(box: ModuleType) -> None:
    class Slow(Says):
        def chat(self, messages: Sequence[Message], tools: Sequence[Tool] = ()) -> Reply:
            time.sleep(30)
            raise AssertionError("never")

    run = Run(box, Slow(), timeout_s=0.2)
    assert run.done("t00").outcome.errored is True
    assert run.trace().error_type == "ItemTimeoutError"


def test_later_turns_see_the_answer_keys_reply(box: ModuleType) -> None:
    model = Says(
        Message("assistant", "Mine."), asks("outbox.send", text="note 0"), Message("assistant", "")
    )
    run = Run(box, model)
    done = run.done("m00")
    assert [m.content for m in model.seen[1][1:]] == [
        "Hello there.",
        "Hello, what shall I send?",
        "Send note 0.",
    ]
    assert done.outcome.success is True
    assert run.trace().calls[0].turn == 1


def test_flags_of_the_verdict_stand_on_the_item_span_and_gold_does_not(box: ModuleType) -> None:
    run = Run(box, gold(""), "rag", retriever=bm25)
    run.done("q00")
    item = next(span for span in run.sink.spans() if span.name == "stagetrace.item")
    assert item.attributes["stagetrace.outcome.answer_correct"] is True
    assert not any("relevant" in key or "gold" in key for key in item.attributes)


def test_done_record_counts_the_spans_of_its_trace(box: ModuleType) -> None:
    run = Run(box, gold(""))
    done = run.done("t00")
    assert done.spans == len(run.sink.spans()) == run.recorder.made == run.recorder.stored


def _function(text: str) -> str:
    return text.upper()


def _graph() -> Any:
    from langgraph.graph import END, START, StateGraph

    graph: Any = StateGraph(dict)
    graph.add_node("only", lambda state: {"answer": f"got {sorted(state)}"})
    graph.add_edge(START, "only")
    graph.add_edge("only", END)
    return graph.compile()


class _Object:
    def answer(self, request: Any) -> str:
        return f"object {request.item}"


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        (_function, "PLEASE SEND THE NOTE NUMBER 0 TODAY."),
        (_graph, "got ['input']"),
        (_Object(), "object t00"),
        (lambda: _function, "PLEASE SEND THE NOTE NUMBER 0 TODAY."),
        (lambda parts: lambda text: f"{len(parts.tools)} tools", "2 tools"),
    ],
    ids=["function", "graph factory", "object", "factory", "factory with parts"],
)
def test_a_users_own_agent_is_run_and_traced(box: ModuleType, target: Any, expected: str) -> None:
    run = Run(box, Says(), "user", assistant=user_agent(target, "mine:agent"))
    assert run.done("t00").status == "ok"
    assert run.trace().answer == expected
    assert run.tree()[1].strip() == "invoke_agent mine:agent"
    assert sum("invoke_agent" in line for line in run.tree()) == 1


def test_a_users_agent_that_calls_a_tool_is_graded_by_it(box: ModuleType) -> None:
    def agent(parts: Parts) -> Any:
        send = parts.tools[0]
        return lambda text: str(send.run(text="note 0"))

    run = Run(box, Says(), "user", assistant=user_agent(agent, "mine:agent"))
    assert run.done("t00").outcome.success is True


def test_what_is_no_agent_is_refused_before_the_run() -> None:
    with pytest.raises(StagetraceError, match="is a int"):
        user_agent(3, "mine:agent")
