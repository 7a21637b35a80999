"""Ten tools over the mailbox."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sandboxes.office.refusal import Refusal
from sandboxes.office.schema import FLAG, LIMIT, SOME_TEXTS, TEXT, TEXTS, moment, spec
from sandboxes.office.state import Row, State
from tracer.records import Json

FOLDERS = ("inbox", "sent", "archive", "bin")
_FOLDER = {"type": "string", "enum": list(FOLDERS)}
_ADDRESS = re.compile(r"[^@\s,;<>]+@[a-z0-9-]+(\.[a-z0-9-]+)*\.example")


def search_mail(
    state: State,
    query: str,
    from_address: str | None = None,
    to_address: str | None = None,
    folder: str | None = None,
    after: str | None = None,
    before: str | None = None,
    has_attachment: bool | None = None,
    limit: int = 10,
) -> Json:
    """Mails that hold every word of the query, newest first."""
    words = [word.strip("\"',;") for word in query.casefold().split()]
    since = moment(after, "after") if after else ""
    until = moment(before, "before") if before else "9999"
    found = []
    for row in state.rows("mail"):
        if row["folder"] != folder if folder else row["folder"] == "bin":
            continue
        if from_address and row["from"].casefold() != from_address.strip().casefold():
            continue
        if to_address and to_address.strip().casefold() not in _receivers(row):
            continue
        if has_attachment is not None and bool(row["attachments"]) is not has_attachment:
            continue
        if since <= row["date"] <= until and _has_words(state, row, words):
            found.append(row)
    return _listed(found, limit)


def read_mail(state: State, mail_id: str) -> Json:
    """The whole mail."""
    return dict(_mail(state, mail_id))


def read_thread(state: State, thread_id: str) -> Json:
    """The mails of a thread with their own texts, oldest first."""
    rows = [row for row in state.rows("mail") if row["thread"] == thread_id]
    if not rows:
        raise Refusal(f"no thread {thread_id}")
    names = ("id", "date", "from", "to", "subject", "body")
    shown = [{name: row[name] for name in names} for row in sorted(rows, key=_age)]
    return {"thread": thread_id, "mails": shown}


def list_folder(state: State, folder: str, limit: int = 10) -> Json:
    """The mails of one folder, newest first."""
    return _listed([row for row in state.rows("mail") if row["folder"] == folder], limit)


def send_mail(
    state: State,
    to: Sequence[str],
    subject: str,
    body: str,
    cc: Sequence[str] = (),
    attachments: Sequence[str] = (),
) -> Json:
    """Send a new mail from the owner."""
    if not subject.strip() or not body.strip():
        raise Refusal("empty subject or body")
    new_id = _send(state, to, cc, subject, body, attachments=_files(state, attachments))
    return {"id": new_id}


def reply_mail(
    state: State,
    mail_id: str,
    body: str,
    reply_all: bool = False,
    attachments: Sequence[str] = (),
) -> Json:
    """Answer the sender of a mail, or everybody."""
    row = _mail(state, mail_id)
    if not body.strip():
        raise Refusal("empty subject or body")
    owner = state.office.owner
    others = [a for a in [*row["to"], *row["cc"]] if a not in (owner, row["from"])]
    to = [row["from"]] if row["from"] != owner else list(row["to"])
    cc = [a for a in others if a not in to] if reply_all else []
    subject = row["subject"] if row["subject"].startswith("Re: ") else f"Re: {row['subject']}"
    files = _files(state, attachments)
    quoted = f"On {row['date']}, {row['from']} wrote:\n" + "\n".join(
        f"> {line}" for line in row["body"].splitlines()
    )
    new_id = _send(
        state, to, cc, subject, body, attachments=files, answers=row["id"], quoted=quoted
    )
    return {"id": new_id}


def forward_mail(state: State, mail_id: str, to: Sequence[str], comment: str = "") -> Json:
    """Send a mail on, text and attachments with it."""
    row = _mail(state, mail_id)
    subject = row["subject"] if row["subject"].startswith("Fwd: ") else f"Fwd: {row['subject']}"
    quoted = (
        f"---------- Forwarded message ----------\nFrom: {row['from']}\nDate: {row['date']}\n"
        f"Subject: {row['subject']}\nTo: {', '.join(row['to'])}\n\n{row['body']}"
    )
    new_id = _send(
        state,
        to,
        (),
        subject,
        comment,
        attachments=row["attachments"],
        forwards=row["id"],
        quoted=quoted,
    )
    return {"id": new_id}


def move_mail(state: State, mail_ids: Sequence[str], folder: str) -> Json:
    """Put mails into a folder."""
    rows = [_mail(state, mail_id) for mail_id in dict.fromkeys(mail_ids)]
    for row in rows:
        state.update("mail", row["id"], {"folder": folder})
    return {"moved": len(rows)}


def flag_mail(state: State, mail_ids: Sequence[str], flagged: bool) -> Json:
    """Set or take away the flag of mails."""
    rows = [_mail(state, mail_id) for mail_id in dict.fromkeys(mail_ids)]
    for row in rows:
        state.update("mail", row["id"], {"flagged": flagged})
    return {"flagged" if flagged else "unflagged": len(rows)}


def delete_mail(state: State, mail_ids: Sequence[str]) -> Json:
    """Put mails into the bin."""
    rows = [_mail(state, mail_id) for mail_id in dict.fromkeys(mail_ids)]
    for row in rows:
        state.update("mail", row["id"], {"folder": "bin"})
    return {"deleted": len(rows)}


def _mail(state: State, mail_id: str) -> Row:
    row = state.get("mail", mail_id)
    if row is None:
        raise Refusal(f"no mail {mail_id}")
    return row


def _send(
    state: State,
    to: Sequence[str],
    cc: Sequence[str],
    subject: str,
    body: str,
    *,
    attachments: Sequence[Json],
    answers: str | None = None,
    forwards: str | None = None,
    quoted: str = "",
) -> str:
    source = _mail(state, answers or forwards or "") if answers or forwards else None
    fields = {
        "thread": source["thread"] if source else "",
        "date": state.office.clock,
        "from": state.office.owner,
        "to": clean_addresses(to),
        "cc": clean_addresses(cc),
        "subject": subject,
        "kind": "person",
        "folder": "sent",
        "read": True,
        "flagged": False,
        "answers": answers,
        "forwards": forwards,
        "attachments": list(attachments),
        "body": body,
        "quoted": quoted,
    }
    return state.add("mail", fields)


def clean_addresses(given: Sequence[str]) -> list[str]:
    """The addresses in lower case, each once.

    Raises:
        Refusal: One is no address of this world.
    """
    clean = [address.strip().casefold() for address in given]
    for address in clean:
        if not _ADDRESS.fullmatch(address):
            raise Refusal(f"bad address {address!r}")
    return list(dict.fromkeys(clean))


def _files(state: State, ids: Sequence[str]) -> list[Json]:
    found = []
    for file_id in dict.fromkeys(ids):
        row = state.get("file", file_id)
        if row is None:
            raise Refusal(f"no file {file_id}")
        found.append({"id": row["id"], "name": row["name"]})
    return found


def _receivers(row: Row) -> set[str]:
    return {address.casefold() for address in (*row["to"], *row["cc"])}


def _has_words(state: State, row: Row, words: Sequence[str]) -> bool:
    names = " ".join(
        f"{address} {state.office.names.get(address, '')}"
        for address in (row["from"], *row["to"], *row["cc"])
    )
    files = " ".join(file["name"] for file in row["attachments"])
    text = f"{row['subject']}\n{names}\n{row['body']}\n{row['quoted']}\n{files}".casefold()
    return all(word in text for word in words)


def _age(row: Row) -> tuple[str, str]:
    return row["date"], row["id"]


def _listed(rows: Sequence[Row], limit: int) -> Json:
    newest = sorted(rows, key=_age, reverse=True)
    result: dict[str, Json] = {
        "mails": [
            {
                "id": row["id"],
                "date": row["date"],
                "from": row["from"],
                "subject": row["subject"],
                "start": " ".join(row["body"].split())[:100],
            }
            for row in newest[:limit]
        ]
    }
    if len(newest) > limit:
        result["more"] = True
    return result


_ID = (TEXT, "Id of the mail, such as m-1a2b3c.")
_IDS = (SOME_TEXTS, "Ids of the mails.")

MAIL = (
    spec(
        search_mail,
        "Search the mailbox; every word of the query must occur. Newest first; the bin is left out "
        "unless it is named.",
        optional=(
            "from_address",
            "to_address",
            "folder",
            "after",
            "before",
            "has_attachment",
            "limit",
        ),
        query=(TEXT, "Words that must all occur in subject, names, text or names of attachments."),
        from_address=(TEXT, "Only mails from this address."),
        to_address=(TEXT, "Only mails to this address."),
        folder=(_FOLDER, "Only this folder."),
        after=(TEXT, "Only mails from this time on, YYYY-MM-DD HH:MM."),
        before=(TEXT, "Only mails up to this time, YYYY-MM-DD HH:MM."),
        has_attachment=(FLAG, "Only mails with (true) or without (false) attachments."),
        limit=(LIMIT, "At most this many rows, 10 when not given."),
    ),
    spec(read_mail, "Read one whole mail.", mail_id=_ID),
    spec(
        read_thread,
        "Read all mails of a thread, oldest first.",
        thread_id=(TEXT, "Id of the thread, as a mail names it."),
    ),
    spec(
        list_folder,
        "List the mails of a folder, newest first.",
        optional=("limit",),
        folder=(_FOLDER, "The folder."),
        limit=(LIMIT, "At most this many rows, 10 when not given."),
    ),
    spec(
        send_mail,
        "Send a new mail.",
        writes=True,
        optional=("cc", "attachments"),
        to=(SOME_TEXTS, "Addresses of the receivers."),
        subject=(TEXT, "Subject line."),
        body=(TEXT, "Text of the mail."),
        cc=(TEXTS, "Addresses that get a copy."),
        attachments=(TEXTS, "Ids of files to attach."),
    ),
    spec(
        reply_mail,
        "Answer a mail. Goes to its sender only, unless reply_all is true; the attachments of the "
        "original do not go along.",
        writes=True,
        optional=("reply_all", "attachments"),
        mail_id=_ID,
        body=(TEXT, "Text of the answer."),
        reply_all=(FLAG, "Whether everybody gets the answer, false when not given."),
        attachments=(TEXTS, "Ids of files to attach."),
    ),
    spec(
        forward_mail,
        "Forward a mail with its text and attachments.",
        writes=True,
        optional=("comment",),
        mail_id=_ID,
        to=(SOME_TEXTS, "Addresses of the receivers."),
        comment=(TEXT, "Text above the forwarded mail."),
    ),
    spec(
        move_mail,
        "Move mails to a folder.",
        writes=True,
        mail_ids=_IDS,
        folder=(_FOLDER, "The folder they go to."),
    ),
    spec(
        flag_mail,
        "Set or take away the flag of mails.",
        writes=True,
        mail_ids=_IDS,
        flagged=(FLAG, "True to flag, false to take the flag away."),
    ),
    spec(delete_mail, "Delete mails: they go to the bin.", writes=True, mail_ids=_IDS),
)
