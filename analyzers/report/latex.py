"""Tables as LaTeX, for papers; they need the package `booktabs`."""

from __future__ import annotations

import re
from collections.abc import Iterable

from analyzers.report.grid import Column, Grid
from analyzers.report.tables import Report

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "\u2013": "--",
    "\u00b7": r"\textperiodcentered{}",
    "\u2026": r"\ldots{}",
}
_NEGATIVE = re.compile(r"(?<![\w.])-(?=\d)")


def render_latex(report: Report) -> str:
    """One report: a table environment a grid, footnotes and method in comments and captions."""
    lines = [f"% {line}" for line in report.header]
    for grid in report.grids:
        lines += ["", *latex_table(grid, report.subject.suite)]
    lines += ["", *(f"% {_one_line(line)}" for line in (*report.footnotes, *report.footer))]
    return "\n".join(lines) + "\n"


def latex_table(grid: Grid, label: str = "") -> Iterable[str]:
    """The lines of one table."""
    if not grid.columns:
        return
    aside = f" ({grid.aside})" if grid.aside else ""
    name = re.sub(r"[^A-Za-z0-9]+", "-", f"{label}-{grid.key}").strip("-")
    yield r"\begin{table}"
    yield r"\centering"
    yield rf"\caption{{{escaped(grid.title + aside)}}}"
    yield rf"\label{{tab:{name}}}"
    yield rf"\begin{{tabular}}{{{''.join('l' if c.left else 'r' for c in grid.columns)}}}"
    yield r"\toprule"
    yield _row(escaped(column.title) for column in grid.columns)
    yield r"\midrule"
    for number in range(grid.rows):
        yield _row(_cell(column, number) for column in grid.columns)
    yield r"\bottomrule"
    yield r"\end{tabular}"
    for line in grid.below:
        yield rf"\\ {{\footnotesize {escaped(line)}}}"
    yield r"\end{table}"


def escaped(text: str) -> str:
    r"""Text that LaTeX prints as it is.

    Example:
        >>> escaped("call_f1 < 5 %")
        'call\\_f1 \\textless{} 5 \\%'
    """
    return "".join(_SPECIAL.get(character, character) for character in text)


def _cell(column: Column, number: int) -> str:
    text = escaped(column.cells[number])
    if not column.left:
        text = _NEGATIVE.sub("\u2212", text)
    mark = escaped(column.marks[number]) if column.marks else ""
    return text + (rf"\rlap{{ {mark}}}" if mark else "")


def _row(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def _one_line(text: str) -> str:
    return " ".join(text.split())
