"""Calls out of models without tools: the schema of a step, over real HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest

from assistants.json_steps import MODE, NATIVE, read_step, step_messages, step_schema
from assistants.models.local import local_model
from assistants.models.openai import openai_model
from assistants.prompts import ACT
from tracer.errors import EndpointError, InputError, ModelWeightsMissingError
from tracer.records import Message, Tool, ToolCall

FIND = Tool(
    "box.find",
    "Find notes.\nLook twice.",
    {
        "type": "object",
        "properties": {"words": {"type": "string"}},
        "required": ["words"],
        "additionalProperties": False,
    },
    False,
    print,
)
ASK = [Message("system", ACT.fill("Today is Monday.")), Message("user", "Find the tea.")]
_opened: list[Any] = []


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    """Close what a test opened."""
    yield
    while _opened:
        _opened.pop().close()


def says(content: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": content}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    return {
        "id": "r-1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [choice],
    }


def model(server: Any, options: str = "?tools=json_schema") -> Any:
    made = openai_model(f"m{options}", base_url=server.url, longest_wait_s=0.05, timeout_s=5)
    _opened.append(made)
    return made


@pytest.mark.parametrize(
    ("step", "fits"),
    [
        ({"tool": "box.find", "arguments": {"words": "tea"}}, True),
        ({"tool": "none", "answer": "Done."}, True),
        ({"tool": "box.find", "arguments": {"word": "tea"}}, False),
        ({"tool": "box.burn", "arguments": {}}, False),
        ({"answer": "Done."}, False),
    ],
)
def test_schema_admits_steps_and_nothing_else(step: Any, fits: bool) -> None:
    assert jsonschema.Draft202012Validator(step_schema([FIND])).is_valid(step) is fits


def test_call_is_read_out_of_the_text(fault_server: Any) -> None:
    with fault_server(says('{"tool": "box.find", "arguments": {"words": "tea"}}')) as server:
        chat = model(server)
        reply = chat.chat(ASK, [FIND])
    assert chat.tool_call_mode == MODE
    assert reply.message.tool_calls == (ToolCall("box.find", {"words": "tea"}, "r-1"),)
    assert reply.finish_reason == "tool_calls"
    sent = server.requests[0]
    assert "tools" not in sent
    assert sent["response_format"]["json_schema"]["schema"] == step_schema([FIND])
    assert "Today is Monday." in sent["messages"][0]["content"]
    assert '"words"' in sent["messages"][0]["content"]


def test_what_was_called_and_came_back_is_shown_as_text(fault_server: Any) -> None:
    made = Message("assistant", tool_calls=(ToolCall("box.find", {"words": "tea"}, "c"),))
    result = Message("tool", "no tea", tool_call_id="c", name="box.find")
    with fault_server(says('{"tool": "none", "answer": "There is none."}')) as server:
        reply = model(server).chat([*ASK, made, result], [FIND])
    assert reply.message == Message("assistant", "There is none.")
    assert [m["role"] for m in server.requests[0]["messages"]] == [
        *("system", "user", "assistant", "user")
    ]
    assert server.requests[0]["messages"][3]["content"] == "box.find returned: no tea"


@pytest.mark.parametrize("text", ["I will look.", '{"tool": "box.fi', "[]", '{"answer": "x"}'])
def test_text_that_is_no_step_is_a_call_that_cannot_be_read(text: str) -> None:
    call = read_step(text, "r").tool_calls[0]
    assert (call.arguments, call.raw) == (None, text)


def test_arguments_that_are_no_object_are_kept_as_text() -> None:
    call = read_step('{"tool": "box.find", "arguments": "tea"}', "r").tool_calls[0]
    assert (call.name, call.arguments, call.raw) == ("box.find", None, '"tea"')


def test_without_tools_nothing_is_held_to_a_schema(fault_server: Any) -> None:
    with fault_server(says("Hello.")) as server:
        assert model(server).chat(ASK).message.content == "Hello."
    assert "response_format" not in server.requests[0]


def test_native_is_what_is_meant_when_nothing_is_said(fault_server: Any) -> None:
    with fault_server(says("Hello.")) as server:
        chat = model(server, "")
        chat.chat(ASK, [FIND])
    assert chat.tool_call_mode == NATIVE
    assert server.requests[0]["tools"][0]["function"]["name"] == "box_find"


def test_refused_tools_say_how_to_go_on(fault_server: Any) -> None:
    refusal = {"status": 400, "error": {"message": "model m does not support tools"}}
    with (
        fault_server(refusal) as server,
        pytest.raises(EndpointError, match=r"\?tools=json_schema"),
    ):
        model(server, "").chat(ASK, [FIND])


def test_brief_form_names_arguments_only_and_keeps_the_world() -> None:
    system = step_messages(ASK, [FIND], brief=True)[0].content
    assert "- box.find(words): Find notes.\n" in system
    assert "Today is Monday." in system
    assert '"type"' not in system


def test_embedded_model_without_tools_of_its_own_is_not_forced() -> None:
    with pytest.raises(InputError, match="no tools"):
        local_model("smollm2?tools=native")


def test_file_of_ones_own_that_is_not_there(tmp_path: Any) -> None:
    with pytest.raises(ModelWeightsMissingError, match="no such file"):
        local_model(str(tmp_path / "mine.gguf"))


def test_unknown_local_model_offers_a_file() -> None:
    with pytest.raises(InputError, match=r"PATH\.gguf"):
        local_model("llama")
