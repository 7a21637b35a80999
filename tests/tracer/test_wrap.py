"""Wrapped models, retrievers, tools and agents keep their protocol and tell what they did."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context

import pytest

from tracer.fold import fold
from tracer.protocols import Prompted
from tracer.record import Recorder
from tracer.records import (
    Change,
    Message,
    ModelSource,
    Passage,
    Reply,
    Request,
    Task,
    Tool,
    ToolCall,
    Turn,
)
from tracer.spans import changes_of, patch_of
from tracer.testing import MemorySink
from tracer.wrap import (
    calling,
    reject_call,
    trace,
    wrap_model,
    wrap_reranker,
    wrap_retriever,
    wrap_tool,
)


class World:
    name = "office"

    def __init__(self):
        self.state, self.changes = 0, []

    def state_digest(self):
        return f"digest-{self.state}"

    def take_changes(self):
        changes, self.changes = tuple(self.changes), []
        return changes

    def delete(self, mail: str) -> str:
        self.state += 1
        self.changes.append(Change("remove", "mail", mail, {"subject": "a/b"}, None))
        return "deleted"


def delete_tool(world):
    return Tool("mail.delete", "Delete a mail.", {"type": "object"}, True, world.delete)


def test_a_writing_tool_tells_its_changes(recorder, sink):
    world = World()
    tool = wrap_tool(delete_tool(world), recorder, world)
    with calling(ToolCall("mail.delete", {}, "c7")):
        assert tool.run(mail="m~1/x") == "deleted"
    (span,) = sink.spans()
    assert span.attributes["stagetrace.state.before"] == "digest-0"
    assert span.attributes["stagetrace.state.after"] == "digest-1"
    assert span.attributes["stagetrace.state.changes"] == 1
    assert span.attributes["gen_ai.tool.call.id"] == "c7"
    assert [event.name for event in span.events] == ["stagetrace.side_effect"]
    (call,) = fold(sink.spans()).calls
    assert call.changes == (Change("remove", "mail", "m~1/x", {"subject": "a/b"}, None),)
    assert (call.kind, call.status, call.result, call.call_id) == ("write", "ok", "deleted", "c7")
    assert call.arguments == {"mail": "m~1/x"}


def test_a_reading_tool_has_no_digests(recorder, sink):
    world = World()
    wrap_tool(Tool("look", "", {}, False, lambda: [1]), recorder, world).run()
    (span,) = sink.spans()
    assert "stagetrace.state.before" not in span.attributes
    assert fold(sink.spans()).calls[0].state_before is None


def test_an_exception_of_a_tool_is_noted_and_raised(recorder, sink):
    def broken() -> None:
        raise LookupError("no such mail")

    with pytest.raises(LookupError, match="no such mail"):
        wrap_tool(Tool("t", "", {}, True, broken), recorder, World()).run()
    (call,) = fold(sink.spans()).calls
    assert (call.status, call.error, call.error_type) == ("error", "no such mail", "LookupError")


def test_a_call_that_is_no_call_is_malformed(recorder, sink):
    reject_call(recorder, ToolCall("mail.delete", None, raw="mail.delete(("), "unreadable")
    (call,) = fold(sink.spans()).calls
    assert (call.status, call.arguments, call.raw, call.error_type) == (
        "malformed",
        None,
        "mail.delete((",
        "MalformedCall",
    )


def test_a_call_of_an_unknown_tool_is_an_error_with_its_arguments(recorder, sink):
    reject_call(recorder, ToolCall("nope", {"a": 1}), "no tool 'nope'", error_type="UnknownTool")
    (call,) = fold(sink.spans()).calls
    assert (call.status, call.arguments, call.error) == ("error", {"a": 1}, "no tool 'nope'")


def test_many_changes_are_all_in_the_diff_and_capped_as_events(recorder, sink):
    world = World()

    def many() -> None:
        world.changes += [Change("add", "mail", str(n), None, {"n": n}) for n in range(150)]

    wrap_tool(Tool("t", "", {}, True, many), recorder, world).run()
    (span,) = sink.spans()
    assert len(span.events) == 100
    assert span.attributes["stagetrace.side_effect.overflow"] == 50
    assert len(fold([span]).calls[0].changes) == 150


def test_a_diff_tells_the_same_changes_again():
    changes = (
        Change("replace", "a/b", "k~", {"x": 1}, {"x": 2}),
        Change("add", "t", "1", None, {}),
    )
    assert changes_of(patch_of(changes)) == changes


def test_eight_calls_in_a_pool_are_all_nested(recorder, sink):
    tool = wrap_tool(Tool("t", "", {}, False, lambda n: n), recorder)
    with recorder.span("agent", "a") as agent, ThreadPoolExecutor(4) as pool:
        done = [pool.submit(copy_context().run, lambda n=n: tool.run(n=n)) for n in range(8)]
    assert [f.result() for f in done] == list(range(8))
    assert [s.parent_id for s in sink.spans() if s.name == "execute_tool t"] == [agent.span_id] * 8


class Model:
    name = "local:tiny"
    source = ModelSource("local", "tiny.gguf", "ab" * 32)

    def chat(self, messages, tools=()):
        calls = (ToolCall("look", {"a": 1}, "c1"), ToolCall("bad", None, "c2", "bad(("))
        return Reply(Message("assistant", "text", calls), "tool_calls", 11, 5, "r1", "tiny-1")


def test_a_chat_span_tells_model_tokens_and_messages(recorder, sink):
    model = wrap_model(Model(), recorder)
    reply = model.chat(
        [
            Message("system", "Be brief."),
            Message("user", "Hi", documents=(Passage("d1", None, "doc"),)),
        ]
    )
    assert (model.name, reply.message.content) == ("local:tiny", "text")
    (span,) = sink.spans()
    assert span.name == "chat local:tiny"
    assert span.attributes["stagetrace.model.sha256"] == "ab" * 32
    assert span.attributes["stagetrace.llm.tool_calls.count"] == 2
    (call,) = fold([span]).model_calls
    assert (call.input_tokens, call.output_tokens, call.finish_reasons) == (11, 5, ("tool_calls",))
    assert call.requested_calls == Model().chat([]).message.tool_calls
    assert json.loads(span.attributes["gen_ai.input.messages"])[1]["parts"][1] == {
        "type": "stagetrace.document",
        "id": "d1",
        "content": "doc",
    }


def test_only_a_prompted_model_stays_prompted(recorder):
    class Told(Model):
        seen = None

        def begin(self, task, request):
            self.seen = task.item

    told = Told()
    wrapped = wrap_model(told, recorder)
    assert isinstance(wrapped, Prompted)
    assert not isinstance(wrap_model(Model(), recorder), Prompted)
    wrapped.begin(Task("i1", "s", "question", (Turn("x"),)), Request("i1", "x"))
    assert told.seen == "i1"


def test_a_retriever_without_scores_gets_ranks_in_our_attribute_only(recorder, sink):
    wrap_retriever(lambda q, k: [Passage("a"), Passage("b")], recorder, ranker="plain")("q", 5)
    (span,) = sink.spans()
    assert span.attributes["stagetrace.retrieval.score_kind"] == "rank"
    assert "score" not in json.loads(span.attributes["gen_ai.retrieval.documents"])[0]
    (retrieval,) = fold([span]).retrievals
    assert [p.score for p in retrieval.passages] == [None, None]
    assert (retrieval.top_k, retrieval.ranker, retrieval.query) == (5, "plain", "q")


def test_a_retrieval_below_another_is_internal_and_a_rerank_is_not(recorder, sink):
    part = wrap_retriever(lambda q, k: [Passage("a", 1.0, "t")], recorder, ranker="bm25")
    whole = wrap_retriever(lambda q, k: part(q, k), recorder, ranker="hybrid")
    rerank = wrap_reranker(lambda q, passages, k: passages[:k], recorder, model="cross")
    with recorder.span("agent", "a"):
        rerank("q", whole("q", 3), 1)
    found = [(r.ranker, r.stage, r.internal) for r in fold(sink.spans()).retrievals]
    assert found == [
        ("hybrid", "retrieval", False),
        ("bm25", "retrieval", True),
        ("cross", "rerank", False),
    ]


def test_forty_documents_lose_no_attribute(recorder, sink):
    wrap_retriever(lambda q, k: [Passage(str(n), float(n), "t") for n in range(40)], recorder)(
        "q", 40
    )
    (span,) = sink.spans()
    assert len(fold([span]).retrievals[0].passages) == 40
    assert span.attributes["openinference.span.kind"] == "RETRIEVER"
    assert "retrieval.documents.10.document.id" not in span.attributes


def test_functions_and_assistants_keep_their_protocol(recorder, sink):
    async def later(question):
        return question + "!"

    class Assistant:
        name, kind = "mine", "rag"

        def answer(self, request):
            return request.text.upper()

    assert trace(lambda question: question + "?", recorder, name="f")("a") == "a?"
    assert asyncio.run(trace(later, recorder)("a")) == "a!"
    assert trace(Assistant(), recorder).answer(Request("i1", "hi")) == "HI"
    assert [s.attributes["output.value"] for s in sink.spans()] == ["a?", "a!", "HI"]
    with pytest.raises(TypeError, match="not callable"):
        trace(3, recorder)


def test_a_writing_tool_does_not_start_when_the_store_is_full():
    from tracer.errors import StoreError

    class Full(MemorySink):
        def write(self, lines):
            raise StoreError("full")

    recorder = Recorder(Full())
    recorder.start("chain", "x").end()
    world = World()
    with pytest.raises(StoreError, match="full"):
        wrap_tool(delete_tool(world), recorder, world).run(mail="m")
    assert world.state == 0
