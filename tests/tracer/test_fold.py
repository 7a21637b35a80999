"""Odd traces are folded by stated rules, in linear time, without recursion."""

from __future__ import annotations

import random
import time

import pytest

from tracer.fold import fold
from tracer.records import Passage
from tracer.stored import StoredEvent, StoredSpan

TRACE = "1" * 32


def span(number, parent=0, **fields):
    fields.setdefault("ended_ns", number + 1)
    return StoredSpan(
        TRACE,
        f"{number:016x}",
        fields.pop("name", "s"),
        f"{parent:016x}" if parent else "",
        started_ns=number,
        **fields,
    )


def test_openinference_attributes_alone_are_understood():
    trace = fold(
        [
            span(
                1,
                attributes={
                    "openinference.span.kind": "AGENT",
                    "input.value": "q",
                    "output.value": "a",
                },
            ),
            span(
                2,
                1,
                attributes={
                    "openinference.span.kind": "RETRIEVER",
                    "input.value": "query",
                    "retrieval.documents.0.document.id": "d1",
                    "retrieval.documents.0.document.score": 0.5,
                },
            ),
            span(
                3,
                1,
                attributes={
                    "openinference.span.kind": "TOOL",
                    "tool.name": "t",
                    "tool.parameters": '{"a": 1}',
                },
            ),
            span(
                4,
                1,
                attributes={
                    "openinference.span.kind": "LLM",
                    "llm.model_name": "m",
                    "llm.token_count.prompt": 3,
                },
            ),
        ]
    )
    assert (trace.request.text, trace.answer) == ("q", "a")
    assert trace.retrievals[0].passages == (Passage("d1", 0.5),)
    assert (trace.calls[0].name, trace.calls[0].arguments) == ("t", {"a": 1})
    assert (trace.model_calls[0].model, trace.model_calls[0].input_tokens) == ("m", 3)


def test_arguments_that_were_not_captured_are_none():
    (call,) = fold(
        [span(1, attributes={"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "t"})]
    ).calls
    assert call.arguments is None
    (call,) = fold(
        [
            span(
                1,
                attributes={"gen_ai.tool.call.arguments": "{}", "openinference.span.kind": "TOOL"},
            )
        ]
    ).calls
    assert call.arguments == {}


def test_unreadable_json_is_a_warning():
    trace = fold(
        [span(1, attributes={"openinference.span.kind": "TOOL", "gen_ai.tool.call.arguments": "{"})]
    )
    assert trace.calls[0].arguments is None
    assert [text.partition(":")[0] for text in trace.warnings] == ["arguments_unparsed"]
    assert trace.calls[0].raw == "{"


def test_an_unfinished_call_says_so():
    (call,) = fold([span(1, ended_ns=None, attributes={"openinference.span.kind": "TOOL"})]).calls
    assert call.status == "unfinished"


def test_an_orphan_is_counted_and_warned_of():
    trace = fold(
        [
            span(1),
            span(
                2,
                99,
                attributes={
                    "openinference.span.kind": "TOOL",
                    "tool.name": "t",
                    "tool.parameters": "{}",
                },
            ),
        ]
    )
    assert [call.name for call in trace.calls] == ["t"]
    assert trace.warnings == ("orphan_parent: the parent of a span is not in the input",)


def test_of_two_spans_of_one_id_the_finished_counts():
    trace = fold(
        [span(1, ended_ns=None, name="a"), span(1, name="a"), span(1, ended_ns=None, name="a")]
    )
    assert (trace.spans, trace.ended_ns, trace.status) == (1, 2, "ok")


def test_the_agents_own_exception_is_the_traces():
    failed = span(
        2,
        1,
        status=2,
        attributes={"openinference.span.kind": "AGENT", "error.type": "ValueError"},
        events=(StoredEvent("exception", 2, {"exception.message": "why"}),),
    )
    trace = fold([span(1, name="stagetrace.item"), failed])
    assert (trace.error, trace.error_type, trace.status) == ("why", "ValueError", "error")


def test_a_cycle_is_a_warning():
    assert fold([span(1, 2), span(2, 1)]).warnings[0].startswith("parent_cycle: ")


def test_no_spans_and_two_traces_are_refused():
    with pytest.raises(ValueError, match="no spans"):
        fold([])
    with pytest.raises(ValueError, match="several traces"):
        fold([span(1), StoredSpan("2" * 32, "0" * 16, "s")])


def test_the_order_of_lines_changes_nothing():
    spans = [span(1, name="stagetrace.item", attributes={"stagetrace.sequence": 0})]
    spans += [
        span(
            n,
            1,
            attributes={
                "openinference.span.kind": "TOOL",
                "tool.name": str(n),
                "stagetrace.sequence": n,
            },
        )
        for n in range(2, 20)
    ]
    expected = fold(spans)
    for seed in range(10):
        random.Random(seed).shuffle(spans)
        assert fold(spans) == expected


def deep(count):
    kind = {"openinference.span.kind": "RETRIEVER", "stagetrace.retrieval.ids": ["d"]}
    return [span(n, n - 1, attributes=kind) for n in range(1, count + 1)]


def test_a_deep_chain_takes_linear_time():
    def cost(count):
        spans = deep(count)
        start = time.process_time()
        fold(spans)
        return time.process_time() - start

    cost(1000)
    assert cost(50_000) < 25 * cost(5_000) + 0.2
