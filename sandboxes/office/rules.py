"""When the arguments of an office call are those of the answer key."""

from __future__ import annotations

from collections.abc import Mapping

from sandboxes import matching
from tracer.records import Json

_NOTHING: tuple[Json, ...] = (None, "", [], False, "one")
"""What leaving out an optional argument means."""


def arguments_meet(given: Mapping[str, Json], expected: Mapping[str, Json]) -> bool:
    """Whether the arguments of a call are those that the answer key asks for.

    Arguments given at their default count as not given.
    """
    return matching.arguments_meet(given, expected, left_out=lambda name, value: value in _NOTHING)
