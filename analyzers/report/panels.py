"""Tables of analyses, laid out as all other tables are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from analyzers.panel import Field, Line, Panel
from analyzers.report.csv_text import Value, csv_of
from analyzers.report.grid import Column, Grid
from analyzers.report.names import shown_name
from analyzers.report.numbers import DASH, change, count, interval, level, probability
from tracer.printable import printable
from tracer.records import Json

_LEAVES = {"base": 1, "p": 2, "variant": 3, "n": 4}
"""Order in which columns leave a narrow terminal."""


def panel_grid(panel: Panel) -> Grid:
    """The panel as finished texts."""
    return Grid(
        panel.name,
        panel.title,
        tuple(_column(panel, field) for field in panel.fields),
        below=panel.notes,
        panels=sum(field.form == "change" for field in panel.fields) > 1,
    )


def panel_document(panels: Iterable[Panel]) -> list[dict[str, Json]]:
    """The panels with full-precision values, for JSON."""
    return [
        {
            "analysis": panel.name,
            "title": panel.title,
            "lines": [dict(line) for line in panel.lines],
            "notes": list(panel.notes),
        }
        for panel in panels
    ]


def panels_csv(panels: Sequence[Panel]) -> str:
    """One line a line of any panel; columns that a panel lacks are empty."""
    keys = list(dict.fromkeys(key for panel in panels for line in panel.lines for key in line))
    lines: list[list[Value]] = [["analysis", "title", *keys]]
    for panel in panels:
        for line in panel.lines:
            values = [line.get(key) for key in keys]
            lines.append([panel.name, panel.title, *(_plain(value) for value in values)])
    return csv_of(lines)


def _plain(value: Json) -> Value:
    return value if value is None or isinstance(value, str | int | float) else str(value)


def _column(panel: Panel, field: Field) -> Column:
    texts = tuple(_text(line, field, panel.lines) for line in panel.lines)
    return Column(
        (field.head,),
        texts,
        left=field.form == "text",
        leaves=_LEAVES.get(field.key, 0),
        name=field.head or field.key,
    )


def _text(line: Line, field: Field, lines: Sequence[Line]) -> str:
    value, unit = line.get(field.key), str(line.get("unit", "share"))
    if field.form == "text":
        text = "" if value is None else str(value)
        return shown_name(text) if field.key == "condition" else printable(text)
    if value is None:
        return DASH
    if field.form == "interval":
        ends = [
            level(end, str(one.get("unit", "share")))
            for one in lines
            for end in (one.get(field.key), one.get(f"{field.key}_high"))
            if end is not None
        ]
        return interval(value, line.get(f"{field.key}_high"), unit, max(map(len, ends)))
    if field.form == "level":
        return level(value, unit)
    if field.form == "change":
        return change(value, unit)
    if field.form == "p":
        return probability(value)
    if field.form == "count":
        return count(int(value))
    if field.form == "percent":
        return change(value / 100)
    return f"{value:.2f}"
