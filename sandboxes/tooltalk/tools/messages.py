"""Chat messages: search, send.

Source:
    ToolTalk at e05f4ce, `src/tooltalk/apis/message.py`.
"""

from __future__ import annotations

import copy

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
from sandboxes.tooltalk.state import SENT_MESSAGE, World
from sandboxes.tooltalk.toolkit import text, tool
from tracer.records import Json

SUITE = "Messages"


@tool(
    "SearchMessages",
    SUITE,
    "Search the user's chat messages; shows the newest five that pass every filter. At least one "
    "filter besides match_type is needed.",
    optional=FILTERS,
    query=QUERY,
    match_type=MATCH_TYPE,
    sender=SENDER,
    start_date=START_DATE,
    end_date=END_DATE,
)
def search_messages(
    world: World,
    /,
    query: Json = None,
    match_type: Json = "any",
    sender: Json = None,
    start_date: Json = None,
    end_date: Json = None,
) -> Json:
    """Messages found."""
    messages = world.owned("Message", world.username())
    if messages is None:
        return {"messages": []}
    filters = Filters(query, match_type, sender, start_date, end_date)
    found = search(
        list(messages.values()), filters, now=world.now, date="timestamp", fields=("message",)
    )
    return {"messages": found}


@tool(
    "SendMessage",
    SUITE,
    "Send a chat message to a user.",
    writes=True,
    receiver=text("User name of the receiver."),
    message=text("Text of the message."),
)
def send_message(world: World, /, receiver: Json, message: Json) -> Json:
    """Send it; any receiver is taken, and the databases keep nothing of it."""
    sender = world.username()
    if message == "":
        raise Refusal("Message cannot be empty.")
    sent = copy.deepcopy({"sender": sender, "receiver": receiver, "message": message})
    message_id = world.new_id("SendMessage", 8, 8)
    world.send(SENT_MESSAGE, message_id, sent)
    return {"message_id": message_id}
