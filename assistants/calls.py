"""Calls as an acting assistant makes them: what comes back as text, whatever went wrong."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from assistants.base import AgentError
from tracer.errors import StagetraceError
from tracer.record import Recorder
from tracer.records import Json, Message, Tool, ToolCall
from tracer.registry import nearest
from tracer.wrap import calling, reject_call

STEPS = 20
"""Times the model is asked in one turn.

Source:
    WorkBench at 42f1b6d, whose agent stops after 20 iterations.
"""
CALLS = 100
"""Calls in one turn, as a model may ask for many at once."""
SHOWN_CHARACTERS = 20_000
"""Of one result, as the model is shown it."""


class StepLimitError(AgentError):
    """The agent asked for more steps or calls than it may; an outcome of the item."""


@dataclass(frozen=True, slots=True)
class TurnLimits:
    """What the model may ask for in one turn."""

    steps: int
    calls: int

    @classmethod
    def of(cls, limits: Mapping[str, int] | None) -> TurnLimits:
        """Those of a run, where it names any."""
        named = limits or {}
        return cls(named.get("steps", STEPS), named.get("calls", CALLS))

    def check_steps(self, asked: int, last: Message) -> None:
        """Refuse one more step.

        Args:
            asked: How often the model was asked in this turn.
            last: The last message.

        Raises:
            StepLimitError: It is one too many.
        """
        if asked >= self.steps:
            raise StepLimitError(
                f"no answer after {self.steps} steps; the last message asked for "
                f"{last.name or 'a tool'!r}"
            )

    def check_calls(self, made: int) -> None:
        """Refuse the calls of a message.

        Args:
            made: Calls of this turn with those of the message.

        Raises:
            StepLimitError: They are too many.
        """
        if made > self.calls:
            raise StepLimitError(f"asked for {made} calls, {self.calls} are allowed")


class Caller:
    """Makes calls; errors, unknown names and unreadable arguments become what the model reads."""

    def __init__(self, tools: Sequence[Tool], recorder: Recorder) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._recorder = recorder

    def make(self, call: ToolCall, run: Callable[[], str] | None = None) -> str:
        """What came back of a call, as the model is shown it.

        Args:
            call: As the model asked for it.
            run: Runs the tool and shows its result; by default the tool is called here.

        Raises:
            StagetraceError: What surrounds the agent broke.
        """
        if call.arguments is None:
            return self._reject(call, "the arguments are no JSON object", "MalformedCall")
        tool = self._tools.get(call.name)
        if tool is None:
            known = nearest(call.name, sorted(self._tools))
            return self._reject(call, f"there is no tool {call.name!r}; {known}", "UnknownTool")
        try:
            with calling(call):
                return run() if run else shown(tool.run(**call.arguments))
        except StagetraceError:
            raise
        except Exception as error:
            return f"error: {type(error).__name__}: {error}"

    def _reject(self, call: ToolCall, why: str, error_type: str) -> str:
        reject_call(self._recorder, call, why, error_type=error_type)
        return f"error: {error_type}: {why}"


def shown(result: Json) -> str:
    """A result as text for the model: text as it is, all else as JSON; a long one is cut.

    Example:
        >>> shown({"a": 1})
        '{"a": 1}'
    """
    text = (
        result if isinstance(result, str) else json.dumps(result, ensure_ascii=False, default=str)
    )
    if len(text) <= SHOWN_CHARACTERS:
        return text
    return f"{text[:SHOWN_CHARACTERS]} [... {len(text) - SHOWN_CHARACTERS} more characters]"
