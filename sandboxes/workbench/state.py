"""The tables of one run: what the tools change, and the record of it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from sandboxes.workbench.tables import Table
from tracer.records import Change


class State:
    """The tables of one run, and what has changed in them.

    Args:
        originals: Table name to the table that every task begins with.
        mode: Grading mode: in `official` the tools have the published faults, in the others not.
    """

    def __init__(self, originals: Mapping[str, Table], mode: str = "official") -> None:
        self.mode = mode
        self.mended = mode != "official"
        self.calls = 0
        """Calls since the last reset."""
        self.numbers: set[str] = set()
        """Columns of texts that a read has turned into numbers; only later reads show it."""
        self._originals = originals
        self._tables = dict(originals)
        self._changes: list[Change] = []

    def reset(self) -> None:
        """Back to the originals; nothing is copied."""
        self._tables = dict(self._originals)
        self._changes.clear()
        self.numbers.clear()
        self.calls = 0

    def table(self, name: str) -> Table:
        """The table as it is now."""
        return self._tables[name]

    def put(self, table: Table, *changes: Change) -> None:
        """Put a changed table in its place and note what changed."""
        self._tables[table.spec.name] = table
        self._changes.extend(changes)

    def take_changes(self) -> tuple[Change, ...]:
        """The changes since the last time this was asked, in order."""
        taken = tuple(self._changes)
        self._changes.clear()
        return taken

    def digest(self) -> str:
        """Digest of all tables; equal digests, equal states."""
        whole = hashlib.sha256()
        for name in sorted(self._tables):
            whole.update(self._tables[name].digest)
        return whole.hexdigest()

    def same_as(self, other: State) -> bool:
        """Whether the compared tables hold the same by the published rules."""
        return all(mine.same_as(theirs) for mine, theirs in self.compared_with(other))

    def exactly(self, other: State) -> bool:
        """Whether the compared tables are equal, case and times included."""
        return all(
            mine is theirs or mine.digest == theirs.digest
            for mine, theirs in self.compared_with(other)
        )

    def compared_with(self, other: State) -> list[tuple[Table, Table]]:
        """The tables of both states that are graded, side by side."""
        return [
            (table, other.table(name))
            for name, table in self._tables.items()
            if table.spec.compared
        ]
