"""Pieces of traces as text: shared by the tree of one trace and the comparison of two."""

from __future__ import annotations

import json
from dataclasses import dataclass

from tracer.printable import printable
from tracer.records import Json, Trace

VALUE_LETTERS = 60
ANSWER_LETTERS = 300


@dataclass(frozen=True, slots=True)
class View:
    """How traces are laid out."""

    width: int = 80
    unicode: bool = True
    full: bool = False
    """Show long values whole."""


def verdict_of(trace: Trace) -> str:
    """What the grader says of a run, and how long it took."""
    seconds = "" if trace.ended_ns is None else f"{(trace.ended_ns - trace.started_ns) / 1e9:.2f} s"
    outcome = trace.outcome
    if outcome is None:
        return f"not graded  {seconds}".rstrip()
    verdict = outcome.success if outcome.success is not None else outcome.answer_correct
    name = "success" if outcome.success is not None else "answer"
    said = "not graded" if verdict is None else ("yes" if verdict else "no")
    return f"{name} {said}  {seconds}".rstrip()


def compact(value: Json) -> str:
    """A value as one line of JSON."""
    return json.dumps(value, ensure_ascii=False, default=str)


def cut(text: str, view: View, letters: int = VALUE_LETTERS) -> str:
    """The text made safe and cut, with the number of characters left out; whole in a full view."""
    shown = printable(text)
    if view.full or len(shown) <= letters:
        return shown
    mark = "\u2026" if view.unicode else "..."
    return f"{shown[:letters]}{mark} ({len(shown) - letters:,} more characters)"
