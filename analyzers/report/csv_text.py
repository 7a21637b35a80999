"""Effects and levels as CSV with full-precision shares."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from analyzers.effect import Effect, Level
from analyzers.report.tables import Report

Value: TypeAlias = str | int | float | None

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
FACTS = ("suite", "assistant", "model", "retriever", "mode", "data_version", "schema_hash")
EFFECT = tuple(
    name
    for name in Effect.__dataclass_fields__
    if name not in ("suite", "reasons", "missing", "extra", "worst")
)


def render_csv(reports: Sequence[Report]) -> str:
    """One line an effect, breakdowns too; what does not exist is empty, never 0."""
    head = [*FACTS, "baseline", "label", *EFFECT, "mark"]
    return csv_of([head, *(line for report in reports for line in _lines(report))])


def csv_of(lines: Iterable[Sequence[Value]]) -> str:
    """Lines of CSV in which no text can start a formula of a spreadsheet."""
    return "".join(_csv_line(line) for line in lines)


def _csv_line(line: Sequence[Value]) -> str:
    # Before Python 3.13 a carriage return is quoted only where it is part of the line's end; bare,
    # it would begin a new line, and the rest of the text a formula.
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerow([neutral(value) for value in line])
    return out.getvalue().removesuffix("\r\n") + "\n"


def neutral(value: Value) -> Value:
    """A text that would start a formula gets an apostrophe in front; numbers stay numbers.

    Source:
        OWASP, CSV injection: = + - @ TAB CR.

    Example:
        >>> neutral("=1+1"), neutral(-0.5), neutral(None)
        ("'=1+1", -0.5, '')
    """
    if value is None:
        return ""
    if isinstance(value, str) and value.startswith(_FORMULA):
        return "'" + value
    return value


def _lines(report: Report) -> Iterable[list[Value]]:
    facts: list[Value] = [getattr(report.subject, name) for name in FACTS]
    comparison = report.comparison
    baseline = comparison.baseline
    alone = [] if comparison.effects else [_alone(found) for found in comparison.levels]
    for label, effects in (
        ("", [*comparison.effects, *alone]),
        (report.label, report.groups),
    ):
        for effect in effects:
            values: list[Value] = [getattr(effect, name) for name in EFFECT]
            yield [*facts, baseline, label, *values, effect.mark]


def _alone(found: Level) -> Effect:
    """A mean without anything to compare it with, in the columns of an effect."""
    return Effect(
        found.suite,
        found.metric,
        found.condition,
        n=found.n,
        n_undefined=found.n_undefined,
        variant=found.value,
        micro_variant=found.micro,
    )
