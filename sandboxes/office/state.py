"""The state that tools change: rows over an untouched base, copied when first written."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from sandboxes.office.mails import Mail, file_id
from sandboxes.office.world import Office
from tracer.records import Change, Json

Row = Mapping[str, Json]
Over: TypeAlias = dict[str, dict[str, Row | None]]
"""Table to id to the row that stands in place of the base's; None where a row was taken away."""
_NEW_PREFIX = {"mail": "m-n", "event": "e-", "todo": "d-"}


class State:
    """Mails, events, to-dos and files as they stand now.

    Args:
        office: The world; its rows are shared by all states and never written.
    """

    def __init__(self, office: Office) -> None:
        self.office = office
        self._base = _base_rows(office)
        self._over: Over = {}
        self._changes: list[Change] = []
        self.reset()

    def reset(self) -> None:
        """Forget every change."""
        self._over = {table: {} for table in self._base}
        self._changes = []

    def get(self, table: str, row_id: str) -> Row | None:
        """The row as it stands now, None when there is none."""
        return self._over[table].get(row_id, self._base[table].get(row_id))

    def rows(self, table: str) -> Iterator[Row]:
        """All rows: those of the base in their order, then the new ones."""
        over, base = self._over[table], self._base[table]
        for row_id, row in base.items():
            now = over.get(row_id, row)
            if now is not None:
                yield now
        for row_id, new in over.items():
            if row_id not in base and new is not None:
                yield new

    def add(self, table: str, fields: Mapping[str, Json]) -> str:
        """Add a row under the next free id of the table, which is given back."""
        base, over = self._base[table], self._over[table]
        count = sum(row_id not in base for row_id in over) + 1
        number = f"{count:03d}" if table == "mail" else f"{len(base) + count:02d}"
        row_id = _NEW_PREFIX[table] + number
        row = {"id": row_id, **fields}
        over[row_id] = row
        self._changes.append(Change("add", table, row_id, None, row))
        return row_id

    def remove(self, table: str, row_id: str) -> None:
        """Take away a row that is there; its id is not given out again."""
        before = self.get(table, row_id)
        assert before is not None
        self._over[table][row_id] = None
        self._changes.append(Change("remove", table, row_id, before, None))

    def update(self, table: str, row_id: str, fields: Mapping[str, Json]) -> dict[str, Json]:
        """Write fields of a row that is there; what really changed is given back."""
        before = self.get(table, row_id)
        assert before is not None
        changed = {k: v for k, v in fields.items() if before[k] != v}
        if not changed:
            return {}
        after = {**before, **changed}
        if after == self._base[table].get(row_id):
            del self._over[table][row_id]
        else:
            self._over[table][row_id] = after
        old = {name: before[name] for name in changed}
        self._changes.append(Change("replace", table, row_id, old, changed))
        return changed

    def take_changes(self) -> tuple[Change, ...]:
        """The changes since the last time this was asked, in order."""
        taken, self._changes = tuple(self._changes), []
        return taken

    def snapshot(self) -> Over:
        """What differs from the untouched world by now, to be handed to `difference` later."""
        return {table: dict(over) for table, over in self._over.items()}

    def difference(self, since: Over | None = None) -> tuple[Change, ...]:
        """What differs from the untouched world, or from a snapshot, one change a row."""
        found = []
        for table, over in self._over.items():
            old = since[table] if since else {}
            for row_id in dict.fromkeys((*over, *old)):
                base = self._base[table].get(row_id)
                before = old.get(row_id, base)
                row = over.get(row_id, base)
                change = _change(table, row_id, before, row)
                if change is not None:
                    found.append(change)
        return tuple(found)

    def digest(self) -> str:
        """Digest of the whole state; equal digests, equal states."""
        text = json.dumps(self._over, sort_keys=True)
        return hashlib.sha256(f"{self.office.digest}\n{text}".encode()).hexdigest()


def _change(table: str, row_id: str, before: Row | None, row: Row | None) -> Change | None:
    if before is None or row is None:
        if before is row:
            return None
        return Change("add" if before is None else "remove", table, row_id, before, row)
    names = [name for name in row if row[name] != before[name]]
    if not names:
        return None
    old, new = ({name: each[name] for name in names} for each in (before, row))
    return Change("replace", table, row_id, old, new)


@functools.cache
def _base_rows(office: Office) -> Mapping[str, Mapping[str, Row]]:
    return {
        "mail": {mail.id: _mail_row(office, mail) for mail in office.mails.values()},
        "event": {row["id"]: _without_key(row) for row in office.events.values()},
        "todo": {
            row["id"]: _without_key(row) | {"source": _mail_of(office, row["source"])}
            for row in office.todos.values()
        },
        "file": {
            row["id"]: _without_key(row) | {"mail": _mail_of(office, row["mail"])}
            for row in office.files.values()
        },
    }


def _mail_row(office: Office, mail: Mail) -> Row:
    linked = {key: office.mails[key].id for key in (mail.answers, mail.forwards) if key}
    return {
        "id": mail.id,
        "thread": mail.thread,
        "date": mail.date,
        "from": mail.sender,
        "to": list(mail.to),
        "cc": list(mail.cc),
        "subject": mail.subject,
        "kind": mail.kind,
        "folder": mail.folder,
        "read": mail.read,
        "flagged": mail.flagged,
        "answers": linked.get(mail.answers or ""),
        "forwards": linked.get(mail.forwards or ""),
        "attachments": [{"id": file_id(name), "name": name} for name in mail.attachments],
        "body": mail.body,
        "quoted": mail.quoted,
    }


def _without_key(row: Mapping[str, Json]) -> dict[str, Json]:
    return {name: value for name, value in row.items() if name != "key"}


def _mail_of(office: Office, key: str | None) -> str | None:
    return office.mails[key].id if key else None
