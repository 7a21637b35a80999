"""What the tools of several domains do alike: read a field, add, change and remove rows by id."""

from __future__ import annotations

import json
from collections.abc import Mapping

from sandboxes.workbench.state import State
from sandboxes.workbench.tables import Entry, Table
from tracer.records import Change, Json


def read_field(state: State, table_name: str, what: str, key: Json, field: Json) -> Json:
    """One field of the row with an id; in the revised mode as JSON text.

    Args:
        state: The tables.
        table_name: Where to look.
        what: What a row is called in answers, such as `Event`.
        key: The id.
        field: The column.
    """
    if not key:
        return f"{what} ID not provided."
    if not field:
        return "Field not provided."
    table = state.table(table_name)
    rows = table.rows_of(key)
    if not rows:
        return f"{what} not found."
    record = table.record(rows[0])
    if field not in record:
        return "Field not found."
    found = {field: record[field]}
    return json.dumps(found) if state.mode == "revised" else found


def delete_row(state: State, table_name: str, what: str, key: Json) -> Json:
    """Take the row with an id out of its table; the other rows keep their labels."""
    if not key:
        return f"{what} ID not provided."
    table = state.table(table_name)
    rows = table.rows_of(key)
    if not rows:
        return f"{what} not found."
    state.put(table.without(rows), *(removal(table, row) for row in rows))
    return f"{what} deleted successfully."


def write_field(
    state: State, table_name: str, what: str, key: Json, field: str, value: Json
) -> Json:
    """Put a value into one field of the row with an id."""
    table = state.table(table_name)
    rows = table.rows_of(key)
    if not rows:
        return f"{what} not found."
    changed = table.with_values(rows, field, value)
    state.put(changed, *_differences(table, changed))
    return f"{what} updated successfully."


def new_id(state: State, table: Table, digits: int = 8) -> str:
    """The id of a row that is to be added.

    Published: the largest id as text, plus one, so that an id can come back after a deletion.
    Mended: a number above all that were ever used.
    """
    if state.mended:
        return str(table.highest_id + 1).zfill(digits)
    place = table.position(table.spec.key)
    return str(int(max(row.values[place] for row in table.entries)) + 1).zfill(digits)


def add_row(state: State, table: Table, record: Mapping[str, Json], *, label: int | None) -> None:
    """Put a row at the end of a table.

    Args:
        state: The tables.
        table: Where to put it.
        record: Column to value; columns that it leaves out are missing.
        label: Published label of the row; None: its rows are labelled anew in order.
    """
    values = tuple(record.get(column) for column in table.columns)
    key = str(record[table.spec.key])
    if state.mended:
        changed = table.with_new(values, int(key) if key.isdecimal() else -1)
    elif label is None:
        whole = table.renumbered()
        changed, _ = whole.with_row(len(whole.entries), values)
    else:
        changed = table.with_row_at_end(label, values)
    after = changed.record(changed.entries[-1])
    state.put(changed, Change("add", table.spec.name, key, after=after))


def removal(table: Table, row: Entry) -> Change:
    """The change that a row is gone."""
    return Change("remove", table.spec.name, table.key_of(row), before=table.record(row))


def _differences(before: Table, after: Table) -> list[Change]:
    """What became other in rows that are still there, in the order of the table."""
    changes = []
    for old, new in zip(before.entries, after.entries, strict=True):
        if old is new:
            continue
        was, now = before.record(old), after.record(new)
        fields = [name for name in now if name not in was or now[name] != was[name]]
        if fields:
            changes.append(
                Change(
                    "replace",
                    before.spec.name,
                    before.key_of(old),
                    before={name: was[name] for name in fields if name in was},
                    after={name: now[name] for name in fields},
                )
            )
    return changes
