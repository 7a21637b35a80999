"""A tiny sandbox and models for tests of the run loop; copied beside a run as `tiny_box`."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence

from assistants.base import Parts
from sandboxes.base import Corpus
from tracer.errors import EndpointError
from tracer.records import (
    Change,
    GoldCall,
    Json,
    Message,
    ModelSource,
    Outcome,
    Reply,
    Task,
    Tool,
    ToolCall,
    Trace,
    Turn,
)


class Outbox:
    """An outbox that starts empty for every task."""

    name = "tiny"
    mode = "strict"
    data_version = "1"
    schema_hash = "0"
    briefing = "You keep an outbox. Today is 2026-01-05."

    def __init__(self, items: int = 6, questions: int = 2, turns: int = 0) -> None:
        self._items, self._questions, self._turns = items, questions, turns
        self._sent: list[str] = []
        self._changes: list[Change] = []
        self.resets = 0

    def tasks(self) -> Iterable[Task]:
        for number in range(self._items):
            yield Task(
                item=f"t{number:02d}",
                suite=self.name,
                form="actions",
                turns=(Turn(f"Please send the note number {number} today."),),
                cluster=f"c{number % 3}",
                calls=(GoldCall("outbox.send", {"text": f"note {number}"}, writes=True),),
            )
        for number in range(self._questions):
            yield Task(
                item=f"q{number:02d}",
                suite=self.name,
                form="question",
                turns=(Turn(f"When does the bus number {number} leave?"),),
                answers=(f"1{number}:30",),
                relevant=((f"d{number}",),),
            )
        for number in range(self._turns):
            yield Task(
                item=f"m{number:02d}",
                suite=self.name,
                form="conversation",
                turns=(Turn("Hello there.", "Hello, what shall I send?"), Turn("Send note 0.")),
                calls=(GoldCall("outbox.send", {"text": "note 0"}, writes=True),),
            )

    def reset(self, task: Task) -> None:
        self._sent.clear()
        self._changes.clear()
        self.resets += 1

    def begin_turn(self, task: Task, turn: int) -> None:
        return

    def tools(self) -> Sequence[Tool]:
        schema = {
            "type": "object",
            "properties": {"text": {"type": "string"}},
            "required": ["text"],
        }
        return (
            Tool("outbox.send", "Send a note.", schema, True, self._send),
            Tool("outbox.count", "Count the notes sent.", {"type": "object"}, False, self._count),
        )

    def _send(self, text: str) -> Json:
        if not text:
            raise ValueError("an empty note")
        self._sent.append(text)
        self._changes.append(Change("add", "note", str(len(self._sent)), None, {"text": text}))
        return {"sent": len(self._sent)}

    def _count(self) -> Json:
        return {"count": len(self._sent)}

    def corpus(self, task: Task) -> Corpus | None:
        if task.form != "question":
            return None
        return Corpus(
            "buses", {f"d{n}": f"The bus number {n} leaves at 1{n}:30 sharp." for n in range(8)}
        )

    def rewrites(self) -> Mapping[str, Mapping[str, Mapping[str, Json]]]:
        return {}

    def state_digest(self) -> str:
        return hashlib.sha256(json.dumps(self._sent).encode()).hexdigest()[:16]

    def take_changes(self) -> tuple[Change, ...]:
        changes, self._changes = tuple(self._changes), []
        return changes

    def grade(self, task: Task, trace: Trace) -> Outcome:
        if task.item == os.environ.get("TINY_BAD_GRADE"):
            raise RuntimeError("the grader tripped")
        sent = [c.arguments.get("text") for c in trace.calls if c.arguments and c.status == "ok"]
        wanted = [call.arguments["text"] for call in task.calls or ()]
        answered = trace.answer in task.answers if task.answers else None
        return Outcome(
            self.mode,
            relevant=task.relevant,
            gold_answers=task.answers,
            answer_correct=answered,
            required_calls=task.calls,
            success=trace.error is None and sent == wanted and answered is not False,
        )


def tiny(part: str, *, mode: str | None, data: object) -> Outbox:
    """`tiny_box:tiny`, with as many items as TINY_ITEMS says."""
    return Outbox(items=int(os.environ.get("TINY_ITEMS", "6")))


class Scripted:
    """Sends the note that the request names, then answers; some requests go wrong on purpose."""

    name = "scripted"
    source = ModelSource("stagetrace", "tests", baseline=True)

    def __init__(self, argument: str = "") -> None:
        self.pause_s = float(os.environ.get("TINY_PAUSE_S", "0"))
        self.broken = os.environ.get("TINY_BROKEN", "").split(",")
        self.down = os.environ.get("TINY_DOWN", "").split(",")
        self.killer = os.environ.get("TINY_KILLER", "").split(",")

    def chat(self, messages: Sequence[Message], tools: Sequence[Tool] = ()) -> Reply:
        time.sleep(self.pause_s)
        last = max(n for n, m in enumerate(messages) if m.role == "user")
        text = messages[last].content
        number = next((w for w in text.rstrip(".?").split() if w.isdigit()), "")
        if number in self.broken:
            raise ValueError(f"cannot think about {number}")
        if number in self.down:
            raise EndpointError("endpoint example: status 503")
        if number in self.killer:
            os.kill(os.getpid(), 9)
        done = any(message.role == "tool" for message in messages[last:])
        if tools and number and not done:
            call = ToolCall("outbox.send", {"text": f"note {number}"}, "call-1")
            return Reply(Message("assistant", tool_calls=(call,)), "tool_calls")
        return Reply(Message("assistant", "Sent." if tools else f"1{number}:30"))


def scripted(argument: str) -> Scripted:
    """`tiny_box:scripted`."""
    return Scripted()


def sender(parts: Parts) -> Callable[[str], str]:
    """`tiny_box:sender`, an agent without a framework, which starts in half the time."""

    def answer(text: str) -> str:
        time.sleep(float(os.environ.get("TINY_PAUSE_S", "0")))
        parts.tools[0].run(text=f"note {text.split()[-2]}")
        return "Sent."

    return answer
