"""What a ToolTalk tool is, where tools are filed, and how a call reaches one."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sandboxes.tooltalk.refusal import Refusal
from sandboxes.tooltalk.state import World
from tracer.records import Json, Tool
from tracer.registry import Registry

SYNTHETIC = frozenset(
    {"password", "old_password", "new_password", "verification_code", "session_token"}
)
"""Arguments and fields whose values are invented secrets of this world."""


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool before it is bound to a world."""

    name: str
    suite: str
    description: str
    parameters: Mapping[str, Json]
    """JSON Schema; the properties stand in the order of the published signature."""
    writes: bool
    login: bool
    """Whether somebody must be signed in."""
    function: Callable[..., Json]
    """Takes the world, then the published parameters."""

    def bound(self, world: World) -> Tool:
        """The tool over `world`."""
        run = functools.partial(call_tool, world, self)
        return Tool(self.name, self.description, self.parameters, self.writes, run)


TOOLS: Registry[ToolSpec] = Registry("ToolTalk tool", "sandboxes.tooltalk.tools")
_SIGNS_IN = ("UserLogin", "RegisterUser")


def text(description: str, *choices: str) -> Mapping[str, Json]:
    """Schema of a text argument."""
    schema: dict[str, Json] = {"type": "string", "description": description}
    return {**schema, "enum": list(choices)} if choices else schema


def texts(description: str) -> Mapping[str, Json]:
    """Schema of a list of texts."""
    return {"type": "array", "items": {"type": "string"}, "description": description}


def tool(
    name: str,
    suite: str,
    description: str,
    /,
    *,
    writes: bool = False,
    login: bool = True,
    optional: tuple[str, ...] = (),
    **parameters: Mapping[str, Json],
) -> Callable[[Callable[..., Json]], Callable[..., Json]]:
    """A decorator that files a function as a tool.

    Args:
        name: As in the benchmark.
        suite: Suite of the benchmark that it belongs to.
        description: What the model is told.
        writes: Whether the benchmark calls it an action.
        login: Whether somebody must be signed in.
        optional: Parameters that may be left out.
        parameters: Name to schema, in the order of the published signature.
    """
    schema = {
        "type": "object",
        "properties": dict(parameters),
        "required": [parameter for parameter in parameters if parameter not in optional],
        "additionalProperties": False,
    }

    def file(function: Callable[..., Json]) -> Callable[..., Json]:
        # Python names the function when arguments do not fit, and agents are shown that text.
        function.__qualname__ = f"{name}.call"
        TOOLS.add(name)(ToolSpec(name, suite, description, schema, writes, login, function))
        return function

    return file


@functools.cache
def tool_specs() -> Mapping[str, ToolSpec]:
    """All tools by name."""
    return {name: TOOLS.get(name) for name in TOOLS.names()}


def call_tool(world: World, spec: ToolSpec, /, **arguments: Json) -> Json:
    """What the tool answers.

    A `session_token` sent to a tool that needs a login is dropped: the session's own counts.

    Raises:
        Refusal: The benchmark refuses the call.
        Exception: The arguments do not fit the tool; the benchmark shows Python's own text.
    """
    if spec.login:
        if world.session is None:
            raise Refusal("User is not logged in")
        arguments.pop("session_token", None)
    if spec.name in _SIGNS_IN and world.session is not None:
        raise Refusal(
            f"Only one user can be logged in at a time. Current user is {world.username()}."
        )
    return spec.function(world, **arguments)
