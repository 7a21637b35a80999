"""Tables on a terminal: laid out by us, so that no number is ever cut or wrapped."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from analyzers.report.grid import Column, Grid
from analyzers.report.tables import Report

if TYPE_CHECKING:
    from rich.text import Text

WIDE = 120
GAP = 2
_STYLES = {"worse": "yellow", "better": "blue", "": ""}
_TWINS = {"\u2013": "n/a", "·": ".", "…": "...", "⏎": "\\n", "\u2212": "-"}


def render(report: Report, *, width: int = 80, unicode: bool = True) -> list[Text]:
    """The lines of a report.

    Args:
        report: Finished tables.
        width: Columns of the terminal; a line of text is wrapped at it, a table leaves columns out.
        unicode: False writes ASCII twins of all marks.
    """
    from rich.text import Text

    def prose(lines: Iterable[str]) -> list[Text]:
        return [Text(line) for text in lines for line in _wrapped(plain(text), width)]

    def plain(text: str) -> str:
        return text if unicode else ascii_twin(text)

    out = prose(report.header)
    for grid in report.grids:
        out.append(Text(""))
        out += grid_lines(_plain_grid(grid) if not unicode else grid, width)
        out += prose(grid.below)
    for block in (report.verdicts, [*report.footnotes, *report.footer]):
        if block:
            out.append(Text(""))
            out += prose(block)
    # A command is never wrapped: it is there to be pasted.
    return out + [Text(plain(f"next: {command}")) for command in report.next]


def render_grid(grid: Grid, *, width: int = 80, unicode: bool = True) -> list[Text]:
    """The lines of one table alone."""
    from rich.text import Text

    lines = grid_lines(grid if unicode else _plain_grid(grid), width)
    below = (words if unicode else ascii_twin(words) for words in grid.below)
    return lines + [Text(line) for words in below for line in _wrapped(words, width)]


def ascii_twin(text: str) -> str:
    """The text in ASCII: marks have twins, anything else is escaped.

    Example:
        >>> ascii_twin("office · strict")
        'office . strict'
    """
    for sign, twin in _TWINS.items():
        text = text.replace(sign, twin)
    return text.encode("ascii", "backslashreplace").decode("ascii")


def grid_lines(grid: Grid, width: int) -> list[Text]:
    """Title, heads and rows of one table within `width`, and what was left out."""
    columns = [column for column in grid.columns if width >= WIDE or not column.wide]
    if grid.panels:
        panels = _panels(columns, width)
        lines = _panel(grid.title, "", panels[0], width)
        for panel in panels[1:]:
            lines += _panel("", "", panel, width)
        return lines
    kept, hidden = _fitting(columns, width)
    lines = _panel(grid.title, grid.aside, kept, width)
    if hidden:
        from rich.text import Text

        many = "1 column" if len(hidden) == 1 else f"{len(hidden)} columns"
        names = ", ".join(column.title for column in hidden)
        words = f"{many} hidden, wider than {width}: {names}"
        lines += [Text(line) for line in _wrapped(words, width)]
    return lines


def _fitting(columns: Sequence[Column], width: int) -> tuple[list[Column], list[Column]]:
    """The columns that fit, and those that left, in the order in which they left."""
    kept = list(columns)
    hidden: list[Column] = []
    leaving = sorted((c for c in columns if c.leaves), key=lambda c: c.leaves)
    wide = [c for c in columns if c.wide]
    for column in [*reversed(wide), *leaving]:
        if _total(kept) <= width:
            break
        kept.remove(column)
        hidden.append(column)
    if kept and _total(kept) > width:
        kept[0] = _shorter(kept[0], _total(kept) - width)
    return kept, hidden


def _shorter(column: Column, by: int) -> Column:
    """The column with its texts cut, which only names ever are; numbers stand further right."""
    most = max(8, _widths(column)[0] - by)
    cells = (text if len(text) <= most else text[: most - 2] + ".." for text in column.cells)
    return replace(column, cells=tuple(cells))


def _panels(columns: Sequence[Column], width: int) -> list[list[Column]]:
    """Columns in as many panels as are needed, each with the naming columns in front."""
    naming = [column for column in columns if column.left]
    panels = [list(naming)]
    for column in columns:
        if column.left:
            continue
        if len(panels[-1]) > len(naming) and _total([*panels[-1], column]) > width:
            panels.append(list(naming))
        panels[-1].append(column)
    return panels


def _total(columns: Sequence[Column]) -> int:
    return sum(sum(_widths(column)) for column in columns) + GAP * (len(columns) - 1)


def _widths(column: Column) -> tuple[int, int]:
    """Width of the cells and, with its blank, of the marks behind them."""
    from rich.cells import cell_len

    cells = max((cell_len(text) for text in (*column.head, *column.cells)), default=0)
    marks = max((cell_len(mark) for mark in column.marks), default=0)
    return cells, marks + 1 if marks else 0


def _panel(title: str, aside: str, columns: Sequence[Column], width: int) -> list[Text]:
    from rich.text import Text

    lines: list[Text] = []
    total = _total(columns)
    heads = max((len(column.head) for column in columns), default=0)
    head_lines = [
        _line([_padded(column, _head(column, line, heads), "") for column in columns])
        for line in range(heads)
    ]
    if title:
        gap = max(3, total - len(title) - len(aside))
        if not aside or len(title) + gap + len(aside) > width:
            lines += [Text(text) for text in (title, aside) if text]
        else:
            lines.append(Text(title + " " * gap + aside))
    lines += [line for line in head_lines if line.plain.strip()]
    for row in range(len(columns[0].cells) if columns else 0):
        cells = []
        for column in columns:
            mark = column.marks[row] if column.marks else ""
            text = _padded(column, column.cells[row], mark)
            if column.tones:
                text.stylize(_STYLES[column.tones[row]])
            cells.append(text)
        lines.append(_line(cells))
    return lines


def _head(column: Column, line: int, heads: int) -> str:
    """A line of the heading, short ones standing at the bottom."""
    place = line - (heads - len(column.head))
    return column.head[place] if place >= 0 else ""


def _padded(column: Column, cell: str, mark: str) -> Text:
    from rich.cells import cell_len
    from rich.text import Text

    width, marks = _widths(column)
    blank = " " * (width - cell_len(cell))
    text = cell + blank if column.left else blank + cell
    tail = f" {mark}" if mark else ""
    return Text(text + tail + " " * (marks - cell_len(tail)))


def _line(cells: Sequence[Text]) -> Text:
    from rich.text import Text

    line = Text(" " * GAP).join(cells)
    line.rstrip()
    return line


def _wrapped(text: str, width: int) -> list[str]:
    indent = "   " if text[1:3] == "  " else ""
    return textwrap.wrap(
        text,
        max(width, 20),
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
        replace_whitespace=False,
        drop_whitespace=True,
    ) or [""]


def _plain_grid(grid: Grid) -> Grid:
    return replace(
        grid,
        title=ascii_twin(grid.title),
        aside=ascii_twin(grid.aside),
        columns=tuple(
            replace(
                column,
                head=tuple(map(ascii_twin, column.head)),
                cells=tuple(map(ascii_twin, column.cells)),
                marks=tuple(map(ascii_twin, column.marks)),
            )
            for column in grid.columns
        ),
    )
