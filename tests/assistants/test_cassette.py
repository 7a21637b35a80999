"""A live run kept in a file and given again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from assistants.base import MODELS
from assistants.models.cassette import Recording, begin
from assistants.models.rules import rules
from tracer.errors import InputError
from tracer.protocols import ChatModel
from tracer.records import Message, ModelSource, Passage, Reply, Tool, ToolCall

TOOL = Tool("find", "Find.", {"type": "object", "properties": {}}, False, print)


class Counting:
    """A model that says how often it was asked."""

    name = "openai:test"
    source = ModelSource("openai", "api.example")

    def __init__(self) -> None:
        self.asked = 0

    def reseed(self, seed: int) -> None:
        self.seed = seed

    def chat(self, messages: Sequence[Message], tools: Sequence[Tool] = ()) -> Reply:
        self.asked += 1
        calls = (ToolCall("find", {"n": self.asked}, f"id-{self.asked}"),) if tools else ()
        return Reply(Message("assistant", f"answer {self.asked}", tool_calls=calls), "stop", 3, 4)


@pytest.fixture
def taped(tmp_path: Path) -> tuple[Recording, Path]:
    path = tmp_path / "tape.jsonl"
    model = Counting()
    begin(path, model)
    return Recording(model, path), path


QUESTION = [Message("user", "When?", documents=(Passage("m", 1.0, "Noon."),))]


def test_replies_come_back_whole_by_request_and_seed(taped: tuple[Recording, Path]) -> None:
    recording, path = taped
    given = []
    for seed in (1, 2):
        recording.reseed(seed)
        given.append(recording.chat(QUESTION))
        given.append(recording.chat(QUESTION, [TOOL]))
        given.append(recording.chat(QUESTION))
    for scheme in ("cassette", "recorded"):
        again: ChatModel = MODELS.get(scheme)(str(path))
        back = []
        for seed in (1, 2):
            again.reseed(seed)  # type: ignore[attr-defined]  # cassettes are seeded
            back += [again.chat(QUESTION), again.chat(QUESTION, [TOOL]), again.chat(QUESTION)]
        assert back == given


def test_source_tells_what_was_recorded(taped: tuple[Recording, Path]) -> None:
    source = MODELS.get("cassette")(str(taped[1])).source
    assert source.source == "recorded replies of openai:test (api.example)"
    assert len(source.sha256) == 64


def test_request_that_was_never_made_is_refused(taped: tuple[Recording, Path]) -> None:
    taped[0].chat(QUESTION)
    with pytest.raises(InputError, match="no reply to this request"):
        MODELS.get("cassette")(str(taped[1])).chat([Message("user", "Why?")])


def test_tape_is_never_written_over_and_programs_are_not_taped(
    taped: tuple[Recording, Path], tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="not there yet"):
        begin(taped[1], Counting())
    with pytest.raises(InputError, match="is a program"):
        begin(tmp_path / "other", rules(""))


def test_no_tape_is_an_error_with_the_way_out(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--record FILE"):
        MODELS.get("cassette")(str(tmp_path / "none"))
