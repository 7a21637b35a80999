"""Mails written by hand as plain text, read into records; quotes, threads and ids are derived."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from tracer.errors import DataMissingError

_MARK = re.compile(r"^=== (\S+)$", re.MULTILINE)
_LINK = re.compile(r"^(\S+?)(?: \((\d+) lines?\))?$")
_HEADERS = {"Date", "From", "To", "Cc", "Subject", "Answers", "Forwards", "Attach"} | {
    "Folder",
    "Read",
    "Flagged",
}


@dataclass(frozen=True, slots=True)
class Mail:
    """One mail of the mailbox."""

    key: str
    """The author's name of it, such as `s01-12`; never shown to a model."""
    id: str
    date: str
    """`YYYY-MM-DD HH:MM`."""
    sender: str
    to: tuple[str, ...]
    cc: tuple[str, ...]
    subject: str
    body: str
    """Own text."""
    answers: str | None = None
    """Key of the mail it answers."""
    forwards: str | None = None
    """Key of the mail it forwards."""
    quote_lines: int = 0
    quoted: str = ""
    """Made from the own text of the mail that is answered or forwarded; never typed by hand."""
    thread: str = ""
    """Id of the first mail of its thread."""
    kind: str = "person"
    """person, list or automated."""
    folder: str = "inbox"
    read: bool = True
    flagged: bool = False
    attachments: tuple[str, ...] = ()
    """File names."""

    @property
    def when(self) -> datetime:
        """The date as a time without zone: the world has one zone."""
        return datetime.fromisoformat(self.date)


def mail_id(key: str) -> str:
    """The opaque id of a mail: storyline and order do not show in it.

    Example:
        >>> mail_id("s01-12")
        'm-b49b64'
    """
    return "m-" + hashlib.sha256(key.encode()).hexdigest()[:6]


def file_id(name: str) -> str:
    """The opaque id of an attached file.

    Example:
        >>> file_id("panels-v3.pdf")
        'f-77da3e'
    """
    return "f-" + hashlib.sha256(name.encode()).hexdigest()[:6]


def read_mails(
    paths: Iterable[Path],
    *,
    owner: str,
    names: Mapping[str, str],
    lists: Iterable[str],
    automated: Iterable[str],
) -> dict[str, Mail]:
    """The mails of all files by key, in the order of their dates.

    Args:
        paths: Files in the mail format.
        owner: Address of the mailbox's owner; mails from it are in the folder `sent`.
        names: Address to display name, for the line above a quote.
        lists: Addresses of the lists.
        automated: Addresses that no person writes from.

    Raises:
        DataMissingError: A file breaks the format; the text names file and mail.
    """
    raw: dict[str, Mail] = {}
    for path in paths:
        parts = _MARK.split(path.read_text(encoding="utf-8"))
        for key, text in zip(parts[1::2], parts[2::2], strict=True):
            if key in raw:
                raise DataMissingError(f"{path}: mail {key!r} stands twice; give one another key")
            raw[key] = _parse(path, key, text)
    list_set, automated_set = set(lists), set(automated)
    done: dict[str, Mail] = {}
    for key in sorted(raw, key=lambda k: (raw[k].date, k)):
        mail = raw[key]
        source = mail.answers or mail.forwards
        if source is not None and source not in done:
            raise DataMissingError(
                f"mail {key!r} answers or forwards {source!r}, which is not an earlier mail"
            )
        kind = "person"
        if mail.sender in automated_set:
            kind = "automated"
        elif list_set & {*mail.to, *mail.cc}:
            kind = "list"
        done[key] = replace(
            mail,
            thread=done[source].thread if source else mail.id,
            quoted=_quote(mail, done[source], names) if source else "",
            kind=kind,
            folder="sent" if mail.sender == owner else mail.folder,
        )
    return done


def _parse(path: Path, key: str, text: str) -> Mail:
    head, found, body = text.strip("\n").partition("\n---\n")
    if not found:
        raise DataMissingError(f"{path}: mail {key!r} has no line '---' between header and text")
    fields: dict[str, str] = {}
    for line in head.splitlines():
        name, colon, value = line.partition(":")
        if not colon or name not in _HEADERS:
            raise DataMissingError(f"{path}: mail {key!r}: {line!r} is no known header line")
        fields[name] = value.strip()
    missing = {"Date", "From", "To", "Subject"} - set(fields)
    if missing:
        raise DataMissingError(f"{path}: mail {key!r} lacks the headers {sorted(missing)}")
    answers, lines = _link(path, key, fields.get("Answers"))
    forwards, _ = _link(path, key, fields.get("Forwards"))
    return Mail(
        key=key,
        id=mail_id(key),
        date=fields["Date"],
        sender=fields["From"],
        to=_listed(fields["To"]),
        cc=_listed(fields.get("Cc", "")),
        subject=fields["Subject"],
        body=body.strip("\n"),
        answers=answers,
        forwards=forwards,
        quote_lines=lines,
        folder=fields.get("Folder", "inbox"),
        read=fields.get("Read", "yes") == "yes",
        flagged=fields.get("Flagged", "no") == "yes",
        attachments=_listed(fields.get("Attach", "")),
    )


def _link(path: Path, key: str, value: str | None) -> tuple[str | None, int]:
    if not value:
        return None, 0
    match = _LINK.match(value)
    if match is None:
        raise DataMissingError(f"{path}: mail {key!r}: {value!r} is not 'KEY (N lines)'")
    return match[1], int(match[2] or 0)


def _listed(value: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in value.split(",") if part.strip())


def _quote(mail: Mail, source: Mail, names: Mapping[str, str]) -> str:
    sender = names.get(source.sender, source.sender)
    if mail.forwards:
        return (
            "---------- Forwarded message ----------\n"
            f"From: {sender} <{source.sender}>\nDate: {source.date}\n"
            f"Subject: {source.subject}\nTo: {', '.join(source.to)}\n\n{source.body}"
        )
    lines = source.body.splitlines()[: mail.quote_lines]
    if not lines:
        return ""
    when = f"{source.when.day} {source.when:%B %Y} at {source.when:%H:%M}"
    return "\n".join([f"On {when}, {sender} wrote:", *(f"> {line}".rstrip() for line in lines)])


def document(mail: Mail, names: Mapping[str, str]) -> str:
    """What a retriever sees: header lines, own text, quote, names of attachments."""
    lines = [
        f"Subject: {mail.subject}",
        f"From: {_shown(mail.sender, names)}",
        f"To: {', '.join(_shown(a, names) for a in mail.to)}",
    ]
    if mail.cc:
        lines.append(f"Cc: {', '.join(_shown(a, names) for a in mail.cc)}")
    lines += [f"Date: {mail.when:%A} {mail.date}", "", mail.body]
    if mail.quoted:
        lines += ["", mail.quoted]
    if mail.attachments:
        lines += ["", f"Attachments: {', '.join(mail.attachments)}"]
    return "\n".join(lines)


def _shown(address: str, names: Mapping[str, str]) -> str:
    return f"{names[address]} <{address}>" if address in names else address
