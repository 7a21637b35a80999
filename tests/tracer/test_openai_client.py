"""The `openai` client used directly: one span a call, whatever way it is called."""

from __future__ import annotations

import asyncio
import gc
import json
import sys
from pathlib import Path

import pytest
from openai import APIConnectionError, AsyncOpenAI, OpenAI

from tests.tracer.graphs import State, line_graph
from tests.tracer.test_langgraph import AGENT, QUESTION, tree
from tracer.fold import fold
from tracer.langgraph import trace_graph
from tracer.openai_client import traced_create
from tracer.wrap import trace

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))
from fake_endpoint import fake_endpoint

ASKED = {"model": "small", "messages": [{"role": "user", "content": "hi"}]}
TOOLS = [
    {
        "type": "function",
        "function": {"name": "look", "parameters": {"properties": {"what": {"type": "string"}}}},
    }
]


@pytest.fixture(scope="module")
def url():
    with fake_endpoint() as url:
        yield url


def client(url, recorder, kind=OpenAI):
    return trace(kind(base_url=url, api_key="sk-none"), recorder)


def facts(sink):
    (call,) = fold(sink.spans()).model_calls
    return call.model, call.provider, call.input_tokens, call.finish_reasons


def test_a_completion_is_a_chat_span_with_messages_and_tokens(url, recorder, sink):
    with client(url, recorder) as asked:
        reply = asked.chat.completions.create(**ASKED, tools=TOOLS, temperature=0.5)
    assert reply.choices[0].message.tool_calls[0].function.name == "look"
    assert facts(sink) == ("small", "openai", 20, ("tool_calls",))
    (span,) = sink.spans()
    assert span.attributes["gen_ai.request.temperature"] == 0.5
    assert span.attributes["stagetrace.model.source"] == "127.0.0.1"
    assert json.loads(span.attributes["gen_ai.tool.definitions"])[0]["name"] == "look"
    (call,) = fold([span]).model_calls[0].requested_calls
    assert (call.name, call.arguments, call.call_id) == ("look", {"what": "hi"}, "c1")
    assert b"sk-none" not in sink.data


@pytest.mark.parametrize("tools", [None, TOOLS])
def test_a_streams_span_ends_with_its_last_piece(tools, url, recorder, sink):
    more = {"tools": tools} if tools else {}
    with client(url, recorder) as asked:
        stream = asked.chat.completions.create(**ASKED, **more, stream=True)
        assert recorder.open == 1
        pieces = list(stream)
    assert len(pieces) > 2
    call = fold(sink.spans()).model_calls[0]
    assert (call.input_tokens, len(call.requested_calls)) == (20, 1 if tools else 0)
    text = sink.spans()[0].attributes["output.value"]
    assert text == ("" if tools else "I found this: hi ")


def test_a_stream_that_is_broken_off_is_abandoned(url, recorder, sink):
    with client(url, recorder) as asked, asked.chat.completions.create(**ASKED, stream=True) as s:
        next(s)
    gc.collect()
    (span,) = sink.spans()
    assert span.attributes["stagetrace.ended_by"] == "abandoned"
    assert span.status == 0


def test_the_async_client_is_traced_as_the_other(url, recorder, sink):
    async def ask():
        async with client(url, recorder, AsyncOpenAI) as asked:
            await asked.chat.completions.create(**ASKED)
            stream = await asked.chat.completions.create(**ASKED, stream=True)
            return [piece async for piece in stream]

    assert asyncio.run(ask())
    calls = fold([sink.spans()[0]]).model_calls + fold([sink.spans()[1]]).model_calls
    assert [call.input_tokens for call in calls] == [20, 20]


def test_an_endpoint_that_is_down_is_an_error_on_the_span(recorder, sink):
    asked = trace(OpenAI(base_url="http://127.0.0.1:9/v1", api_key="x", max_retries=0), recorder)
    with pytest.raises(APIConnectionError):
        asked.chat.completions.create(**ASKED)
    (span,) = sink.spans()
    assert span.attributes["error.type"] == "APIConnectionError"


def test_a_call_inside_a_node_is_one_span_below_it(url, recorder, sink):
    asked = client(url, recorder)

    def node(state: State):
        reply = asked.chat.completions.create(**ASKED)
        return {"answer": reply.choices[0].message.content}

    trace_graph(line_graph(node), recorder, name="demo").invoke(QUESTION)
    asked.close()
    assert tree(sink) == [AGENT, f"{AGENT}/node node", f"{AGENT}/node node/chat small"]


def test_the_rest_of_the_client_is_its_own(url, recorder):
    with client(url, recorder) as asked:
        assert asked.base_url == OpenAI(base_url=url, api_key="x").base_url
        assert asked.with_options(timeout=3).timeout == 3
        assert asked.api_key == "sk-none"


def test_a_raw_response_is_read_where_it_is_here_whole(url, recorder, sink):
    with OpenAI(base_url=url, api_key="x") as plain:
        create = traced_create(plain.chat.completions.with_raw_response.create, recorder)
        raw = create(**ASKED)
        assert raw.headers["content-type"] == "application/json"
        assert raw.parse().choices[0].message.content == "I found this: hi"
        assert len(list(create(**ASKED, stream=True).parse())) > 2
    whole, streamed = sink.spans()
    assert fold([whole]).model_calls[0].input_tokens == 20
    # Its pieces are the caller's alone.
    assert "gen_ai.response.finish_reasons" not in streamed.attributes
