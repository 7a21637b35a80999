"""The answer key as a chat model: makes the gold calls and gives the gold answer."""

from __future__ import annotations

from collections.abc import Sequence

from assistants.base import MODELS
from tracer.protocols import ChatModel
from tracer.records import GoldCall, Message, ModelSource, Reply, Request, Task, Tool, ToolCall

DONE = "Done."
"""What is said where the answer key asks for actions and for no words."""


@MODELS.add("gold")
def gold(argument: str) -> ChatModel:
    """The model that knows the answer key; it must reach a full score on every suite."""
    if argument:
        raise ValueError(f"model 'gold' takes nothing after the colon, got {argument!r}")
    return Gold()


class Gold:
    """Asks for the gold calls one by one, then gives the canonical answer."""

    name = "gold"
    source = ModelSource("stagetrace", "built in", baseline=True)

    def __init__(self) -> None:
        self._task: Task | None = None
        self._turn = 0

    def begin(self, task: Task, request: Request) -> None:
        """Note the item that the next calls belong to."""
        self._task, self._turn = task, request.turn

    def chat(self, messages: Sequence[Message], tools: Sequence[Tool] = ()) -> Reply:
        """The next gold call while there is one, else the gold answer.

        Raises:
            RuntimeError: No item has begun.
        """
        if self._task is None:
            raise RuntimeError(
                "model 'gold' was asked before an item had begun; call begin() first"
            )
        made = _calls_since_user(messages)
        calls = self._calls(self._task) if tools else ()
        if made < len(calls):
            call = calls[made]
            asked = ToolCall(call.name, dict(call.arguments), f"gold-{self._turn}-{made}")
            return Reply(Message("assistant", tool_calls=(asked,)), finish_reason="tool_calls")
        return Reply(Message("assistant", self._answer(self._task)))

    def _calls(self, task: Task) -> Sequence[GoldCall]:
        """The gold calls of this turn; what a suite does not tell apart comes in the last turn."""
        last = len(task.turns) - 1
        return [
            call
            for call in task.calls or ()
            if self._turn == (last if call.turn is None else call.turn)
        ]

    def _answer(self, task: Task) -> str:
        if task.answers:
            return task.answers[0]
        return task.turns[self._turn].reply or DONE


def _calls_since_user(messages: Sequence[Message]) -> int:
    last = max((place for place, m in enumerate(messages) if m.role == "user"), default=-1)
    return sum(len(message.tool_calls) for message in messages[last + 1 :])
