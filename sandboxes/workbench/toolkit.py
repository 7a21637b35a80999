"""What a WorkBench tool is, and where tools and the tables they use are filed."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sandboxes.workbench.state import State
from sandboxes.workbench.tables import TableSpec
from tracer.records import Json, Tool
from tracer.registry import Registry

MOST_CHARACTERS = 256 * 2**10
"""Of the texts in a call's arguments, and eight times as many in what it returns.

Source:
    Ours: hundreds of times what any task needs, and short enough that no tool takes long.
"""
MOST_CALLS = 1_000
"""Calls of a run.

Source:
    Ours: 50 times what the published agent can make before its own limit of 20 steps.
"""


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool before it is bound to a state."""

    name: str
    description: str
    parameters: Mapping[str, Json]
    """JSON Schema; the properties stand in the order of the published signature."""
    writes: bool
    function: Callable[..., Json]
    """Takes the state, then the published parameters."""

    def bound(self, state: State) -> Tool:
        """The tool over `state`; numbers among the arguments become texts, as in call strings."""

        def run(**arguments: Json) -> Json:
            return self.call(state, **{key: _written(value) for key, value in arguments.items()})

        return Tool(self.name, self.description, self.parameters, self.writes, run)

    def call(self, state: State, *positional: Json, **keywords: Json) -> Json:
        """What the tool answers; any exception is the tool's own error.

        Raises:
            LimitError: Too many calls, or too long an argument or answer.
        """
        state.calls += 1
        if state.calls > MOST_CALLS:
            raise LimitError(f"{self.name}: over {MOST_CALLS} calls in one run; end it")
        given = _characters([*positional, *keywords.values()])
        if given > MOST_CHARACTERS:
            raise LimitError(
                f"{self.name}: arguments of {given} characters; give at most {MOST_CHARACTERS}"
            )
        answer = self.function(state, *positional, **keywords)
        if _characters(answer) > 8 * MOST_CHARACTERS:
            raise LimitError(
                f"{self.name}: the answer is longer than {8 * MOST_CHARACTERS} characters; "
                "ask for less"
            )
        return answer


class LimitError(ValueError):
    """A call that is too big for the sandbox."""


def _written(value: Json) -> Json:
    return str(value) if type(value) in (int, float) else value


def _characters(value: Json) -> int:
    if isinstance(value, str):
        return len(value)
    if isinstance(value, Mapping):
        return sum(_characters(key) + _characters(one) for key, one in value.items())
    if isinstance(value, list | tuple | set | frozenset):
        return len(value) + sum(map(_characters, value))
    return 0


TABLES: Registry[TableSpec] = Registry("WorkBench table", "sandboxes.workbench.tools")
TOOLS: Registry[ToolSpec] = Registry("WorkBench tool", "sandboxes.workbench.tools")


def tool(
    name: str, description: str, parameters: Mapping[str, str], *, writes: bool
) -> Callable[[Callable[..., Json]], Callable[..., Json]]:
    """A decorator that files a function as a tool.

    Args:
        name: As in the benchmark, such as `email.send_email`.
        description: What the model is told.
        parameters: Name to description, in the order of the published signature; all are optional
            texts, because a missing one is answered in words.
        writes: Whether it can change the tables.
    """
    schema = {
        "type": "object",
        "properties": {
            parameter: {"type": "string", "description": text}
            for parameter, text in parameters.items()
        },
        "additionalProperties": False,
    }

    def file(function: Callable[..., Json]) -> Callable[..., Json]:
        TOOLS.add(name)(ToolSpec(name, description, schema, writes, function))
        return function

    return file


@functools.cache
def tool_specs() -> Mapping[str, ToolSpec]:
    """All tools by name."""
    return {name: TOOLS.get(name) for name in TOOLS.names()}


@functools.cache
def writing_tools() -> frozenset[str]:
    """Names of the tools with side effects."""
    return frozenset(name for name, spec in tool_specs().items() if spec.writes)
