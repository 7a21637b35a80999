"""Tables as Markdown, for pull requests and notes."""

from __future__ import annotations

import re
from collections.abc import Iterable

from analyzers.report.grid import Column, Grid
from analyzers.report.tables import Report

_SIGNS = re.compile(r"[\\`*|~]|(?<!\w)_|_(?!\w)|\](?=[(\[:])|^#")


def render_markdown(report: Report) -> str:
    """One report as a section with its tables, sentences and footnotes."""
    lines = [f"## {escaped(report.header[0])}", ""]
    lines += [f"{escaped(line)}  " for line in report.header[1:]]
    for grid in report.grids:
        lines += _section(grid)
    if report.verdicts:
        lines += ["", *(f"- {escaped(line)}" for line in report.verdicts)]
    lines.append("")
    lines += [f"{escaped(line)}  " for line in (*report.footnotes, *report.footer)]
    lines += ["", *(f"next: `{line.replace('`', '')}`  " for line in report.next)]
    return "\n".join(lines).strip("\n") + "\n"


def render_grids(grids: Iterable[Grid]) -> str:
    """Tables alone, each a section."""
    lines = [line for grid in grids for line in _section(grid)]
    return "\n".join(lines).strip("\n") + "\n"


def _section(grid: Grid) -> Iterable[str]:
    aside = f" ({grid.aside})" if grid.aside else ""
    yield from ("", f"### {escaped(grid.title + aside)}", "", *_table(grid), "")
    yield from (f"{escaped(line)}  " for line in grid.below)


def escaped(text: str) -> str:
    r"""Text that Markdown shows as it is; an underscore inside a word needs no help.

    Example:
        >>> escaped("a|b *c* <i> call_f1 [x](y)")
        'a\\|b \\*c\\* &lt;i> call_f1 [x\\](y)'
    """
    text = _SIGNS.sub(r"\\\g<0>", text)
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _table(grid: Grid) -> Iterable[str]:
    if not grid.columns:
        return
    yield _row(escaped(column.title) for column in grid.columns)
    yield _row(":--" if column.left else "--:" for column in grid.columns)
    for number in range(grid.rows):
        yield _row(escaped(_cell(column, number)) for column in grid.columns)


def _cell(column: Column, number: int) -> str:
    mark = column.marks[number] if column.marks else ""
    return " ".join(f"{column.cells[number]} {mark}".split())


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"
