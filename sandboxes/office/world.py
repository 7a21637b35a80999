"""The invented firm as data: people, mails, calendar, to-dos, files and the ledger of facts."""

from __future__ import annotations

import functools
import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from sandboxes.office.mails import Mail, document, read_mails
from tracer.errors import DataMissingError
from tracer.records import Json

_NEVER = "(?!)"
"""Pattern of a statement that is planned and not written yet."""

DATA = Path(__file__).with_name("data")


@dataclass(frozen=True, slots=True)
class FactVersion:
    """What one fact was said to be from some day on."""

    value: str
    keys: tuple[str, ...]
    """Mails whose own text states it."""
    pattern: str
    """Regular expression that only this statement satisfies."""
    since: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact of the ledger with everything it was ever said to be."""

    id: str
    versions: tuple[FactVersion, ...]
    now: int
    """Index of the version that holds today."""
    confusable_with: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Office:
    """The whole world, never changed after loading."""

    version: str
    clock: str
    owner: str
    """Address of the mailbox's owner."""
    people: tuple[Mapping[str, Json], ...]
    """Colleagues and contacts."""
    organisations: tuple[str, ...]
    lists: Mapping[str, tuple[str, ...]]
    """List address to the addresses of its members."""
    rooms: Mapping[str, tuple[str, ...]]
    """Room to its other names."""
    names: Mapping[str, str]
    """Address to display name."""
    other_names: tuple[str, ...]
    automated: tuple[str, ...]
    closed_days: tuple[str, ...]
    mails: Mapping[str, Mail]
    """By key, in the order of their dates."""
    events: Mapping[str, Mapping[str, Json]]
    """By key."""
    todos: Mapping[str, Mapping[str, Json]]
    """By key."""
    files: Mapping[str, Mapping[str, Json]]
    """By key."""
    facts: Mapping[str, Fact]
    digest: str
    """Of all data files the world is made of."""

    def documents(self) -> dict[str, str]:
        """Mail id to what a retriever sees, in the order of the dates."""
        return {mail.id: document(mail, self.names) for mail in self.mails.values()}

    def colleagues(self) -> tuple[Mapping[str, Json], ...]:
        """The people of the firm itself, the owner of the mailbox among them."""
        return tuple(person for person in self.people if person["team"])


@functools.cache
def load(folder: Path = DATA) -> Office:
    """The world as the files of `folder` describe it.

    Raises:
        DataMissingError: A file is not there or breaks its format.
    """
    raw = json.loads(read_text(folder / "world.json"))
    people = (*raw["people"], *raw["contacts"])
    by_id = {person["id"]: person["email"] for person in people}
    lists = {entry["address"]: tuple(by_id[i] for i in entry["members"]) for entry in raw["lists"]}
    names = {entry["address"]: entry["name"] for entry in raw["automated"]}
    names |= {person["email"]: person["name"] for person in people}
    automated = tuple(entry["address"] for entry in raw["automated"])
    owner = by_id[raw["owner"]]
    paths = sorted((folder / "mails").glob("*.mail"))
    mails = read_mails(paths, owner=owner, names=names, lists=lists, automated=automated)
    events = {row["key"]: row for row in records(folder / "events.jsonl")}
    todos = {row["key"]: row for row in records(folder / "todos.jsonl")}
    files = {row["key"]: row for row in records(folder / "files.jsonl")}
    facts = {row["id"]: _fact(row) for row in records(folder / "facts.jsonl")}
    digest = hashlib.sha256()
    tables = (folder / f"{name}.jsonl" for name in ("events", "todos", "files"))
    for path in (folder / "world.json", *tables, *paths):
        digest.update(path.read_bytes())
    return Office(
        version=raw["data_version"],
        clock=raw["clock"],
        owner=owner,
        people=people,
        organisations=tuple(entry["name"] for entry in raw["organisations"]),
        lists=lists,
        rooms={room["name"]: tuple(filter(None, [room.get("also")])) for room in raw["rooms"]},
        names=names,
        other_names=tuple(raw["other_names"]),
        automated=automated,
        closed_days=tuple(raw["closed_days"]),
        mails=mails,
        events=events,
        todos=todos,
        files=files,
        facts=facts,
        digest=digest.hexdigest(),
    )


def read_text(path: Path) -> str:
    """The text of a data file.

    Raises:
        DataMissingError: It is not there.
    """
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise DataMissingError(
            f"office: {path} cannot be read ({error.strerror}); install stagetrace again, "
            "its data files belong to the package"
        ) from error


def records(path: Path) -> Iterator[dict[str, Json]]:
    """The records of a file of JSON lines; a line that holds only a canary is left out.

    Raises:
        DataMissingError: The file is not there, or a line is no JSON object.
    """
    for number, line in enumerate(read_text(path).splitlines(), 1):
        try:
            row = json.loads(line)
        except ValueError as error:
            raise DataMissingError(f"{path}:{number}: not a JSON object ({error})") from error
        if set(row) != {"canary"}:
            yield row


def _fact(row: Mapping[str, Json]) -> Fact:
    versions = tuple(
        FactVersion(
            value=str(version["value"]),
            keys=tuple(version["keys"]),
            pattern=version["pattern"] or _NEVER,
            since=version.get("since") or "",
        )
        for version in row["versions"]
    )
    return Fact(row["id"], versions, row["now"], tuple(row.get("confusable_with", ())))


def own_text(mail: Mail) -> str:
    """Own text on one line, so that a pattern may run over a line's end."""
    return " ".join(mail.body.split())


def quoted_text(mail: Mail) -> str:
    """Quoted text on one line, without marks and without the lines that say who wrote it when."""
    if mail.forwards:
        return " ".join(mail.quoted.partition("\n\n")[2].split())
    lines = mail.quoted.splitlines()[1:]
    return " ".join(" ".join(line.removeprefix(">") for line in lines).split())


def stated(office: Office, version: FactVersion) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Keys of the mails that state a fact in own text, and of those that show it in a quote."""
    pattern = re.compile(version.pattern)
    own = tuple(k for k, mail in office.mails.items() if pattern.search(own_text(mail)))
    quoted = tuple(k for k, mail in office.mails.items() if pattern.search(quoted_text(mail)))
    return own, quoted
