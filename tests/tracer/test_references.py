"""Each long value once a trace, and every reader gets it back as it was."""

from __future__ import annotations

import json
import os
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tracer.graphs import agent_graph
from tracer.encode import TraceEncoder
from tracer.fold import fold
from tracer.formats.otlp_json import decode_line, encode_line
from tracer.langgraph import trace_graph
from tracer.limits import json_text
from tracer.record import Recorder
from tracer.records import Message, ModelSource, Passage, Reply, Request
from tracer.references import restored
from tracer.spans import item_span
from tracer.store import FileSink, read_spans
from tracer.testing import CountingIds, MemorySink, SteppingClock
from tracer.wrap import wrap_model, wrap_retriever

LONG = "The planning thread moved to Thursday because the room was taken. " * 8


def documents(n: int) -> list[Passage]:
    return [Passage(f"d{i}", 1 / (i + 1), f"{i}: {LONG}") for i in range(n)]


class Model:
    name = "m"
    source = ModelSource("stagetrace", "built in", baseline=True)

    def chat(self, messages, tools=()):
        return Reply(Message("assistant", f"{LONG} {len(messages)}"))


def conversation(recorder, turns=5):
    model = wrap_model(Model(), recorder)
    search = wrap_retriever(lambda q, k: documents(k), recorder)
    with item_span(recorder, Request("i1", LONG)):
        found = search("q", 3)
        context = "Context:\n" + "\n---\n".join(p.text for p in found)
        history = [Message("system", context), Message("user", LONG)]
        for _ in range(turns):
            history.append(model.chat(history).message)
            history.append(Message("user", f"And then? {len(history)}"))
        search("q2", 2)


def recorded(work, **kwargs):
    sink = MemorySink()
    with Recorder(sink, clock=SteppingClock(), ids=CountingIds(), **kwargs) as recorder:
        work(recorder)
    return sink


def test_each_long_text_is_written_once():
    sink = recorded(conversation)
    for n in range(3):
        assert sink.data.decode().count(f"{n}: {LONG}") == 1
    assert sink.data.decode().count(f"{LONG} 2") == 1


def test_what_is_read_is_what_a_direct_writer_would_have_written(monkeypatch):
    def directly(self, span, *, refer=True):
        return encode(self, span, refer=False)

    encode = TraceEncoder.encode
    referring = recorded(conversation)
    monkeypatch.setattr(TraceEncoder, "encode", directly)
    direct = recorded(conversation)
    assert b"stagetrace.refs" in referring.data
    assert b"stagetrace.refs" not in direct.data
    assert len(referring.data) < 0.6 * len(direct.data)
    for one, other in zip(referring.spans(), direct.spans(), strict=True):
        assert dict(one.attributes) == dict(other.attributes)
    assert fold(referring.spans()) == fold(direct.spans())


def test_a_long_history_costs_what_is_new():
    short, long = (len(recorded(lambda r, n=n: conversation(r, n)).data) for n in (20, 40))
    assert long < 2.3 * short


def test_lines_may_come_in_any_order():
    sink = recorded(lambda recorder: conversation(recorder, 8), durability="span")
    lines = sink.lines()
    assert len(lines) > 5
    whole = {span.span_id: span for span in sink.spans()}
    for seed in range(20):
        random.Random(seed).shuffle(lines)
        spans = list(restored(span for line in lines for span in decode_line(line)))
        assert {span.span_id: span for span in spans} == whole
        assert fold(spans) == fold(whole.values())


def test_a_lost_definition_is_named_and_the_rest_is_read():
    sink = recorded(lambda recorder: conversation(recorder, 3), durability="span")
    spans = list(restored(s for line in sink.lines()[1:] for s in decode_line(line)))
    assert len(spans) == len(sink.spans()) - 1
    trace = fold(spans)
    assert any(w.startswith("content_missing: the definition of ") for w in trace.warnings)
    assert len(trace.model_calls) == 3


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
    | st.sampled_from([LONG, f"{LONG}!", "$st"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "$st", "list", "json", LONG[:40]]), inner)
    ),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.lists(values, max_size=4), min_size=1, max_size=4), values)
def test_any_value_comes_back_byte_for_byte(lists, value):
    def work(recorder):
        with recorder.span("agent", "a", {"text": LONG}):
            for messages in lists:
                span = recorder.start("chat", "c")
                span.set_messages("gen_ai.input.messages", messages)
                span.set_json("one", value)
                span.set_json("two", value)
                span.end()

    spans = [s for s in recorded(work).spans() if s.name == "c"]
    assert [s.attributes["gen_ai.input.messages"] for s in spans] == [
        json_text(messages) for messages in lists
    ]
    for span in spans:
        assert span.attributes["one"] == span.attributes["two"] == json_text(value)


def test_a_message_that_changes_later_is_kept_as_it_was(recorder, sink):
    message = {"role": "user", "parts": [{"type": "text", "content": "before"}]}
    with recorder.span("chat", "c") as span:
        span.set_messages("gen_ai.input.messages", [message])
        message["parts"][0]["content"] = "after"
    assert "before" in sink.spans()[0].attributes["gen_ai.input.messages"]
    assert b"after" not in sink.data


def test_lines_of_version_1_are_read(recorder, sink):
    line = encode_line(
        {"stagetrace.schema_version": 1, "session.id": "s"},
        [
            {
                "traceId": "0" * 31 + "1",
                "spanId": "0" * 15 + "2",
                "name": "chat m",
                "startTimeUnixNano": "1",
                "endTimeUnixNano": "2",
                "attributes": [
                    {"key": "openinference.span.kind", "value": {"stringValue": "LLM"}},
                    {"key": "gen_ai.input.messages", "value": {"stringValue": '[{"role":"user"}]'}},
                ],
            }
        ],
        "0",
    )
    (span,) = restored(decode_line(line))
    assert fold([span]).model_calls[0].input_messages == [{"role": "user"}]


def test_two_stores_of_one_trace_are_each_whole():
    one, other = MemorySink(), MemorySink()
    with (
        Recorder(one) as first,
        Recorder(other) as second,
        first.span("agent", "a", {"text": LONG}),
        second.span("agent", "b", {"text": LONG}),
    ):
        pass
    assert one.spans()[0].attributes["text"] == other.spans()[0].attributes["text"] == LONG


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_childs_file_is_whole_by_itself(tmp_path):
    recorder = Recorder(FileSink(tmp_path / "w.otlp.jsonl"))
    with recorder.span("agent", "parent") as parent:
        recorder.start("chain", "before", {"text": LONG}).end()
        recorder.flush()
        child = os.fork()
        if child == 0:
            recorder.start("chain", "inside", {"text": LONG}, parent=parent).end()
            recorder.flush()
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
    recorder.close()
    (path,) = tmp_path.glob(f"w-{child}*")
    (span,) = read_spans(path)
    assert span.attributes["text"] == LONG
    assert span.parent_id == parent.span_id


def test_a_graph_writes_no_text_twice(recorder, sink):
    trace_graph(agent_graph(), recorder, name="demo").invoke({"question": LONG})
    assert sink.data.decode().count(json.dumps(LONG)[1:-1]) == 1
