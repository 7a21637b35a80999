"""The world that tools change: databases over shared originals, session, clock and new ids."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TypeAlias

from sandboxes.tooltalk.refusal import Refusal
from tracer.records import Change, Json

Databases: TypeAlias = Mapping[str, Mapping[str, Mapping[str, Json]]]
"""Database to user (or city) to record; never written."""

SEED = 489
"""Start of each tool's own generator of ids.

Source:
    ToolTalk at e05f4ce, `src/tooltalk/apis/api.py`.
"""
MOMENT = "%Y-%m-%d %H:%M:%S"
SENT_EMAIL = "SentEmail"
SENT_MESSAGE = "SentMessage"


def moment(text: Json) -> datetime:
    """A moment as the databases write it.

    Raises:
        ValueError: The text has another form.
        TypeError: It is no text.
    """
    return datetime.strptime(text, MOMENT).replace(tzinfo=UTC)


class World:
    """The state of one conversation; entries of users are shared until they are written.

    Args:
        originals: The databases as every conversation begins with them.
    """

    def __init__(self, originals: Databases) -> None:
        self._originals = originals
        self._digests = {
            (name, owner): _digest(record)
            for name, database in originals.items()
            for owner, record in database.items()
        }
        self._changes: list[Change] = []
        self.issued: set[str] = set()
        """Tokens and codes made since this object exists; the data holds none of them."""
        self.begin("1970-01-01 00:00:00")

    def begin(self, now: str, user: Mapping[str, Json] | None = None) -> None:
        """Forget everything and set the clock; `user` may bring a session and a code with them."""
        self._tables: dict[str, dict[str, Mapping[str, Json]]] = {
            name: dict(database) for name, database in self._originals.items()
        }
        self.now = moment(now)
        self.session: str | None = None
        self.sent: list[tuple[str, Mapping[str, Json]]] = []
        self._generators: dict[str, random.Random] = {}
        self._drawn: dict[str, int] = {}
        user = user or {}
        for field in ("session_token", "verification_code"):
            if user.get(field) is not None and user["username"] in self._tables["Account"]:
                self.update_account(user["username"], {field: user[field]})
        self.session = user.get("session_token")
        self._changes.clear()

    # Reading

    def entries(self, database: str) -> Mapping[str, Mapping[str, Json]]:
        """Everything of a database, by user or city."""
        return self._tables[database]

    def owned(self, database: str, owner: str) -> Mapping[str, Json] | None:
        """What is stored for one user or city; None when nothing ever was."""
        return self._tables[database].get(owner)

    def username(self) -> str:
        """The signed-in user.

        Raises:
            Refusal: No account holds the token of the session.
        """
        for username, account in self._tables["Account"].items():
            if account.get("session_token") == self.session:
                return username
        raise Refusal("Invalid session_token.")

    # Writing: what is stored is replaced, never changed, so what was read before stays as it was

    def update_account(self, username: str, fields: Mapping[str, Json]) -> None:
        """Write fields of an account, or a new account."""
        accounts = self._tables["Account"]
        self._note("Account", username, accounts.get(username), fields)
        accounts[username] = {**accounts.get(username, {}), **fields}

    def remove_account(self, username: str) -> None:
        """Delete an account; the user's other records stay."""
        before = self._tables["Account"].pop(username)
        self._changes.append(Change("remove", "Account", username, before=before))

    def make_room(self, database: str, owner: str) -> None:
        """Give a user an empty record where there is none."""
        if owner not in self._tables[database]:
            self._tables[database][owner] = {}
            self._changes.append(Change("add", database, owner, after={}))

    def put(self, database: str, owner: str, key: str, fields: Mapping[str, Json]) -> None:
        """Write fields of a row, or a new row."""
        rows = self._tables[database].get(owner, {})
        self._note(database, key, rows.get(key), fields)
        self._tables[database][owner] = {**rows, key: {**rows.get(key, {}), **fields}}

    def remove(self, database: str, owner: str, key: str) -> None:
        """Delete a row."""
        rows = dict(self._tables[database][owner])
        before = rows.pop(key)
        self._tables[database][owner] = rows
        self._changes.append(Change("remove", database, key, before=before))

    def send(self, entity: str, key: str, fields: Mapping[str, Json]) -> None:
        """Note something sent; the databases do not keep it, a diff of the world does."""
        self.sent.append((entity, fields))
        self._changes.append(Change("add", entity, key, after=fields))

    def _note(
        self, entity: str, key: str, before: Mapping[str, Json] | None, fields: Mapping[str, Json]
    ) -> None:
        if before is None:
            self._changes.append(Change("add", entity, key, after=dict(fields)))
            return
        new = {name: value for name, value in fields.items() if before.get(name) != value}
        if new:
            old = {name: before.get(name) for name in new}
            self._changes.append(Change("replace", entity, key, old, new))

    # Ids

    def new_id(self, tool: str, *widths: int) -> str:
        """The tool's next id: groups of so many hexadecimal digits."""
        return "-".join(f"{self._draw(tool, 16**width - 1):0{width}x}" for width in widths)

    def new_token(self, tool: str) -> str:
        """The tool's next session token."""
        token = self.new_id(tool, 8, 4, 4)
        self.issued.add(token)
        return token

    def new_code(self, tool: str) -> str:
        """The tool's next verification code."""
        code = f"{self._draw(tool, 999_999):06d}"
        self.issued.add(code)
        return code

    def _draw(self, tool: str, highest: int) -> int:
        generator = self._generators.setdefault(tool, random.Random(SEED))
        self._drawn[tool] = self._drawn.get(tool, 0) + 1
        return generator.randint(0, highest)

    # What the tracer looks at

    def take_changes(self) -> tuple[Change, ...]:
        """The changes since the last time this was asked, in order."""
        taken = tuple(self._changes)
        self._changes.clear()
        return taken

    def digest(self) -> str:
        """Digest of the whole state, with the order of rows and the places of the generators."""
        whole = hashlib.sha256(
            _digest([self.now.isoformat(), self.session, self.sent, self._drawn])
        )
        for name, database in self._tables.items():
            original = self._originals[name]
            for owner, record in database.items():
                shared = original.get(owner) is record
                whole.update(f"\n{name}\n{owner}\n".encode("utf-8", "surrogatepass"))
                whole.update(self._digests[name, owner] if shared else _digest(record))
        return whole.hexdigest()


def _digest(value: Json) -> bytes:
    return hashlib.sha256(json.dumps(value).encode()).digest()
