"""A table before it is laid out: columns of finished texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Tone: TypeAlias = Literal["", "worse", "better"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column; texts are rounded already and are never cut afterwards."""

    head: tuple[str, ...]
    """One or two lines."""
    cells: tuple[str, ...]
    marks: tuple[str, ...] = ()
    """What stands behind each cell: significance and footnote letters."""
    tones: tuple[Tone, ...] = ()
    left: bool = False
    """Text stands left, numbers right."""
    leaves: int = 0
    """Order in which columns leave a narrow terminal; 0 stays."""
    wide: bool = False
    """Shown from 120 columns on only, and not missed below."""
    name: str = ""
    """How a column that left is named; the head by default."""

    @property
    def title(self) -> str:
        """The heading in one line."""
        return self.name or " ".join(self.head).strip()


@dataclass(frozen=True, slots=True)
class Grid:
    """One table with what stands above and below it."""

    key: str
    """Stable name: `overview`, a metric, or `metric by label`."""
    title: str
    columns: tuple[Column, ...]
    aside: str = ""
    """Stands right of the title."""
    below: tuple[str, ...] = ()
    panels: bool = False
    """Columns that do not fit go on below instead of leaving; the first two are repeated."""

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.columns[0].cells) if self.columns else 0


class Footnotes:
    """Letters for remarks, the same letter for the same words."""

    def __init__(self) -> None:
        self._letters: dict[str, str] = {}

    def letter(self, words: str) -> str:
        """The letter of a remark, `a` to `z`, then `aa`."""
        if words not in self._letters:
            self._letters[words] = _letters(len(self._letters))
        return self._letters[words]

    def lines(self) -> tuple[str, ...]:
        """All remarks with their letters, in order of first use."""
        return tuple(f"{letter}  {words}" for words, letter in self._letters.items())


def _letters(number: int) -> str:
    name = ""
    while True:
        name = chr(ord("a") + number % 26) + name
        number = number // 26 - 1
        if number < 0:
            return name
