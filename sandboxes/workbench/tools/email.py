"""The mailbox: read, search, send, forward, reply and delete.

What looks odd here is published behaviour that end states depend on: texts in place of exceptions
for missing values, new ids without leading zeros, a new row that overwrites an old one after a
deletion. In the other modes a new row never overwrites, and sent mails carry their time as text.

Source:
    WorkBench at 42f1b6d, `src/tools/email.py`.
"""

from __future__ import annotations

from datetime import date

from sandboxes.workbench.moments import NOW, as_text, moment
from sandboxes.workbench.rows import add_row, delete_row, new_id, read_field, removal
from sandboxes.workbench.state import State
from sandboxes.workbench.tables import Entry, TableSpec
from sandboxes.workbench.toolkit import TABLES, tool
from tracer.records import Change, Json

EMAIL = TABLES.add("email")(
    TableSpec(
        name="email",
        file="sandbox/emails.csv",
        key="email_id",
        columns=(
            "email_id",
            "inbox/outbox",
            "sender/recipient",
            "subject",
            "sent_datetime",
            "body",
        ),
    )
)
SHOWN = 5
_ID, _WHO, _SUBJECT, _SENT, _BODY = 0, 2, 3, 4, 5


@tool(
    "email.get_email_information_by_id",
    "Read one field of an e-mail.",
    {
        "email_id": "Id of the e-mail, 8 digits.",
        "field": "One of email_id, inbox/outbox, sender/recipient, subject, sent_datetime, body.",
    },
    writes=False,
)
def get_email_information_by_id(state: State, email_id: Json = None, field: Json = None) -> Json:
    """One field of a mail."""
    return read_field(state, EMAIL.name, "Email", email_id, field)


@tool(
    "email.search_emails",
    "Search e-mails: the newest 5 whose subject, body or address hold every word of the query.",
    {
        "query": "Words to look for; leave it out to find all.",
        "date_min": "First day, YYYY-MM-DD.",
        "date_max": "Last day, YYYY-MM-DD.",
    },
    writes=False,
)
def search_emails(
    state: State, query: Json = "", date_min: Json = None, date_max: Json = None
) -> Json:
    """Mails that hold every word and lie between the days, newest first."""
    if query is None:
        raise TypeError("query must be a text, not null")
    words = query.lower().split()
    table = state.table(EMAIL.name)
    hits = [row for row in table.entries if _holds(row, words)]
    if date_min:
        first = _day(date_min)
        hits = [row for row in hits if _day(row.values[_SENT]) >= first]
    if date_max:
        last = _day(date_max)
        hits = [row for row in hits if _day(row.values[_SENT]) <= last]
    # A mail sent in this run has a time, a stored one a text: together they raise TypeError.
    hits.sort(key=lambda row: row.values[_SENT], reverse=True)
    return [table.record(row) for row in hits[:SHOWN]] or "No emails found."


@tool(
    "email.send_email",
    "Send a new e-mail.",
    {
        "recipient": "Address to send to.",
        "subject": "Subject line.",
        "body": "Text of the e-mail.",
    },
    writes=True,
)
def send_email(
    state: State, recipient: Json = None, subject: Json = None, body: Json = None
) -> Json:
    """Put a mail into the outbox."""
    if not recipient or not subject or not body:
        return "Recipient, subject, or body not provided."
    if _no_address(recipient):
        return "Invalid recipient email address."
    table = state.table(EMAIL.name)
    key = new_id(state, table, digits=8 if state.mode == "revised" else 0)
    sent = as_text(NOW) if state.mended else NOW
    values = (key, "outbox", recipient.lower(), subject, sent, body)
    record = dict(zip(EMAIL.columns, values, strict=True))
    if state.mended:
        add_row(state, table, record, label=None)
        return "Email sent successfully."
    changed, overwritten = table.with_row(len(table.entries), values)
    changes = [removal(table, overwritten)] if overwritten else []
    after = {column: as_text(record.get(column)) for column in table.columns}
    state.put(changed, *changes, Change("add", EMAIL.name, key, after=after))
    return "Email sent successfully."


@tool(
    "email.delete_email",
    "Delete an e-mail.",
    {"email_id": "Id of the e-mail, 8 digits."},
    writes=True,
)
def delete_email(state: State, email_id: Json = None) -> Json:
    """Take a mail out of the table; the other rows keep their labels."""
    return delete_row(state, EMAIL.name, "Email", email_id)


@tool(
    "email.forward_email",
    "Forward an e-mail to somebody.",
    {"email_id": "Id of the e-mail, 8 digits.", "recipient": "Address to forward it to."},
    writes=True,
)
def forward_email(state: State, email_id: Json = None, recipient: Json = None) -> Json:
    """Send the mail on, its subject marked as forwarded."""
    if not email_id or not recipient:
        return "Email ID or recipient not provided."
    rows = state.table(EMAIL.name).rows_of(email_id)
    if not rows:
        return "Email not found."
    row = rows[0]
    if _no_address(recipient):
        return "Invalid recipient email address."
    answer = send_email(state, recipient, f"FW: {row.values[_SUBJECT]}", row.values[_BODY])
    return "Email forwarded successfully." if answer == "Email sent successfully." else answer


@tool(
    "email.reply_email",
    "Reply to an e-mail.",
    {"email_id": "Id of the e-mail, 8 digits.", "body": "Text of the reply."},
    writes=True,
)
def reply_email(state: State, email_id: Json = None, body: Json = None) -> Json:
    """Send a mail to the other side under the same subject."""
    if not email_id or not body:
        return "Email ID or body not provided."
    rows = state.table(EMAIL.name).rows_of(email_id)
    if not rows:
        return "Email not found."
    row = rows[0]
    answer = send_email(state, row.values[_WHO], row.values[_SUBJECT], body)
    return "Email replied successfully." if answer == "Email sent successfully." else answer


def _no_address(recipient: Json) -> bool:
    return "@" not in recipient or "." not in recipient


def _holds(row: Entry, words: list[str]) -> bool:
    text = f"{row.values[_SUBJECT]} {row.values[_BODY]} {row.values[_WHO]}".lower()
    return all(word in text for word in words)


def _day(value: Json) -> date:
    """The day of a stored or sent mail, or of a bound.

    Raises:
        ValueError: It cannot be read as a day.
    """
    return moment(value).date()
