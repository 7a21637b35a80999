"""Calls of an earlier run, played again through the agent: `recorded:FILE?model=NAME`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl

from assistants.base import MODELS, AgentError
from assistants.models.cassette import cassette, is_cassette
from sandboxes.workbench.calls import ParsedCall, call_string, parse, replace_newlines, tool_of
from tracer.errors import InputError
from tracer.limits import json_value
from tracer.protocols import ChatModel
from tracer.records import Json, Message, ModelSource, Reply, Request, Task, Tool, ToolCall
from tracer.registry import nearest

FILTERS = ("model", "tool_selection")
"""Fields by which rows can be chosen."""


@dataclass(frozen=True, slots=True)
class Row:
    """What one item's run did."""

    line: int
    domain: str
    task_index: int
    predicted: tuple[str, ...]
    """Call strings as published, in order."""
    error: str
    model: str
    tool_selection: str


@MODELS.add("recorded")
def recorded(argument: str) -> ChatModel:
    """The model that makes the calls a file of JSON lines holds.

    Args:
        argument: `FILE`, which may also be a cassette of replies, or
            `FILE?model=NAME&tool_selection=NAME` to choose one run of several.

    Raises:
        InputError: The file cannot be read, or holds no run or several runs of one item.
    """
    path, wanted = _split(argument)
    if is_cassette(path):
        return cassette(str(path))
    rows = [row for row in read_rows(path) if _fits(row, wanted)]
    if not rows:
        raise InputError(f"{path}: no row with {_said(wanted)}; {_runs(read_rows(path))}")
    by_item: dict[tuple[str, int], Row] = {}
    for row in rows:
        first = by_item.setdefault((row.domain, row.task_index), row)
        if first is not row:
            raise InputError(
                f"{path}: lines {first.line} and {row.line} both hold {row.domain} task "
                f"{row.task_index}; choose one run, such as recorded:{path.name}?model=...; "
                f"{_runs(rows)}"
            )
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    names = sorted({row.model for row in rows if row.model})
    source = ModelSource("stagetrace", f"recorded calls of {', '.join(names) or path.name}", digest)
    return Recorded(f"recorded:{argument}", source, by_item)


class Recorded:
    """Asks for all calls of the item in one message, then ends as the recorded run ended.

    One message, so that no limit of the agent on its steps cuts a recorded run short.
    """

    def __init__(self, name: str, source: ModelSource, rows: Mapping[tuple[str, int], Row]) -> None:
        self.name = name
        self.source = source
        self._rows = rows
        self._row: Row | None = None

    def begin(self, task: Task, request: Request) -> None:
        """Note the item.

        Raises:
            InputError: The file has no run of the item, or the wording is not the original one.
        """
        if request.condition != "base":
            raise InputError(
                f"{self.name}: recorded calls answer the original wording, not the condition "
                f"{request.condition!r} of {task.item}; run with --conditions base"
            )
        domain, index = task.detail.get("domain", ""), task.detail.get("task_index", -1)
        self._row = self._rows.get((domain, index))
        if self._row is None:
            raise InputError(
                f"{self.name}: no recorded run of {task.item} (domain {domain!r}, task_index "
                f"{index!r}); the file holds {len(self._rows)} items of "
                f"{', '.join(sorted({row.domain for row in self._rows.values()}))}"
            )

    def chat(self, messages: Sequence[Message], tools: Sequence[Tool] = ()) -> Reply:
        """The calls, or once they are made the end: an empty text or the recorded error.

        Raises:
            AgentError: The recorded run ended with this error.
            RuntimeError: No item has begun.
        """
        row = self._row
        if row is None:
            raise RuntimeError(f"{self.name} was asked before an item had begun; call begin()")
        if row.predicted and not _asked(messages):
            parameters = {tool.name: list(tool.parameters.get("properties", {})) for tool in tools}
            calls = tuple(
                tool_call(text, parameters, f"recorded-{number}")
                for number, text in enumerate(row.predicted)
            )
            message = Message("assistant", tool_calls=calls)
            return Reply(message, finish_reason="tool_calls", model=row.model)
        if row.error:
            raise AgentError(row.error)
        return Reply(Message("assistant"), model=row.model)


def tool_call(text: str, parameters: Mapping[str, Sequence[str]], call_id: str) -> ToolCall:
    """The call that a published string holds; a malformed one when it cannot be read.

    Args:
        text: Call string as published.
        parameters: Tool name to its parameters in order, for arguments without a name.
        call_id: Id to give the call.

    Example:
        >>> tool_call('email.delete_email.func(email_id="1")', {}, "").arguments
        {'email_id': '1'}
        >>> tool_call('email.delete_email.func(email_id="1', {}, "").arguments is None
        True
    """
    text = replace_newlines(text)
    call = parse(text)
    arguments = _arguments(call, parameters) if call else None
    if call is None or arguments is None:
        name = tool_of(text.partition("(")[0].strip())
        return ToolCall(name, None, call_id, raw=text)
    # With escapes in it, a string may differ from what the grader would write down: keep it.
    same = replace_newlines(call_string(call.name, arguments)) == text
    return ToolCall(call.name, arguments, call_id, raw=None if same else text)


def _arguments(call: ParsedCall, parameters: Mapping[str, Sequence[str]]) -> dict[str, Json] | None:
    """The arguments by keyword, None when they do not fit the tool or JSON cannot hold them."""
    arguments = call.arguments(parameters.get(call.name, ()))
    try:
        json.dumps(arguments)
    except (TypeError, ValueError, RecursionError):
        return None
    return arguments


def read_rows(path: Path) -> list[Row]:
    """The rows of a file of recorded calls.

    Raises:
        InputError: The file cannot be read, or a line is no such row.
    """
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"recorded calls {str(path)!r} cannot be read ({error}); "
            "name a file of JSON lines: recorded:FILE or recorded:FILE?model=NAME"
        ) from error
    return [_row(path, number, line) for number, line in enumerate(lines, 1) if line.strip()]


def _row(path: Path, number: int, line: str) -> Row:
    try:
        fields = json_value(line)
        row = Row(
            line=number,
            domain=fields["domain"],
            task_index=fields["task_index"],
            predicted=tuple(fields["predicted"]),
            error=fields.get("error") or "",
            model=fields.get("model") or "",
            tool_selection=fields.get("tool_selection") or "",
        )
        texts = (row.domain, row.error, row.model, row.tool_selection, *row.predicted)
        if isinstance(row.task_index, int) and all(isinstance(text, str) for text in texts):
            return row
        problem = "task_index must be a number, everything else and each of predicted a text"
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        problem = f"{type(error).__name__}: {error}"
    raise InputError(
        f"{path}:{number}: no row of recorded calls ({problem}); "
        "each line is an object with domain, task_index, predicted (call strings) and error"
    )


def _split(argument: str) -> tuple[Path, dict[str, str]]:
    """File and filters of the model's argument."""
    if not argument:
        raise InputError("model 'recorded' needs a file: recorded:FILE or recorded:FILE?model=NAME")
    name, _, query = argument.rpartition("?") if "?" in argument else (argument, "", "")
    wanted = dict(parse_qsl(query, keep_blank_values=True))
    for key in wanted:
        if key not in FILTERS:
            raise InputError(
                f"recorded:{argument}: rows cannot be chosen by {key!r}; "
                f"{nearest(key, list(FILTERS))}"
            )
    return Path(name), wanted


def _fits(row: Row, wanted: Mapping[str, str]) -> bool:
    return all(getattr(row, key) == value for key, value in wanted.items())


def _said(wanted: Mapping[str, str]) -> str:
    return " and ".join(f"{key}={value!r}" for key, value in wanted.items()) or "recorded calls"


def _runs(rows: Sequence[Row]) -> str:
    runs = sorted({(row.model, row.tool_selection) for row in rows})
    named = ", ".join(f"model={model}&tool_selection={chosen}" for model, chosen in runs)
    return f"the file holds: {named or 'no rows'}"


def _asked(messages: Sequence[Message]) -> bool:
    """Whether calls were asked for since the user last spoke."""
    last = max((place for place, m in enumerate(messages) if m.role == "user"), default=-1)
    return any(message.tool_calls for message in messages[last + 1 :])
