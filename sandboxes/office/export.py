"""The suite as JSON lines, for publication and for readers that do not know the mail format."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from sandboxes.office.accepted import expand
from sandboxes.office.mails import Mail, file_id
from sandboxes.office.tasks import groups_of
from sandboxes.office.world import DATA, Office, load, records
from tracer.records import Json

_COPIED = ("facts.jsonl", "tool_tasks.jsonl", "conversations.jsonl")


def jsonl(folder: str | Path) -> list[Path]:
    """Write the world, the facts, the items and the rewrites as JSON lines.

    Args:
        folder: Where the files go; made when it is not there.

    Returns:
        The files, in the order in which they were written.
    """
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    office = load()
    files: dict[str, Iterable[Mapping[str, Json]]] = {
        "mails.jsonl": (_mail(office, mail) for mail in office.mails.values()),
        "people.jsonl": office.people,
        "lists.jsonl": (
            {"address": address, "members": list(members)}
            for address, members in office.lists.items()
        ),
        "events.jsonl": office.events.values(),
        "todos.jsonl": office.todos.values(),
        "files.jsonl": office.files.values(),
        "questions.jsonl": (_question(office, row) for row in records(DATA / "questions.jsonl")),
    }
    files |= {name: records(DATA / name) for name in _COPIED}
    files |= {f"variants-{p.stem}.jsonl": records(p) for p in _variant_files()}
    written = []
    for name, rows in files.items():
        path = target / name
        lines = [json.dumps(row, ensure_ascii=False) for row in rows]
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        written.append(path)
    return written


def _variant_files() -> list[Path]:
    return sorted((DATA / "variants").glob("*.jsonl"))


def _mail(office: Office, mail: Mail) -> dict[str, Json]:
    linked = {key: office.mails[key].id for key in (mail.answers, mail.forwards) if key}
    return {
        "key": mail.key,
        "id": mail.id,
        "thread": mail.thread,
        "date": mail.date,
        "from": mail.sender,
        "to": list(mail.to),
        "cc": list(mail.cc),
        "folder": mail.folder,
        "read": mail.read,
        "flagged": mail.flagged,
        "subject": mail.subject,
        "kind": mail.kind,
        "answers": linked.get(mail.answers or ""),
        "forwards": linked.get(mail.forwards or ""),
        "attachments": [{"id": file_id(name), "name": name} for name in mail.attachments],
        "body": mail.body,
        "quoted": mail.quoted,
    }


def _question(office: Office, row: Mapping[str, Json]) -> dict[str, Json]:
    absence = row["reasoning"] == "absence"
    wide, strict = groups_of(office, () if absence else row["facts"])
    parts = [
        {**part, "accept": [form for line in part["accept"] for form in expand(line)]}
        for part in row["parts"]
    ]
    return {**row, "groups": wide, "groups_strict": strict, "parts": parts}
