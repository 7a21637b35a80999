"""`openai:NAME` over real HTTP: a good endpoint, and one that fails in every way."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from assistants.endpoint import ATTEMPTS, REFUSED_EVENT, RETRY_EVENT, check_address
from assistants.models.openai import openai_model
from tracer.errors import EndpointError, InputError
from tracer.records import Message, Tool, ToolCall

ASK = [Message("system", "Be kind."), Message("user", "Hi")]
SEND = Tool("box.send", "Send.", {"type": "object", "properties": {}}, True, print)


_opened: list[Any] = []


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    """Close what a test opened."""
    yield
    while _opened:
        _opened.pop().close()


def model(server: Any, longest_wait_s: float = 0.05) -> Any:
    made = openai_model(
        "m", base_url=server.url, api_key="key-1", longest_wait_s=longest_wait_s, timeout_s=5
    )
    _opened.append(made)
    return made


def test_reply_carries_text_tokens_reason_and_model(fault_server: Any) -> None:
    with fault_server("ok") as server:
        reply = model(server).chat(ASK)
    assert reply.message == Message("assistant", "Hello.")
    assert (reply.input_tokens, reply.output_tokens, reply.finish_reason) == (3, 2, "stop")
    assert (reply.model, reply.response_id) == ("served", "r-1")
    assert server.headers[0]["authorization"] == "Bearer key-1"


def test_tools_go_out_and_come_back_under_their_own_names(fault_server: Any) -> None:
    function = {"name": "box_send", "arguments": '{"text": "a"}'}
    message = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": function}],
    }
    answer = {
        "id": "r",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}],
    }
    with fault_server(answer) as server:
        chat = model(server)
        reply = chat.chat(ASK, [SEND])
        chat.chat([*ASK, reply.message, Message("tool", "ok", tool_call_id="c1")], [SEND])
    assert reply.message.tool_calls == (ToolCall("box.send", {"text": "a"}, "c1"),)
    assert server.requests[0]["tools"][0]["function"]["name"] == "box_send"
    again = server.requests[1]["messages"]
    assert again[2]["tool_calls"][0]["function"]["name"] == "box_send"
    assert again[3] == {"role": "tool", "tool_call_id": "c1", "content": "ok"}


def test_seed_of_the_slot_is_sent(fault_server: Any) -> None:
    with fault_server("ok") as server:
        chat = model(server)
        chat.reseed(2**31 + 5)
        chat.chat(ASK)
    assert server.requests[0]["seed"] == 5


@pytest.mark.parametrize("trouble", [429, 500, 503, "reset"])
def test_passing_trouble_is_tried_again(fault_server: Any, trouble: Any) -> None:
    said: list[str] = []
    with fault_server(trouble, trouble, "ok") as server:
        chat = model(server)
        chat.on_wait = said.append
        assert chat.chat(ASK).message.content == "Hello."
    assert chat.retries == len(said) == 2
    assert "retry 1 of 4" in said[0]


def test_wait_is_what_the_endpoint_asks_for(fault_server: Any) -> None:
    with fault_server(429, "ok", retry_after="0.4") as server:
        chat = model(server, longest_wait_s=5)
        began = time.monotonic()
        chat.chat(ASK)
    assert 0.4 <= time.monotonic() - began < 3


@pytest.mark.parametrize(
    ("trouble", "said"),
    [
        (503, "status 503"),
        ("reset", "check that it runs and that OPENAI_BASE_URL names it"),
        ("garbage", "m"),
        ("empty", "the answer is no chat completion"),
    ],
)
def test_lasting_trouble_is_one_error_in_one_line(
    fault_server: Any, trouble: Any, said: str
) -> None:
    with fault_server(trouble) as server, pytest.raises(EndpointError) as caught:
        model(server).chat(ASK)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(server.requests) in (1, ATTEMPTS)


@pytest.mark.parametrize("status", [400, 401, 404])
def test_refused_request_is_not_sent_again(fault_server: Any, status: int) -> None:
    with fault_server(status) as server, pytest.raises(EndpointError, match=f"status {status}"):
        model(server).chat(ASK)
    assert len(server.requests) == 1


def test_endpoint_that_is_not_there_is_an_error(fault_server: Any) -> None:
    with fault_server("ok") as server:
        chat = model(server)
    with pytest.raises(EndpointError, match="check that it runs"):
        chat.chat(ASK)


def test_redirect_is_not_followed_and_takes_no_key_along(fault_server: Any) -> None:
    with (
        fault_server("ok") as other,
        fault_server(f"redirect:{other.url}/chat/completions") as server,
        pytest.raises(EndpointError, match="status 307"),
    ):
        model(server).chat(ASK)
    assert other.requests == []


@pytest.mark.parametrize(
    "address",
    [
        "file:///etc/passwd",
        "ftp://example.org",
        "127.0.0.1:8080",
        "http://169.254.169.254/v1",
        "http://[::ffff:169.254.169.254]/v1",
        "http://[fe80::1]/v1",
        "http://metadata.google.internal/v1",
        "http://user:secret@127.0.0.1/v1",
    ],
)
def test_address_that_must_not_be_asked_is_refused(address: str) -> None:
    with pytest.raises(InputError) as caught:
        check_address(address)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("address", ["http://127.0.0.1:8080/v1", "https://[::1]/v1"])
def test_address_of_ones_own_is_taken(address: str) -> None:
    assert check_address(address)


def test_model_without_a_name_or_an_endpoint_is_bad_input() -> None:
    with pytest.raises(InputError, match="openai:NAME"):
        openai_model("")
    with pytest.raises(InputError, match="OPENAI_BASE_URL"):
        openai_model("m")


def chunk(content: str | None = None, finish: str | None = None, **delta: Any) -> dict[str, Any]:
    """A piece of a streamed answer."""
    delta |= {"content": content} if content is not None else {}
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {
        "id": "s-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "served",
        "choices": [choice],
    }


USAGE = {**chunk(), "choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}}
STREAM = [chunk("Hel"), chunk("lo."), chunk(finish="stop"), USAGE, None]


def streaming(server: Any, **options: Any) -> Any:
    made = openai_model(
        "m?stream=on", base_url=server.url, longest_wait_s=0.05, **{"timeout_s": 5, **options}
    )
    _opened.append(made)
    return made


def test_streamed_reply_is_whole(fault_server: Any) -> None:
    with fault_server(STREAM) as server:
        reply = streaming(server).chat(ASK)
    assert reply.message == Message("assistant", "Hello.")
    assert (reply.input_tokens, reply.output_tokens, reply.finish_reason) == (3, 2, "stop")
    assert server.requests[0]["model"] == "m"


def test_streamed_call_is_put_together(fault_server: Any) -> None:
    def piece(**function: str) -> dict[str, Any]:
        return {"index": 0, "id": "c1", "type": "function", "function": function}

    parts = [
        chunk(tool_calls=[piece(name="box_send", arguments='{"te')]),
        chunk(tool_calls=[piece(arguments='xt": "a"}')]),
        chunk(finish="tool_calls"),
        None,
    ]
    with fault_server(parts) as server:
        reply = streaming(server).chat(ASK, [SEND])
    assert reply.message.tool_calls == (ToolCall("box.send", {"text": "a"}, "c1"),)


def test_half_a_stream_is_asked_for_again_and_told(fault_server: Any) -> None:
    told: list[tuple[str, Any]] = []
    with fault_server([chunk("Hel")], STREAM) as server:
        chat = streaming(server)
        chat.on_event = lambda name, attributes: told.append((name, attributes))
        assert chat.chat(ASK).message.content == "Hello."
    assert chat.retries == 1
    assert [(name, told_["error"]) for name, told_ in told] == [(RETRY_EVENT, "BrokenStreamError")]


def test_stall_is_asked_again(fault_server: Any) -> None:
    with fault_server("stall", "ok") as server:
        made = openai_model("m", base_url=server.url, longest_wait_s=0.05, timeout_s=0.5)
        _opened.append(made)
        assert made.chat(ASK).message.content == "Hello."
    assert made.retries == 1


def test_parameter_that_is_refused_is_left_out_and_told(fault_server: Any) -> None:
    refusal = {"status": 400, "error": {"message": "no 'seed' here", "param": "seed", "code": "x"}}
    told: list[tuple[str, Any]] = []
    with fault_server(refusal, "ok") as server:
        chat = model(server)
        chat.on_event = lambda name, attributes: told.append((name, attributes))
        chat.chat(ASK)
        chat.chat(ASK)
    assert ["seed" in request for request in server.requests] == [True, False, False]
    assert told == [(REFUSED_EVENT, {"parameter": "seed"})]
    assert chat.refused == ["seed"]


def test_arguments_that_are_no_json_are_kept_as_they_came(fault_server: Any) -> None:
    function = {"name": "box_send", "arguments": '{"text": "a'}
    message = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": function}],
    }
    choice = {"index": 0, "finish_reason": "tool_calls", "message": message}
    answer = {"id": "r", "object": "chat.completion", "created": 1, "model": "m"}
    with fault_server({**answer, "choices": [choice]}) as server:
        reply = model(server).chat(ASK, [SEND])
    assert reply.message.tool_calls == (ToolCall("box.send", None, "c1", raw='{"text": "a'),)


def test_unknown_option_of_a_name_is_refused() -> None:
    with pytest.raises(InputError, match=r"stream=off\|on"):
        openai_model("m?speed=high", base_url="http://127.0.0.1:1/v1")
