"""The user's own tools, as `--tools MODULE:ATTR` names them: plain functions or LangChain tools.

ATTR is one of these, or a function or class that gives one and takes nothing; it is then asked anew
for each item, so that each begins in an untouched world:

- a mapping `{"read": [...], "write": [...]}` of tools;
- a list of tools that each carry the mark `writes`, True or False: an attribute of a function, an
  entry of a LangChain tool's `metadata`;
- an object with `tools`, one of the above or a method that gives it, and, if expected states are to
  be checked, a method `state()` that gives table to key to row.
"""

from __future__ import annotations

import copy
import inspect
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from tracer.errors import InputError
from tracer.records import Change, Json, Tool

State = Mapping[str, Mapping[str, Mapping[str, Json]]]
"""Table to key to row."""
_HOW = (
    'give {"read": [...], "write": [...]}, a list of tools marked by `writes`, '
    "or an object with `tools` and `state()`"
)


@dataclass(frozen=True, slots=True)
class OwnWorld:
    """The tools of one item, and the state they share as far as it can be looked at."""

    tools: tuple[Tool, ...]
    state: Callable[[], State] | None = None


def make_world(target: Any, name: str) -> OwnWorld:
    """The world that `target` stands for; a fresh one where it is a factory.

    Args:
        target: What `--tools` names.
        name: As on the command line, for messages.

    Raises:
        InputError: It is none of the forms, or a tool cannot be used.
    """
    where = f"--tools {name}"
    if callable(target) and not _is_tool(target):
        try:
            target = target()
        except Exception as error:
            raise InputError(
                f"{where}: calling it raised {type(error).__name__}: {error}; a factory of tools "
                "takes nothing and gives the tools"
            ) from error
    state = getattr(target, "state", None) if hasattr(target, "tools") else None
    tools = target.tools if hasattr(target, "tools") else target
    tools = tuple(_marked(tools() if callable(tools) else tools, where))
    names = [tool.name for tool in tools]
    twice = {called for called in names if names.count(called) > 1}
    if twice or not tools:
        raise InputError(f"{where}: {f'two tools are called {twice.pop()!r}' if twice else _HOW}")
    return OwnWorld(tools, _checked(state, where) if callable(state) else None)


def difference(before: State, after: State) -> tuple[Change, ...]:
    """The changes from one state to another, table by table, row by row.

    Example:
        >>> difference({"a": {"1": {"x": 1}}}, {"a": {"1": {"x": 2}}})[0].after
        {'x': 2}
    """
    found = []
    for table in dict.fromkeys((*before, *after)):
        old, new = before.get(table, {}), after.get(table, {})
        for key in dict.fromkeys((*old, *new)):
            if key not in old:
                found.append(Change("add", table, key, None, new[key]))
            elif key not in new:
                found.append(Change("remove", table, key, old[key], None))
            elif old[key] != new[key]:
                found.append(replaced(table, key, old[key], new[key]))
    return tuple(found)


def replaced(table: str, key: str, old: Mapping[str, Json], new: Mapping[str, Json]) -> Change:
    """The change of a row's fields; an absent field is null."""
    fields = [f for f in dict.fromkeys((*old, *new)) if old.get(f) != new.get(f)]
    return Change(
        "replace", table, key, {f: old.get(f) for f in fields}, {f: new.get(f) for f in fields}
    )


def _marked(given: Any, where: str) -> list[Tool]:
    if isinstance(given, Mapping):
        odd = sorted(set(given) - {"read", "write"})
        if odd:
            raise InputError(f"{where}: {odd[0]!r} is neither 'read' nor 'write'; {_HOW}")
        return [
            _tool(part, kind == "write", where) for kind, parts in given.items() for part in parts
        ]
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise InputError(f"{where}: {type(given).__name__} holds no tools; {_HOW}")
    return [part if isinstance(part, Tool) else _tool(part, None, where) for part in given]


def _is_tool(part: Any) -> bool:
    return callable(getattr(part, "invoke", None)) and hasattr(part, "args_schema")


def _tool(part: Any, writes: bool | None, where: str) -> Tool:
    if isinstance(part, Tool):
        return part
    called = str(getattr(part, "name", None) or getattr(part, "__name__", repr(part)))
    if writes is None:
        marks = getattr(part, "metadata", None) if _is_tool(part) else None
        mark = (marks or {}).get("writes") if _is_tool(part) else getattr(part, "writes", None)
        if not isinstance(mark, bool):
            raise InputError(
                f"{where}: tool {called!r} is marked neither as reading nor as writing; {_HOW}"
            )
        writes = mark
    if _is_tool(part):
        return _langchain_tool(part, called, writes)
    if not callable(part) or inspect.iscoroutinefunction(part):
        what = "an async function" if callable(part) else "no function and no LangChain tool"
        raise InputError(f"{where}: {called!r} is {what}; give a plain function")
    text = (inspect.getdoc(part) or "").partition("\n\n")[0].replace("\n", " ")
    return Tool(called, text, _schema(part, f"{where}: tool {called!r}"), writes, part)


def _langchain_tool(part: Any, called: str, writes: bool) -> Tool:
    schema = getattr(part, "tool_call_schema", None) or part.args_schema
    parameters = schema if isinstance(schema, Mapping) else schema.model_json_schema()

    def run(**arguments: Json) -> Json:
        # The call has its own span; LangChain's callbacks would make a second one below it.
        return _plain(part.invoke(arguments, config={"callbacks": []}))

    kept = {k: v for k, v in parameters.items() if k not in ("title", "description")}
    return Tool(called, str(part.description or ""), {"type": "object", **kept}, writes, run)


def _plain(result: Any) -> Json:
    return getattr(result, "content", result)


def _schema(function: Callable[..., Any], where: str) -> dict[str, Json]:
    """JSON Schema of a function's parameters, from its annotations."""
    try:
        hints = typing.get_type_hints(function, include_extras=True)
        signature = inspect.signature(function)
        kinds = {name: hints.get(name, Any) for name in signature.parameters}
        schemas, parts = msgspec.json.schema_components(
            kinds.values(), ref_template="#/$defs/{name}"
        )
    except (NameError, TypeError, ValueError) as error:
        raise InputError(
            f"{where}: its parameters cannot be described ({error}); annotate them with plain types"
        ) from error
    properties: dict[str, Json] = {}
    required = []
    for (name, parameter), schema in zip(signature.parameters.items(), schemas, strict=True):
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise InputError(f"{where}: parameter {name!r} cannot be given by name")
        properties[name] = dict(schema)
        if parameter.default is inspect.Parameter.empty:
            required.append(name)
        else:
            properties[name]["default"] = parameter.default
    made = {"type": "object", "properties": properties, "required": required}
    return {**made, "additionalProperties": False, **({"$defs": parts} if parts else {})}


def _checked(state: Callable[[], Any], where: str) -> Callable[[], State]:
    def look() -> State:
        found = copy.deepcopy(state())
        tables = found.values() if isinstance(found, Mapping) else [None]
        rows = [row for table in tables for row in getattr(table, "values", lambda: [None])()]
        if not all(isinstance(row, Mapping) for row in rows):
            raise InputError(
                f"{where}: state() must give table to key to row, each row a mapping, such as "
                '{"order": {"o1": {"status": "open"}}}'
            )
        return {str(t): {str(k): row for k, row in rows.items()} for t, rows in found.items()}

    return look
