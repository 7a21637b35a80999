"""What commands write: results to stdout, progress and notes to stderr, no markup from data."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from functools import cache

from rich.console import Console
from rich.text import Text

from stagetrace import settings
from tracer.limits import whole_number
from tracer.printable import printable
from tracer.records import Json


@cache
def out() -> Console:
    """The console of results."""
    return _console(stderr=False)


@cache
def err() -> Console:
    """The console of progress, notes and errors."""
    return _console(stderr=True)


def _console(*, stderr: bool) -> Console:
    variables = settings.terminal()
    stream = sys.stderr if stderr else sys.stdout
    plain = "NO_COLOR" in variables or variables.get("TERM") == "dumb"
    return Console(
        stderr=stderr,
        markup=False,
        emoji=False,
        highlight=False,
        no_color=plain,
        force_terminal=True if "FORCE_COLOR" in variables else None,
        width=width() if not stream.isatty() else None,
        legacy_windows=False,
    )


def width() -> int:
    """Columns to lay tables out for: `COLUMNS`, else 80; a terminal knows its own."""
    return whole_number(settings.terminal().get("COLUMNS", "")) or 80


def unicode_ok() -> bool:
    """Whether stdout can write the marks and bars that are not ASCII."""
    encoding = sys.stdout.encoding or "ascii"
    try:
        "█├·\u2013⏎".encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def say(text: str = "") -> None:
    """Write one result line; text from data passes through `printable` first."""
    out().print(Text(text), soft_wrap=True)


def note(text: str) -> None:
    """Write one line for the person who waits; not part of the result."""
    err().print(Text(text), soft_wrap=True)


def ask(text: str) -> str:
    """The line that a person types after a prompt; the prompt is no part of the result.

    Raises:
        EOFError: The input is closed.
    """
    err().print(Text(text), end="", soft_wrap=True)
    return input()


def fail(text: str) -> None:
    """Write the one line of an error."""
    note("stagetrace: " + printable(text))


def say_json(document: Json) -> None:
    """Write one JSON document, strict, and nothing else."""
    sys.stdout.write(json.dumps(document, ensure_ascii=True, allow_nan=False, indent=1) + "\n")


def columns(rows: Sequence[Mapping[str, str]], heads: Mapping[str, str]) -> list[str]:
    """Lines of a plain table: left-aligned columns, two blanks apart, nothing cut.

    Args:
        rows: One mapping a row, from column key to text.
        heads: Column key to heading, in order.
    """
    widths = {
        key: max(len(head), *(len(row.get(key, "")) for row in rows), 0)
        for key, head in heads.items()
    }

    def line(cells: Mapping[str, str]) -> str:
        return "  ".join(cells.get(key, "").ljust(widths[key]) for key in heads).rstrip()

    return [line(heads), *(line(row) for row in rows)]
