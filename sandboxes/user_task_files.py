"""Reading the user's own tasks and documents, with an error that names file, line and field."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Literal

from jsonschema import Draft202012Validator, ValidationError

from sandboxes.matching import as_moment, is_rule, meets
from tracer.errors import InputError
from tracer.records import Json

MOST_BYTES = 2 * 2**30
"""Of a file of documents; they are held in memory, in about twice as much, without an index."""


def read_tasks(path: Path) -> list[Mapping[str, Json]]:
    """The records of a file of tasks.

    Raises:
        InputError: A line is no task, an item stands in the file twice, or there is none.
    """
    seen: set[str] = set()
    found = []
    for number, record in _records(path, "task"):
        where = f"{path}:{number}"
        if record["item"] in seen:
            raise InputError(f"{where}: item {record['item']!r} stands in the file twice")
        seen.add(record["item"])
        _check_form(where, record)
        for field, rule in _rules(record):
            _check_rule(where, field, rule)
        found.append(record)
    if not found:
        raise InputError(f"{path}: no task in it; write one JSON object a line")
    return found


def read_corpora(path: Path) -> dict[str, dict[str, str]]:
    """The documents of a file by corpus, then by id.

    Raises:
        InputError: The file is too large, a line is no document, or an id stands in a corpus twice.
    """
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise InputError(
            f"{path}: {size / 2**30:.1f} GiB; documents are held in memory, up to "
            f"{MOST_BYTES >> 30} GiB: give the documents that the questions need"
        )
    corpora: dict[str, dict[str, str]] = {}
    for number, record in _records(path, "document"):
        documents = corpora.setdefault(record.get("corpus", ""), {})
        if record["id"] in documents:
            raise InputError(
                f"{path}:{number}: document id {record['id']!r} stands in its corpus twice"
            )
        documents[record["id"]] = record["text"]
    return corpora


def calls_of(record: Mapping[str, Json]) -> Iterator[tuple[int | None, Mapping[str, Json]]]:
    """The calls of a task with the turn each is due in; None for single requests."""
    for call in record.get("calls", ()):
        yield None, call
    for number, turn in enumerate(record.get("turns", ())):
        for call in turn.get("calls", ()):
            yield number, call


def has_calls(record: Mapping[str, Json]) -> bool:
    """Whether a task says which calls have to be made, none included."""
    return "calls" in record or any("calls" in turn for turn in record.get("turns", ()))


def _check_form(where: str, record: Mapping[str, Json]) -> None:
    beside = [name for name in ("text", "calls") if "turns" in record and name in record]
    if beside:
        raise InputError(
            f"{where}: {beside[0]}: cannot stand beside 'turns'; each turn has its own"
        )
    form = record.get("form")
    if form is not None and (form == "conversation") != ("turns" in record):
        raise InputError(f"{where}: form: 'conversation' goes with turns, and only it does")
    turns = len(record.get("turns", ())) or 1
    for condition, wording in record.get("rewrites", {}).items():
        given = 1 if isinstance(wording, str) else len(wording)
        if given != turns:
            raise InputError(
                f"{where}: rewrites.{condition}: {given} text{'s' * (given != 1)} for {turns} "
                f"turn{'s' * (turns != 1)}; give one a turn"
            )


def _rules(value: Json, field: str = "") -> Iterator[tuple[str, Mapping[str, Json]]]:
    """The rules of a task with their fields, wherever calls and expected changes hold them."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            path = f"{field}.{name}" if field else name
            if name in ("arguments", "fields") and isinstance(inner, Mapping):
                yield from ((f"{path}.{k}", v) for k, v in inner.items() if is_rule(v))
            elif name in ("calls", "expect", "turns"):
                yield from _rules(inner, path)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _rules(inner, f"{field}.{number}")


def _check_rule(where: str, field: str, rule: Mapping[str, Json]) -> None:
    name: str = rule["rule"]
    value: Json = rule.get("value")
    problem = ""
    if name == "regex":
        try:
            re.compile(value)
        except re.error as error:
            problem = f"{value!r} is no regular expression ({error})"
    elif name == "date" and as_moment(value) is None:
        problem = f"{value!r} is no time; write it as YYYY-MM-DD or YYYY-MM-DD HH:MM"
    elif name == "number" and not meets(value, rule):
        problem = f"{value!r} is no number"
    if not problem and "example" in rule and not meets(rule["example"], rule):
        problem = f"the example {rule['example']!r} does not meet its rule"
    if problem:
        raise InputError(f"{where}: {field}: {problem}")


def _records(
    path: Path, kind: Literal["task", "document"]
) -> Iterator[tuple[int, Mapping[str, Json]]]:
    validator = _validator(kind)
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield number, _record(f"{path}:{number}", line, validator.iter_errors)
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 ({error.reason}); write it as UTF-8") from error


def _record(
    where: str, line: str, problems_of: Callable[[Json], Iterable[ValidationError]]
) -> Mapping[str, Json]:
    try:
        record: Mapping[str, Json] = json.loads(line)
    except (json.JSONDecodeError, RecursionError) as error:
        raise InputError(f"{where}: not JSON ({error}); write one object a line") from error
    problem = next(iter(problems_of(record)), None)
    if problem is not None:
        field = ".".join(str(step) for step in problem.absolute_path) or "the object"
        raise InputError(f"{where}: {field}: {problem.message[:500]}")
    return record


@cache
def _validator(kind: str) -> Draft202012Validator:
    schema = json.loads((files("sandboxes") / "user_tasks.schema.json").read_text(encoding="utf-8"))
    return Draft202012Validator({"$ref": f"#/$defs/{kind}", "$defs": schema["$defs"]})
