"""How a tool of the office is described: name, arguments, whether it writes, what it does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sandboxes.matching import as_moment
from sandboxes.office.refusal import Refusal
from tracer.records import Json

TEXT: Mapping[str, Json] = {"type": "string"}
FLAG: Mapping[str, Json] = {"type": "boolean"}
TEXTS: Mapping[str, Json] = {"type": "array", "items": {"type": "string"}}
SOME_TEXTS: Mapping[str, Json] = {**TEXTS, "minItems": 1}
LIMIT: Mapping[str, Json] = {"type": "integer", "minimum": 1, "maximum": 50}
DAY = "YYYY-MM-DD HH:MM"


@dataclass(frozen=True, slots=True)
class Spec:
    """One tool before it is bound to a state."""

    name: str
    description: str
    parameters: Mapping[str, Json]
    """JSON Schema, type object."""
    writes: bool
    run: Callable[..., Json]
    """Called with the state first; it may raise Refusal."""


def spec(
    run: Callable[..., Json],
    description: str,
    *,
    writes: bool = False,
    optional: tuple[str, ...] = (),
    **arguments: tuple[Mapping[str, Json], str],
) -> Spec:
    """A tool named as its function, with one schema and one line of description an argument."""
    properties = {
        name: {**schema, "description": text} for name, (schema, text) in arguments.items()
    }
    parameters: dict[str, Any] = {
        "type": "object",
        "properties": properties,
        "required": [name for name in arguments if name not in optional],
        "additionalProperties": False,
    }
    return Spec(run.__name__, description, parameters, writes, run)


def day(text: str, what: str) -> str:
    """A day as `YYYY-MM-DD`; a time of day is cut off.

    Raises:
        Refusal: The text is no day.
    """
    found = as_moment(text)
    if found is not None:
        return found[:10]
    raise Refusal(f"{what}: {text[:40]!r} is no day; write it as YYYY-MM-DD")


def moment(text: str, what: str) -> str:
    """A time as `YYYY-MM-DD HH:MM`; a day alone is its first minute.

    Raises:
        Refusal: The text is no time.
    """
    clock = "23:59" if what in ("end", "before") else "00:00"
    found = as_moment(text, clock)
    if found is not None:
        return found
    raise Refusal(f"{what}: {text[:40]!r} is no time; write it as {DAY}")
