"""E-mail: search the inbox, send.

Source:
    ToolTalk at e05f4ce, `src/tooltalk/apis/email.py`.
"""

from __future__ import annotations

import copy

from sandboxes.tooltalk.address import is_address
from sandboxes.tooltalk.refusal import Refusal
from sandboxes.tooltalk.search import (
    END_DATE,
    FILTERS,
    MATCH_TYPE,
    QUERY,
    SENDER,
    START_DATE,
    Filters,
    search,
)
from sandboxes.tooltalk.state import SENT_EMAIL, World
from sandboxes.tooltalk.toolkit import text, texts, tool
from tracer.records import Json

SUITE = "Email"


@tool(
    "SearchInbox",
    SUITE,
    "Search the user's inbox; shows the newest five e-mails that pass every filter. At least one "
    "filter besides match_type is needed.",
    optional=FILTERS,
    query=QUERY,
    match_type=MATCH_TYPE,
    sender=SENDER,
    start_date=START_DATE,
    end_date=END_DATE,
)
def search_inbox(
    world: World,
    /,
    query: Json = None,
    match_type: Json = "any",
    sender: Json = None,
    start_date: Json = None,
    end_date: Json = None,
) -> Json:
    """E-mails found; an empty inbox answers before the filters are looked at."""
    inbox = world.owned("Email", world.username())
    if not inbox:
        return {"emails": []}
    filters = Filters(query, match_type, sender, start_date, end_date)
    found = search(
        list(inbox.values()), filters, now=world.now, date="date", fields=("body", "subject")
    )
    return {"emails": found}


@tool(
    "SendEmail",
    SUITE,
    "Send an e-mail.",
    writes=True,
    to=texts("Addresses of the receivers."),
    subject=text("Subject line."),
    body=text("Text of the e-mail."),
)
def send_email(world: World, /, to: Json, subject: Json, body: Json) -> Json:
    """Send it; the databases keep nothing of it."""
    sender = world.username()
    for address in to:
        if not is_address(address):
            raise Refusal(f"{address} is not a valid email address.")
    mail = copy.deepcopy({"sender": sender, "to": to, "subject": subject, "body": body})
    email_id = world.new_id("SendEmail", 2, 4, 8)
    world.send(SENT_EMAIL, email_id, mail)
    return {"email_id": email_id}
