"""`openai:NAME?api=responses` over real HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from assistants.endpoint import REFUSED_EVENT, RETRY_EVENT
from assistants.models.openai import openai_model
from tracer.errors import EndpointError
from tracer.records import Message, Tool, ToolCall

ASK = [Message("system", "Be kind."), Message("user", "Hi")]
SEND = Tool("box.send", "Send.", {"type": "object", "properties": {}}, True, print)
TEXT = {
    "type": "message",
    "id": "m1",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": "Hello.", "annotations": []}],
}
CALL = {
    "type": "function_call",
    "id": "f1",
    "call_id": "c1",
    "name": "box_send",
    "arguments": '{"text": "a"}',
    "status": "completed",
}
USAGE = {"input_tokens": 3, "output_tokens": 2, "total_tokens": 5}
_opened: list[Any] = []


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    """Close what a test opened."""
    yield
    while _opened:
        _opened.pop().close()


def response(*output: Any, status: str = "completed", **more: Any) -> dict[str, Any]:
    body = {"id": "r-1", "object": "response", "created_at": 1, "model": "served"}
    return {**body, "output": list(output), "usage": USAGE, **more, "status": status}


def model(server: Any, options: str = "") -> Any:
    made = openai_model(
        f"m?api=responses{options}", base_url=server.url, longest_wait_s=0.05, timeout_s=5
    )
    _opened.append(made)
    return made


def test_reply_carries_text_tokens_reason_and_model(fault_server: Any) -> None:
    with fault_server(response(TEXT)) as server:
        reply = model(server).chat(ASK)
    assert reply.message == Message("assistant", "Hello.")
    assert (reply.input_tokens, reply.output_tokens, reply.finish_reason) == (3, 2, "stop")
    assert (reply.model, reply.response_id) == ("served", "r-1")
    sent = server.requests[0]
    assert (sent["model"], sent["instructions"]) == ("m", "Be kind.")
    assert sent["input"] == [{"role": "user", "content": "Hi"}]
    assert sent["store"] is False


def test_tools_go_out_and_come_back_under_their_own_names(fault_server: Any) -> None:
    with fault_server(response(CALL)) as server:
        chat = model(server)
        reply = chat.chat(ASK, [SEND])
        chat.chat([*ASK, reply.message, Message("tool", "ok", tool_call_id="c1")], [SEND])
    assert reply.message.tool_calls == (ToolCall("box.send", {"text": "a"}, "c1"),)
    assert reply.finish_reason == "tool_calls"
    assert server.requests[0]["tools"][0]["name"] == "box_send"
    assert server.requests[1]["input"][1:] == [
        {
            "type": "function_call",
            "call_id": "c1",
            "name": "box_send",
            "arguments": '{"text": "a"}',
        },
        {"type": "function_call_output", "call_id": "c1", "output": "ok"},
    ]


def test_arguments_that_are_no_json_are_kept_as_they_came(fault_server: Any) -> None:
    with fault_server(response({**CALL, "arguments": '{"text": "a'})) as server:
        reply = model(server).chat(ASK, [SEND])
    assert reply.message.tool_calls == (ToolCall("box.send", None, "c1", raw='{"text": "a'),)


def test_streamed_reply_is_whole(fault_server: Any) -> None:
    stream = [
        {"type": "response.created", "response": response(status="in_progress")},
        {"type": "response.output_text.delta", "delta": "Hel", "item_id": "m1"},
        {"type": "response.completed", "response": response(TEXT, CALL)},
        None,
    ]
    with fault_server(stream) as server:
        reply = model(server, "&stream=on").chat(ASK, [SEND])
    assert server.requests[0]["stream"] is True
    assert reply.message.content == "Hello."
    assert reply.message.tool_calls == (ToolCall("box.send", {"text": "a"}, "c1"),)
    assert (reply.input_tokens, reply.output_tokens) == (3, 2)


def test_half_a_stream_is_asked_for_again(fault_server: Any) -> None:
    begun = {"type": "response.created", "response": response(status="in_progress")}
    ended = {"type": "response.completed", "response": response(TEXT)}
    told: list[str] = []
    with fault_server([begun], [begun, ended, None]) as server:
        chat = model(server, "&stream=on")
        chat.on_event = lambda name, attributes: told.append(name)
        assert chat.chat(ASK).message.content == "Hello."
    assert told == [RETRY_EVENT]


def test_answer_that_was_cut_says_so(fault_server: Any) -> None:
    cut = response(TEXT, status="incomplete", incomplete_details={"reason": "max_output_tokens"})
    with fault_server([{"type": "response.incomplete", "response": cut}, None]) as server:
        assert model(server, "&stream=on").chat(ASK).finish_reason == "length"


def test_response_that_failed_is_an_endpoint_error(fault_server: Any) -> None:
    failed = response(status="failed", error={"code": "server_error", "message": "out of luck"})
    with (
        fault_server([{"type": "response.failed", "response": failed}, None]) as server,
        pytest.raises(EndpointError, match="model 'm': the response failed: out of luck"),
    ):
        model(server, "&stream=on").chat(ASK)


def test_seed_is_left_out_where_it_is_refused(fault_server: Any) -> None:
    """As OpenAI's own endpoint does."""
    refusal = {
        "status": 400,
        "error": {"message": "Unknown parameter: 'seed'.", "param": "seed", "code": "x"},
    }
    told: list[tuple[str, Any]] = []
    with fault_server(refusal, response(TEXT)) as server:
        chat = model(server)
        chat.on_event = lambda name, attributes: told.append((name, attributes))
        chat.reseed(9)
        assert chat.settings["seed"] == 9
        chat.chat(ASK)
        chat.chat(ASK)
    assert [request.get("seed") for request in server.requests] == [9, None, None]
    assert told == [(REFUSED_EVENT, {"parameter": "seed"})]
    assert "seed" not in chat.settings


def test_chat_completion_is_no_response(fault_server: Any) -> None:
    with (
        fault_server("ok") as server,
        pytest.raises(EndpointError, match=r"the answer is no response.*/responses begins"),
    ):
        model(server).chat(ASK)
