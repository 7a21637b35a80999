"""The calendar: read, search, create, change and delete events.

Published behaviour that end states depend on: a created event goes to the end under the label 0,
and a change to a field that no event has adds a column. In the other modes the latter is refused.

Source:
    WorkBench at 42f1b6d, `src/tools/calendar.py`.
"""

from __future__ import annotations

import re

from sandboxes.workbench.moments import moment
from sandboxes.workbench.patterns import compiled
from sandboxes.workbench.rows import add_row, delete_row, new_id, read_field, write_field
from sandboxes.workbench.state import State
from sandboxes.workbench.tables import TableSpec
from sandboxes.workbench.toolkit import TABLES, tool
from tracer.records import Json

CALENDAR = TABLES.add("calendar")(
    TableSpec(
        name="calendar",
        file="sandbox/calendar_events.csv",
        key="event_id",
        columns=("event_id", "event_name", "participant_email", "event_start", "duration"),
    )
)
SHOWN = 5


@tool(
    "calendar.get_event_information_by_id",
    "Read one field of an event.",
    {
        "event_id": "Id of the event, 8 digits.",
        "field": "One of event_id, event_name, participant_email, event_start, duration.",
    },
    writes=False,
)
def get_event_information_by_id(state: State, event_id: Json = None, field: Json = None) -> Json:
    """One field of an event."""
    return read_field(state, CALENDAR.name, "Event", event_id, field)


@tool(
    "calendar.search_events",
    "Search events: the first 5 whose name or participant holds the query.",
    {
        "query": "Text or pattern to look for; leave it out to find all.",
        "time_min": "Earliest start, YYYY-MM-DD HH:MM:SS.",
        "time_max": "Latest start, YYYY-MM-DD HH:MM:SS.",
    },
    writes=False,
)
def search_events(
    state: State, query: Json = "", time_min: Json = None, time_max: Json = None
) -> Json:
    """Events that hold the pattern and start between the times, in the order of the table."""
    table = state.table(CALENDAR.name)
    records = [table.record(row) for row in table.entries]
    pattern = compiled(query, re.IGNORECASE)
    in_name = pattern.hits(str(record["event_name"]) for record in records)
    in_address = pattern.hits(str(record["participant_email"]) for record in records)
    found = [
        record
        for record, name, address in zip(records, in_name, in_address, strict=True)
        if name or address
    ]
    if time_min:
        found = [event for event in found if moment(event["event_start"]) >= moment(time_min)]
    if time_max:
        found = [event for event in found if moment(event["event_start"]) <= moment(time_max)]
    return found[:SHOWN] or "No events found."


@tool(
    "calendar.create_event",
    "Create an event; gives its id.",
    {
        "event_name": "Name of the event.",
        "participant_email": "Address of the participant.",
        "event_start": "When it begins, YYYY-MM-DD HH:MM:SS.",
        "duration": "Length in minutes.",
    },
    writes=True,
)
def create_event(
    state: State,
    event_name: Json = None,
    participant_email: Json = None,
    event_start: Json = None,
    duration: Json = None,
) -> Json:
    """Put an event at the end of the calendar."""
    if not event_name:
        return "Event name not provided."
    if not participant_email:
        return "Participant email not provided."
    if not event_start:
        return "Event start not provided."
    if not duration:
        return "Event duration not provided."
    table = state.table(CALENDAR.name)
    key = new_id(state, table)
    record = {
        "event_id": key,
        "event_name": event_name,
        "participant_email": participant_email.lower(),
        "event_start": event_start,
        "duration": duration,
    }
    add_row(state, table, record, label=0)
    return key


@tool(
    "calendar.delete_event",
    "Delete an event.",
    {"event_id": "Id of the event, 8 digits."},
    writes=True,
)
def delete_event(state: State, event_id: Json = None) -> Json:
    """Take an event out of the calendar."""
    return delete_row(state, CALENDAR.name, "Event", event_id)


@tool(
    "calendar.update_event",
    "Change one field of an event.",
    {
        "event_id": "Id of the event, 8 digits.",
        "field": "One of event_name, participant_email, event_start, duration.",
        "new_value": "What the field is to hold.",
    },
    writes=True,
)
def update_event(
    state: State, event_id: Json = None, field: Json = None, new_value: Json = None
) -> Json:
    """Change one field of an event."""
    if not event_id or not field or not new_value:
        return "Event ID, field, or new value not provided."
    if field == "participant_email":
        new_value = new_value.lower()
    table = state.table(CALENDAR.name)
    if state.mended and table.rows_of(event_id) and field not in table.columns:
        return "Field not valid."
    return write_field(state, CALENDAR.name, "Event", event_id, field, new_value)
