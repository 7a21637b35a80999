"""Four tools over the shared files."""

from __future__ import annotations

from collections.abc import Sequence

from sandboxes.office.mail_tools import clean_addresses
from sandboxes.office.refusal import Refusal
from sandboxes.office.schema import LIMIT, SOME_TEXTS, TEXT, spec
from sandboxes.office.state import Row, State
from tracer.records import Json


def search_files(state: State, query: str, folder: str | None = None, limit: int = 10) -> Json:
    """Files that hold every word of the query, those changed last at the top."""
    words = [word.strip("\"',;") for word in query.casefold().split()]
    inside = _folder(folder) if folder else None
    rows = [
        row
        for row in state.rows("file")
        if (not inside or f"{row['folder']}/".startswith(f"{inside}/"))
        and all(word in _text(state, row) for word in words)
    ]
    return _listed(rows, limit)


def read_file(state: State, file_id: str) -> Json:
    """All fields of a file with its first lines."""
    return dict(_file(state, file_id))


def share_file(state: State, file_id: str, addresses: Sequence[str]) -> Json:
    """Let more people open a file."""
    row = _file(state, file_id)
    added = [a for a in clean_addresses(addresses) if a not in row["shared_with"]]
    if not added:
        raise Refusal(f"file {file_id} is already shared with {', '.join(addresses)[:200]}")
    state.update("file", file_id, {"shared_with": [*row["shared_with"], *added]})
    return {"id": file_id, "added": added}


def move_file(state: State, file_id: str, folder: str) -> Json:
    """Put a file into another folder."""
    row = _file(state, file_id)
    target = _folder(folder)
    if not target:
        raise Refusal("empty folder")
    state.update("file", file_id, {"folder": target})
    return {"id": file_id, "from": row["folder"], "folder": target}


def _file(state: State, file_id: str) -> Row:
    row = state.get("file", file_id)
    if row is None:
        raise Refusal(f"no file {file_id}")
    return row


def _folder(given: str) -> str:
    return given.strip().strip("/").casefold()


def _text(state: State, row: Row) -> str:
    owner = next((p["name"] for p in state.office.people if p["id"] == row["owner"]), "")
    return f"{row['name']}\n{row['folder']}\n{owner}\n{row['text']}".casefold()


def _listed(rows: Sequence[Row], limit: int) -> Json:
    newest = sorted(rows, key=lambda row: (row["modified"], row["id"]), reverse=True)
    names = ("id", "name", "folder", "owner", "modified", "size", "shared_with")
    result: dict[str, Json] = {"files": [{n: row[n] for n in names} for row in newest[:limit]]}
    if len(newest) > limit:
        result["more"] = True
    return result


_ID = (TEXT, "Id of the file, such as f-77da3e; attachments of mails carry it too.")

FILES = (
    spec(
        search_files,
        "Search the shared files; every word of the query must occur. Changed last first.",
        optional=("folder", "limit"),
        query=(TEXT, "Words that must all occur in name, folder, owner's name or first lines."),
        folder=(TEXT, "Only this folder and those inside it, such as orders/museum."),
        limit=(LIMIT, "At most this many rows, 10 when not given."),
    ),
    spec(read_file, "Read all fields of a file and its first lines.", file_id=_ID),
    spec(
        share_file,
        "Share a file with more people. Nobody is told by mail.",
        writes=True,
        file_id=_ID,
        addresses=(SOME_TEXTS, "Addresses that shall be able to open it."),
    ),
    spec(
        move_file,
        "Move a file to another folder.",
        writes=True,
        file_id=_ID,
        folder=(TEXT, "The folder it goes to, such as orders/museum; a new one is made."),
    ),
)
