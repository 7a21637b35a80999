"""A reader that is a program: it copies out of the documents shown to it."""

from __future__ import annotations

from collections.abc import Sequence

from assistants.base import MODELS
from assistants.extraction import extract
from assistants.words import words
from tracer.protocols import ChatModel
from tracer.records import Message, ModelSource, Reply, Tool


@MODELS.add("extractive")
def extractive(argument: str) -> ChatModel:
    """A deterministic reader that copies out of the documents shown to it."""
    if argument:
        raise ValueError(f"model 'extractive' takes nothing after the colon, got {argument!r}")
    return Extractive()


class Extractive:
    """Picks the sentence that shares the most weight with the question.

    Source:
        Ours: a lower bound for readers, named a baseline program wherever it is shown.
    """

    name = "extractive"
    source = ModelSource("stagetrace", "built in", baseline=True)

    def chat(self, messages: Sequence[Message], tools: Sequence[Tool] = ()) -> Reply:
        """The answer to the last user message from the documents that stand with it."""
        question = next((m for m in reversed(messages) if m.role == "user"), Message("user"))
        text = extract(question.content, question.documents)
        return Reply(
            Message("assistant", text),
            input_tokens=sum(len(words(m.content)) for m in messages)
            + sum(len(words(p.text or "")) for p in question.documents),
            output_tokens=len(words(text)),
        )
