"""Calls made again over fresh tables, by the rules of one grading mode."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from sandboxes.workbench.calls import ParsedCall, parse, replace_newlines, tool_of
from sandboxes.workbench.state import State
from sandboxes.workbench.tables import Table
from sandboxes.workbench.toolkit import ToolSpec, tool_specs
from tracer.records import Call, Json

PLOT_TOOL = "analytics.create_plot"
_TODAY, _YESTERDAY = "2023-11-30", "2023-11-29"


@dataclass(frozen=True, slots=True)
class Attempt:
    """A call as it is made again."""

    name: str
    """Tool, as far as it can be told."""
    call: ParsedCall | None
    """None: what was asked for is no call of literals."""
    made: bool = True
    """Whether it came back in the run itself."""


@dataclass(frozen=True, slots=True)
class Replay:
    """Where calls end."""

    state: State
    failed: bool
    """Whether an action failed: a call that is unreadable, unknown or raises. Answers in words,
    such as that there is no such mail, are none; nor, but for the mode `revised`, failed reads."""


def attempts_of(texts: Iterable[str]) -> list[Attempt]:
    """The calls that published strings hold."""
    return [_read(text) for text in texts]


def attempt_of(call: Call) -> Attempt:
    """A call of a trace with its arguments as they were given, so that nothing needs escaping."""
    made = call.status not in ("error", "malformed") and call.error is None
    if call.arguments is None and call.raw is not None:
        return replace(_read(call.raw), name=call.name, made=made)
    return Attempt(call.name, ParsedCall(call.name, (), dict(call.arguments or {})), made)


def _read(text: str) -> Attempt:
    call = parse(replace_newlines(text))
    return Attempt(call.name if call else tool_of(text).strip(), call)


def replay(attempts: Sequence[Attempt], originals: Mapping[str, Table], mode: str) -> Replay:
    """The state after the calls; one that cannot be made is passed over.

    `official` takes each call as Python would. `strict` leaves out what failed in the run itself,
    such as a call of a tool that was not offered. `revised` takes keyword arguments as texts.
    """
    state = State(originals, mode)
    specs = tool_specs()
    failed = False
    for attempt in attempts:
        call, spec = attempt.call, specs.get(attempt.name)
        reads = spec is not None and not spec.writes
        if reads and mode != "revised":
            continue  # a read changes no table
        if call is None or spec is None or (mode == "strict" and not attempt.made):
            failed = True
            continue
        try:
            _make(spec, state, call, mode)
        except Exception:  # the published rule: whatever a call raises, the next one runs
            failed = True
    return Replay(state, failed)


def _make(spec: ToolSpec, state: State, call: ParsedCall, mode: str) -> None:
    if mode == "official":
        spec.call(state, *call.positional, **call.keywords)
        return
    keywords = {key: _text(value) for key, value in call.keywords.items()}
    positional = [] if mode == "revised" else [_text(value) for value in call.positional]
    spec.call(state, *positional, **keywords)


def _text(value: Json) -> Json:
    return value if value is None else str(value)


def with_yesterday(attempts: Sequence[Attempt]) -> list[Attempt]:
    """The calls with plots up to today ending yesterday, the last day that has data.

    Source:
        WorkBench at 228cbe6 (2026), `src/evals/evaluation.py`.
    """
    return [_until_yesterday(attempt) for attempt in attempts]


def _until_yesterday(attempt: Attempt) -> Attempt:
    call = attempt.call
    if call is None or call.name != PLOT_TOOL or call.keywords.get("time_max") != _TODAY:
        return attempt
    keywords = {**call.keywords, "time_max": _YESTERDAY}
    return replace(attempt, call=replace(call, keywords=keywords))
