"""A chat model that gives the answers of a list, and a rater that says what it is told."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tracer.records import Message, ModelSource, Reply, Tool
from variants.base import Gated, Rating


class ScriptedModel:
    name = "scripted"
    source = ModelSource("test", "built in")

    def __init__(self, answer: Callable[[str], str]) -> None:
        self.answer = answer
        self.asked: list[str] = []

    def chat(self, messages: Sequence[Message], tools: Sequence[Tool] = ()) -> Reply:
        self.asked.append(messages[-1].content)
        return Reply(Message("assistant", self.answer(messages[-1].content)))


class ScriptedRater:
    name = "told"

    def __init__(self, say: Callable[[str, Gated], bool]) -> None:
        self.say = say
        self.asked: list[str] = []

    def rate(self, gate: str, gated: Gated) -> Rating:
        self.asked.append(gate)
        return Rating(self.say(gate, gated))
