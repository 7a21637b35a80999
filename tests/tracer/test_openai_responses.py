"""Responses, parsed completions and streams of the `openai` client, over HTTP: one span a call."""

from __future__ import annotations

import asyncio
import gc
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from openai import AsyncOpenAI, OpenAI
from pydantic import BaseModel

from tests.tracer.graphs import State, line_graph
from tests.tracer.test_langgraph import AGENT, QUESTION, tree
from tracer.fold import fold
from tracer.langgraph import trace_graph
from tracer.records import Message, ModelSource, Reply
from tracer.wrap import trace, wrap_model

LOOK = {
    "type": "function",
    "name": "look",
    "parameters": {"type": "object", "properties": {"what": {"type": "string"}}},
}
USAGE = {
    "input_tokens": 30,
    "input_tokens_details": {"cached_tokens": 8, "cache_write_tokens": 4},
    "output_tokens": 9,
    "output_tokens_details": {"reasoning_tokens": 2},
    "total_tokens": 39,
}


class Answer(BaseModel):
    day: str


def output_of(request) -> list[dict]:
    """A call where a tool is offered and none has answered yet, else words."""
    items = request["input"] if isinstance(request["input"], list) else []
    answered = any(item.get("type") == "function_call_output" for item in items)
    if request.get("tools") and not answered:
        call = {"type": "function_call", "id": "fc1", "call_id": "c1", "name": "look"}
        thought = {"type": "reasoning", "id": "rs1", "summary": []}
        return [thought, call | {"arguments": '{"what": "mail"}', "status": "completed"}]
    words = '{"day": "Friday"}' if "text" in request else "On Friday at ten."
    text = {"type": "output_text", "text": words, "annotations": []}
    message = {"type": "message", "id": "m1", "role": "assistant", "status": "completed"}
    return [message | {"content": [text]}]


def events_of(whole) -> list[dict]:
    """The events in which a response is told piece by piece."""
    events = [{"type": "response.created", "response": whole | {"output": [], "usage": None}}]
    for index, item in enumerate(whole["output"]):
        place = {"output_index": index, "item_id": item["id"]}
        empty = item | ({"content": []} if item["type"] == "message" else {})
        events.append({"type": "response.output_item.added", "item": empty, **place})
        if item["type"] == "message":
            part = item["content"][0]
            place |= {"content_index": 0, "logprobs": []}
            none = part | {"text": ""}
            events.append({"type": "response.content_part.added", "part": none, **place})
            for word in part["text"].split(" "):
                delta = word if word == part["text"].split(" ")[-1] else word + " "
                events.append({"type": "response.output_text.delta", "delta": delta, **place})
            events.append({"type": "response.content_part.done", "part": part, **place})
        events.append({"type": "response.output_item.done", "item": item, **place})
    events.append({"type": f"response.{whole['status']}", "response": whole})
    return [event | {"sequence_number": n} for n, event in enumerate(events)]


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path.endswith("/chat/completions"):
            whole = completion(request)
            pieces = chunks_of(whole)
        else:
            whole = response(request)
            pieces = events_of(whole)
        kind, text = "application/json", json.dumps(whole)
        if request.get("stream"):
            kind = "text/event-stream"
            text = "".join(f"data: {json.dumps(piece)}\n\n" for piece in pieces)
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *args):
        pass


def response(request) -> dict:
    whole = {
        **{"id": "r1", "object": "response", "created_at": 1, "model": request["model"] + "-7"},
        **{"output": output_of(request), "status": "completed", "usage": USAGE, "error": None},
        **{"parallel_tool_calls": True, "tool_choice": "auto", "tools": []},
    }
    if request["input"] == "too long":
        whole |= {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
    if request["input"] == "break":
        error = {"code": "server_error", "message": "out of order"}
        whole |= {"status": "failed", "output": [], "error": error}
    return whole


def completion(request) -> dict:
    message = {"role": "assistant", "content": '{"day": "Friday"}'}
    return {
        **{"id": "k1", "object": "chat.completion", "created": 1, "model": request["model"]},
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 20, "completion_tokens": 7, "total_tokens": 27},
    }


def chunks_of(whole) -> list[dict]:
    chunk = whole | {"object": "chat.completion.chunk", "choices": [], "usage": None}
    parts = [{"content": '{"day": '}, {"content": '"Friday"}'}]
    choices = [{"index": 0, "delta": part, "finish_reason": None} for part in parts]
    choices.append({"index": 0, "delta": {}, "finish_reason": "stop"})
    return [chunk | {"choices": [one]} for one in choices] + [chunk | {"usage": whole["usage"]}]


@pytest.fixture(scope="module")
def url():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()


@pytest.fixture
def client(url, recorder):
    with trace(OpenAI(base_url=url, api_key="sk-none"), recorder) as client:
        yield client


@pytest.fixture
def ask_async(url, recorder):
    """Runs a function of the async client to its end."""

    def ask(function):
        async def within():
            async with trace(AsyncOpenAI(base_url=url, api_key="sk-none"), recorder) as client:
                return await function(client)

        return asyncio.run(within())

    return ask


def only_call(sink):
    (span,) = sink.spans()
    assert span.name == "chat small"
    (call,) = fold([span]).model_calls
    return span, call


WORDS = "On Friday at ten."
PLAIN = {"model": "small", "input": "When is the review?"}


async def _gathered(stream):
    return [event async for event in stream]


async def _helped(client, **kwargs):
    async with client.responses.stream(**kwargs) as stream:
        return (await stream.get_final_response()).output_text


def _help(client, **kwargs):
    with client.responses.stream(**kwargs) as stream:
        return stream.get_final_response().output_text


SYNC = {
    "create": lambda client: client.responses.create(**PLAIN).output_text,
    "beta": lambda client: client.beta.responses.create(**PLAIN).output[0].content[0].text,
    "stream": lambda client: (
        list(client.responses.create(**PLAIN, stream=True))[-1].response.output_text
    ),
    "helper": lambda client: _help(client, **PLAIN),
}
ASYNC = {
    "create": lambda client: client.responses.create(**PLAIN),
    "helper": lambda client: _helped(client, **PLAIN),
}


@pytest.mark.parametrize("how", SYNC)
def test_a_response_is_a_chat_span_with_words_and_tokens(how, client, sink):
    assert SYNC[how](client) == WORDS
    span, call = only_call(sink)
    assert (call.model, call.provider, call.finish_reasons) == ("small", "openai", ("stop",))
    assert span.attributes["gen_ai.response.model"] == "small-7"
    assert (call.input_tokens, call.output_tokens) == (30, 9)
    assert span.attributes["gen_ai.usage.cache_read.input_tokens"] == 8
    assert span.attributes["gen_ai.usage.cache_write.input_tokens"] == 4
    assert span.attributes["gen_ai.usage.reasoning.output_tokens"] == 2
    assert span.attributes["gen_ai.response.id"] == "r1"
    assert span.attributes["input.value"] == PLAIN["input"]
    assert span.attributes["output.value"] == WORDS
    assert span.attributes["stagetrace.model.source"] == "127.0.0.1"
    assert b"sk-none" not in sink.data


@pytest.mark.parametrize("how", [*ASYNC, "stream"])
def test_the_async_client_gives_the_same_span(how, ask_async, sink):
    async def streamed(client):
        return await _gathered(await client.responses.create(**PLAIN, stream=True))

    ask_async(ASYNC.get(how, streamed))
    span, call = only_call(sink)
    assert (call.input_tokens, call.finish_reasons) == (30, ("stop",))
    assert span.attributes["output.value"] == WORDS


@pytest.mark.parametrize("stream", [False, True])
def test_calls_instructions_tools_and_history_are_on_the_spans(stream, client, sink):
    history = [{"role": "user", "content": [{"type": "input_text", "text": "Which day?"}]}]
    more = {"tools": [LOOK], "instructions": "Be brief.", "temperature": 0.5}
    if stream:
        events = list(client.responses.create(model="small", input=history, stream=True, **more))
        first = events[-1].response
    else:
        first = client.responses.create(model="small", input=history, **more)
    history += first.output
    history.append({"type": "function_call_output", "call_id": "c1", "output": "the mail"})
    client.responses.create(model="small", input=iter(history), max_output_tokens=50, **more)
    asked, answered = sink.spans()
    (call,) = fold([asked]).model_calls
    (wanted,) = call.requested_calls
    assert (wanted.name, wanted.arguments, wanted.call_id) == ("look", {"what": "mail"}, "c1")
    assert call.finish_reasons == ("tool_calls",)
    assert asked.attributes["input.value"] == "Which day?"
    assert asked.attributes["gen_ai.request.temperature"] == 0.5
    assert json.loads(asked.attributes["gen_ai.tool.definitions"]) == [LOOK]
    assert json.loads(asked.attributes["gen_ai.system_instructions"]) == [
        {"type": "text", "content": "Be brief."}
    ]
    given = json.loads(answered.attributes["gen_ai.input.messages"])
    assert [message["role"] for message in given] == ["user", "assistant", "tool"]
    assert [part["type"] for part in given[1]["parts"]] == ["reasoning", "tool_call"]
    assert given[2]["parts"] == [{"type": "tool_call_response", "id": "c1", "response": "the mail"}]
    assert answered.attributes["gen_ai.request.max_tokens"] == 50


@pytest.mark.parametrize("stream", [False, True])
def test_a_response_that_is_cut_or_fails_says_so(stream, client, sink):
    for text in ("too long", "break"):
        got = client.responses.create(model="small", input=text, stream=stream)
        if stream:
            list(got)
    cut, failed = sink.spans()
    assert fold([cut]).model_calls[0].finish_reasons == ("length",)
    assert (cut.status, failed.status) == (0, 2)
    assert failed.attributes["error.type"] == "server_error"
    assert failed.status_message == "out of order"


def test_a_stream_that_is_broken_off_is_abandoned_and_keeps_its_words(client, recorder, sink):
    with client.responses.stream(**PLAIN) as stream:
        for event in stream:
            if event.type == "response.output_text.delta":
                break
    assert recorder.open == 0
    (span,) = sink.spans()
    assert span.attributes["stagetrace.ended_by"] == "abandoned"
    assert span.attributes["output.value"] == "On "


@pytest.mark.parametrize("owner", [lambda client: client, lambda client: client.beta])
def test_a_parsed_completion_is_a_chat_span(owner, client, sink):
    asked = {"model": "small", "messages": [{"role": "user", "content": "Which day?"}]}
    reply = owner(client).chat.completions.parse(**asked, response_format=Answer)
    assert reply.choices[0].message.parsed == Answer(day="Friday")
    with owner(client).chat.completions.stream(**asked, response_format=Answer) as stream:
        final = stream.get_final_completion()
    assert final.choices[0].message.parsed == Answer(day="Friday")
    for span in sink.spans():
        (call,) = fold([span]).model_calls
        assert (call.input_tokens, call.finish_reasons) == (20, ("stop",))
        assert span.attributes["output.value"] == '{"day": "Friday"}'
    assert len(sink.spans()) == 2


def test_a_parsed_response_and_completion_of_the_async_client_are_spans(ask_async, sink):
    async def ask(client):
        asked = {"model": "small", "messages": [{"role": "user", "content": "Which day?"}]}
        parsed = await client.responses.parse(**PLAIN, text_format=Answer)
        assert parsed.output_parsed == Answer(day="Friday")
        await client.chat.completions.parse(**asked, response_format=Answer)
        async with client.chat.completions.stream(**asked, response_format=Answer) as stream:
            await stream.get_final_completion()

    ask_async(ask)
    texts = [span.attributes["output.value"] for span in sink.spans()]
    assert texts == ['{"day": "Friday"}'] * 3


def test_a_response_inside_a_node_is_one_span_below_it(client, recorder, sink):
    def node(state: State):
        return {"answer": client.responses.create(**PLAIN).output_text}

    trace_graph(line_graph(node), recorder, name="demo").invoke(QUESTION)
    assert tree(sink) == [AGENT, f"{AGENT}/node node", f"{AGENT}/node node/chat small"]


def test_a_client_that_is_traced_twice_or_serves_a_wrapped_model_is_one_span(
    client, recorder, sink
):
    class Model:
        name, source = "mine", ModelSource("openai", "127.0.0.1")

        def chat(self, messages, tools=()):
            text = client.responses.create(**PLAIN).output_text
            return Reply(Message("assistant", text), input_tokens=30, output_tokens=9)

    trace(client, recorder).responses.create(**PLAIN)
    wrap_model(Model(), recorder).chat([Message("user", "hi")])
    assert [span.name for span in sink.spans()] == ["chat small", "chat mine"]
    assert sum(fold([span]).model_calls[0].input_tokens for span in sink.spans()) == 60


def test_an_async_stream_that_is_dropped_is_abandoned(ask_async, recorder, sink):
    async def ask(client):
        async with client.responses.stream(**PLAIN) as stream:
            async for _ in stream:
                break

    ask_async(ask)
    gc.collect()
    assert recorder.open == 0
    (span,) = sink.spans()
    assert span.attributes["stagetrace.ended_by"] == "abandoned"
