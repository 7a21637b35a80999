"""The 28 tools over mail, calendar, directory, to-dos and files."""

from __future__ import annotations

import copy
import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sandboxes.office.calendar_tools import CALENDAR
from sandboxes.office.directory_tools import DIRECTORY
from sandboxes.office.file_tools import FILES
from sandboxes.office.mail_tools import MAIL
from sandboxes.office.refusal import Refusal
from sandboxes.office.schema import Spec
from sandboxes.office.state import State
from sandboxes.office.todo_tools import TODOS
from tracer.records import Json, Tool

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

SPECS: tuple[Spec, ...] = (*MAIL, *CALENDAR, *DIRECTORY, *TODOS, *FILES)


@dataclass(frozen=True, slots=True)
class _Run:
    """One tool bound to a state: checks its arguments, and answers with an error, never raises."""

    spec: Spec
    state: State

    def __call__(self, /, **arguments: Json) -> Json:
        problem = _problem(self.spec, arguments)
        if problem:
            return {"error": problem}
        try:
            return copy.deepcopy(self.spec.run(self.state, **arguments))
        except Refusal as refusal:
            return {"error": str(refusal)}


def bind(state: State) -> tuple[Tool, ...]:
    """The tools over one state."""
    return tuple(
        Tool(spec.name, spec.description, spec.parameters, spec.writes, _Run(spec, state))
        for spec in SPECS
    )


def _problem(spec: Spec, arguments: Mapping[str, Json]) -> str | None:
    for error in _validator(spec.name).iter_errors(arguments):
        where = ".".join(str(step) for step in error.absolute_path) or "arguments"
        return f"{where}: {error.message}"[:500]
    return None


@functools.cache
def _validator(name: str) -> Validator:
    from jsonschema import Draft202012Validator

    parameters = next(spec.parameters for spec in SPECS if spec.name == name)
    return Draft202012Validator(dict(parameters))
