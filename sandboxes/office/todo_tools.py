"""Five tools over the to-do lists."""

from __future__ import annotations

from collections.abc import Sequence

from sandboxes.office.refusal import Refusal
from sandboxes.office.schema import LIMIT, TEXT, day, spec
from sandboxes.office.state import Row, State
from tracer.records import Json

_STATUS = {"type": "string", "enum": ["open", "done"]}


def list_todos(
    state: State,
    owner: str | None = None,
    status: str | None = None,
    due_before: str | None = None,
    limit: int = 10,
) -> Json:
    """To-dos in the order of the days they are due, those without a day last."""
    who = _person(state, owner) if owner else None
    until = day(due_before, "due_before") if due_before else None
    rows = [
        row
        for row in state.rows("todo")
        if (not who or row["owner"] == who)
        and (not status or row["status"] == status)
        and (not until or (row["due"] or "9999") < until)
    ]
    return _listed(rows, limit)


def create_todo(
    state: State, title: str, owner: str, due: str | None = None, notes: str = ""
) -> Json:
    """Give somebody a new to-do."""
    fields = {
        "title": _title(title),
        "owner": _person(state, owner),
        "due": day(due, "due") if due else None,
        "status": "open",
        "source": None,
        "notes": notes,
    }
    return {"id": state.add("todo", fields)}


def update_todo(
    state: State,
    todo_id: str,
    title: str | None = None,
    owner: str | None = None,
    due: str | None = None,
    status: str | None = None,
    notes: str | None = None,
) -> Json:
    """Change fields of a to-do."""
    _todo(state, todo_id)
    new: dict[str, Json] = {
        name: value for name, value in (("status", status), ("notes", notes)) if value is not None
    }
    if title is not None:
        new["title"] = _title(title)
    if owner is not None:
        new["owner"] = _person(state, owner)
    if due is not None:
        new["due"] = day(due, "due")
    return {"id": todo_id, "changed": state.update("todo", todo_id, new)}


def complete_todo(state: State, todo_id: str) -> Json:
    """Mark a to-do as done."""
    if _todo(state, todo_id)["status"] == "done":
        raise Refusal(f"to-do {todo_id} is already done")
    state.update("todo", todo_id, {"status": "done"})
    return {"id": todo_id, "status": "done"}


def delete_todo(state: State, todo_id: str) -> Json:
    """Take a to-do off the list for good."""
    _todo(state, todo_id)
    state.remove("todo", todo_id)
    return {"deleted": 1}


def _todo(state: State, todo_id: str) -> Row:
    row = state.get("todo", todo_id)
    if row is None:
        raise Refusal(f"no to-do {todo_id}")
    return row


def _title(given: str) -> str:
    if not given.strip():
        raise Refusal("empty title")
    return given


def _person(state: State, given: str) -> str:
    """Id of the colleague with this id, address or whole name."""
    wanted = given.strip().casefold()
    for person in state.office.colleagues():
        if wanted in (person["id"], person["email"].casefold(), person["name"].casefold()):
            return str(person["id"])
    raise Refusal(f"no colleague {given[:40]!r}; give an id such as p06, or an address")


def _listed(rows: Sequence[Row], limit: int) -> Json:
    rows = sorted(rows, key=lambda row: (row["due"] or "9999", row["id"]))
    result: dict[str, Json] = {"todos": [dict(row) for row in rows[:limit]]}
    if len(rows) > limit:
        result["more"] = True
    return result


_ID = (TEXT, "Id of the to-do, such as d-07.")
_OWNER = (TEXT, "Whose to-do it is: the id of a colleague, such as p06, or an address.")
_TITLE = (TEXT, "What is to be done.")
_DUE = (TEXT, "Day on which it is due, YYYY-MM-DD.")
_NOTES = (TEXT, "Notes.")

TODOS = (
    spec(
        list_todos,
        "List the to-dos of the firm, the one due first at the top.",
        optional=("owner", "status", "due_before", "limit"),
        owner=(TEXT, "Only those of this colleague, by id such as p06 or by address."),
        status=(_STATUS, "Only open ones, or only those that are done."),
        due_before=(TEXT, "Only those due before this day, YYYY-MM-DD."),
        limit=(LIMIT, "At most this many rows, 10 when not given."),
    ),
    spec(
        create_todo,
        "Give a colleague, or the owner of the mailbox, a new to-do. Nobody is told by mail.",
        writes=True,
        optional=("due", "notes"),
        title=_TITLE,
        owner=_OWNER,
        due=_DUE,
        notes=_NOTES,
    ),
    spec(
        update_todo,
        "Change fields of a to-do; those not given stay.",
        writes=True,
        optional=("title", "owner", "due", "status", "notes"),
        todo_id=_ID,
        title=_TITLE,
        owner=_OWNER,
        due=_DUE,
        status=(_STATUS, "New status."),
        notes=_NOTES,
    ),
    spec(complete_todo, "Mark a to-do as done.", writes=True, todo_id=_ID),
    spec(delete_todo, "Delete a to-do for good.", writes=True, todo_id=_ID),
)
