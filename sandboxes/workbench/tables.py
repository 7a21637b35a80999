"""Tables as the tools see them: rows with labels, shared between states and never changed."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from sandboxes.data import folder_of
from sandboxes.workbench.files import MISSING, read_rows
from sandboxes.workbench.moments import as_text
from tracer.records import Json

CASED = frozenset({"status", "list_name", "board"})
"""Columns whose case counts when end states are compared.

Source:
    WorkBench at 42f1b6d, `src/evals/utils.py`.
"""


@dataclass(frozen=True, slots=True)
class TableSpec:
    """What a table holds and which file it begins as."""

    name: str
    """As in changes, such as `email`."""
    file: str
    """Path inside the data folder; empty for a table that begins empty."""
    key: str
    """Column that names a row."""
    columns: tuple[str, ...]
    header: bool = True
    compared: bool = True
    """Whether the table is part of the end state that is graded."""
    key_is_id: bool = True
    """Whether the key is made up when a row is added; else it is what the row says."""
    booleans: tuple[str, ...] = ()
    """Columns of the file that hold True or False."""

    def read(self, column: str, text: str) -> Json:
        """A field of the file as the published code reads it."""
        if text in MISSING:
            return None
        return text == "True" if column in self.booleans else text


class Entry(NamedTuple):
    """A row with its label.

    Labels are what the published data frames call their index: they keep gaps after deletions, need
    not be unique, and decide which row a new one overwrites.
    """

    label: int
    values: tuple[Json, ...]
    digest: bytes


def entry(label: int, values: tuple[Json, ...]) -> Entry:
    """A row with its label and the digest of both."""
    return Entry(label, values, hashlib.sha256(repr((label, values)).encode()).digest()[:16])


@dataclass(frozen=True)
class Table:
    """A table at one moment; a change makes another table that shares the untouched rows."""

    spec: TableSpec
    columns: tuple[str, ...]
    entries: tuple[Entry, ...]
    first_new: int = 0
    """Lowest label that no row of the file has: what is at or above it was added in the run."""
    highest_id: int = -1
    """Highest number that a row's id was ever given; -1 where ids are no numbers."""

    def record(self, row: Entry) -> dict[str, Json]:
        """The row as column to value, as JSON: times as text."""
        return {
            column: as_text(value) for column, value in zip(self.columns, row.values, strict=True)
        }

    def rows_of(self, key: Json) -> list[Entry]:
        """The rows with an id; ids are unique until a run writes into that column.

        Raises:
            ValueError: The id is an array, which the published code cannot compare with a column.
        """
        if isinstance(key, list | tuple):
            raise ValueError(f"{self.spec.key} must be one id, not an array of {len(key)}")
        place = self.position(self.spec.key)
        return [row for row in self.entries if row.values[place] == key]

    def position(self, column: str) -> int:
        """Where a column's value stands in a row."""
        return self.columns.index(column)

    def key_of(self, row: Entry) -> str:
        """The row's id."""
        return str(row.values[self.position(self.spec.key)])

    def without(self, gone: Iterable[Entry]) -> Table:
        """The table without some of its rows; the others keep their labels."""
        dropped = {id(row) for row in gone}
        kept = tuple(row for row in self.entries if id(row) not in dropped)
        return replace(self, entries=kept)

    def with_row(self, label: int, values: tuple[Json, ...]) -> tuple[Table, Entry | None]:
        """The table with a row at `label`, and the row that it overwrote there, if any."""
        new = entry(label, values)
        for place, row in enumerate(self.entries):
            if row.label == label:
                entries = (*self.entries[:place], new, *self.entries[place + 1 :])
                return replace(self, entries=entries), row
        return replace(self, entries=(*self.entries, new)), None

    def with_row_at_end(self, label: int, values: tuple[Json, ...]) -> Table:
        """The table with a row at its end, whatever other rows have its label."""
        return replace(self, entries=(*self.entries, entry(label, values)))

    def renumbered(self) -> Table:
        """The table with its rows labelled from 0 in order, without gaps."""
        entries = tuple(
            row if row.label == place else entry(place, row.values)
            for place, row in enumerate(self.entries)
        )
        return replace(self, entries=entries)

    def with_new(self, values: tuple[Json, ...], number: int) -> Table:
        """The table with a row at its end, under a label of its own and an id never used before."""
        label = max([self.first_new - 1, *(row.label for row in self.entries)]) + 1
        added = (*self.entries, entry(label, values))
        return replace(self, entries=added, highest_id=max(number, self.highest_id))

    def with_values(self, rows: Iterable[Entry], column: str, value: Json) -> Table:
        """The table with `value` in a column of some rows.

        A column that is not there is added. The others then hold the text `nan`, cut to the length
        of the value; missing when that is no text.

        Source:
            pandas 2.1.4, which makes the column from an array of texts of that length.
        """
        written = {id(row) for row in rows}
        if column in self.columns:
            place = self.position(column)
            entries = tuple(
                entry(row.label, (*row.values[:place], value, *row.values[place + 1 :]))
                if id(row) in written
                else row
                for row in self.entries
            )
            return replace(self, entries=entries)
        filler = "nan"[: len(value)] if isinstance(value, str) else None
        entries = tuple(
            entry(row.label, (*row.values, value if id(row) in written else filler))
            for row in self.entries
        )
        return replace(self, columns=(*self.columns, column), entries=entries)

    @cached_property
    def digest(self) -> bytes:
        """Digest of columns, labels, values and their order."""
        whole = hashlib.sha256(repr((self.spec.name, self.columns)).encode())
        whole.update(b"".join(row.digest for row in self.entries))
        return whole.digest()

    def same_as(self, other: Table) -> bool:
        """Whether both hold the same, letting case pass and times count as missing.

        Labels, their order, the columns and all texts must agree; a value that is no text equals
        any other such value, which is how the time of a sent mail falls out of the comparison.

        Source:
            WorkBench at 42f1b6d, `src/evals/utils.py`: text columns lower-cased, compared whole.
        """
        if self is other:
            return True
        if self.columns != other.columns or len(self.entries) != len(other.entries):
            return False
        return all(
            mine is theirs
            or (mine.label == theirs.label and self._folded(mine) == other._folded(theirs))
            for mine, theirs in zip(self.entries, other.entries, strict=True)
        )

    def _folded(self, row: Entry) -> list[Json]:
        return [
            value if column in CASED else value.lower() if isinstance(value, str) else None
            for column, value in zip(self.columns, row.values, strict=True)
        ]

    def same_rows(self, other: Table, *, ids: str, fold: bool = True) -> bool:
        """Whether both hold the same rows in any order.

        Args:
            other: The table to compare with.
            ids: `all` to compare every id; `old` to let those of new rows pass, which only says in
                what order they were made. Rows of the file then count under their label.
            fold: Whether case passes, and both spellings of a line break are one: requests of the
                2024 data hold backslash and n where their answers hold a line break.
        """
        if self is other:
            return True
        if self.columns != other.columns or len(self.entries) != len(other.entries):
            return False
        shared = {id(row) for row in self.entries} & {id(row) for row in other.entries}
        mine, theirs = (
            Counter(
                table._comparable(row, ids=ids, fold=fold)
                for row in table.entries
                if id(row) not in shared
            )
            for table in (self, other)
        )
        return mine == theirs

    def _comparable(self, row: Entry, *, ids: str, fold: bool) -> tuple[str, ...]:
        is_new = row.label >= self.first_new
        skipped = self.spec.key if ids == "old" and is_new and self.spec.key_is_id else None
        values = tuple(
            _comparable(value, fold=fold, cased=column in CASED)
            for column, value in zip(self.columns, row.values, strict=True)
            if column != skipped
        )
        return values if ids == "all" else (str(min(row.label, self.first_new)), *values)


def _comparable(value: Json, *, fold: bool, cased: bool) -> str:
    text = as_text(value)
    if not isinstance(text, str):
        return f"\0{text!r}"
    if not fold:
        return text
    broken = text.replace("\n", "\\n")
    return broken if cased else broken.lower()


def _path(folder: Path, file: str) -> Path:
    part, _, name = file.partition("/")
    return folder_of(folder, "workbench", part) / name


def load_table(spec: TableSpec, folder: Path) -> Table:
    """The table as it stands in its file, labelled from 0.

    Raises:
        DataMissingError: The file is absent or has other columns.
    """
    if not spec.file:
        return Table(spec, spec.columns, ())
    rows = read_rows(_path(folder, spec.file), spec.columns, header=spec.header)
    entries = tuple(
        entry(
            label,
            tuple(spec.read(column, text) for column, text in zip(spec.columns, row, strict=True)),
        )
        for label, row in enumerate(rows)
    )
    place = spec.columns.index(spec.key)
    numbers = [int(row[place]) for row in rows if row[place].isdecimal()]
    return Table(spec, spec.columns, entries, len(entries), max(numbers, default=-1))
