"""The calendar: create, change, delete and list events.

Source:
    ToolTalk at e05f4ce, `src/tooltalk/apis/calendars.py`.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from datetime import datetime

from sandboxes.tooltalk.refusal import Refusal
from sandboxes.tooltalk.state import World, moment
from sandboxes.tooltalk.toolkit import text, texts, tool
from tracer.records import Json

SUITE = "Calendar"
TYPES = ("meeting", "event")


@tool(
    "CreateEvent",
    SUITE,
    "Put an event or a meeting into the user's calendar.",
    writes=True,
    optional=("description", "location", "attendees"),
    name=text("What it is called."),
    event_type=text("A meeting needs attendees.", *TYPES),
    description=text("What it is about."),
    start_time=text("Begin, YYYY-MM-DD HH:MM:SS."),
    end_time=text("End, YYYY-MM-DD HH:MM:SS."),
    location=text("Where it is."),
    attendees=texts("User names of those who come."),
)
def create_event(
    world: World,
    /,
    name: Json,
    event_type: Json,
    start_time: Json,
    end_time: Json,
    description: Json = None,
    location: Json = None,
    attendees: Json = None,
) -> Json:
    """Store an event; the user is among the attendees that were named."""
    username = world.username()
    if event_type not in TYPES:
        raise Refusal(f"Event type {event_type} not supported.")
    if event_type == "meeting" and not attendees:
        raise Refusal("Meeting must have attendees.")
    _check_times(world, moment(start_time), moment(end_time))
    attendees = _with(username, attendees)
    event_id = world.new_id("CreateEvent", 8, 4)
    event = {
        "event_id": event_id,
        "name": name,
        "event_type": event_type,
        "description": description,
        "start_time": start_time,
        "end_time": end_time,
        "location": location,
        "attendees": attendees,
    }
    world.put("Calendar", username, event_id, copy.deepcopy(event))
    return {"event_id": event_id}


@tool(
    "DeleteEvent",
    SUITE,
    "Delete an event from the user's calendar.",
    writes=True,
    event_id=text("Id of the event."),
)
def delete_event(world: World, /, event_id: Json) -> Json:
    """Remove an event."""
    username = world.username()
    _found(world, username, event_id)
    world.remove("Calendar", username, event_id)
    return {"status": "success"}


@tool(
    "ModifyEvent",
    SUITE,
    "Change an event of the user's calendar; begin and end can only be changed together.",
    writes=True,
    optional=(
        "new_name",
        "new_start_time",
        "new_end_time",
        "new_description",
        "new_location",
        "new_attendees",
    ),
    event_id=text("Id of the event."),
    new_name=text("What it is called."),
    new_start_time=text("Begin, YYYY-MM-DD HH:MM:SS."),
    new_end_time=text("End, YYYY-MM-DD HH:MM:SS."),
    new_description=text("What it is about."),
    new_location=text("Where it is."),
    new_attendees=texts("User names of all who come."),
)
def modify_event(
    world: World,
    /,
    event_id: Json,
    new_name: Json = None,
    new_start_time: Json = None,
    new_end_time: Json = None,
    new_description: Json = None,
    new_location: Json = None,
    new_attendees: Json = None,
) -> Json:
    """Write the fields one after another; what was written stays when a later one is refused."""
    username = world.username()
    _found(world, username, event_id)

    def write(field: str, value: Json) -> None:
        if value is not None:
            world.put("Calendar", username, event_id, {field: copy.deepcopy(value)})

    write("name", new_name)
    if new_start_time is not None:
        if new_end_time is None:
            raise Refusal("new_end_time must be provided if new_start_time is provided.")
        _check_times(world, moment(new_start_time), moment(new_end_time))
        write("start_time", new_start_time)
    if new_end_time is not None:
        if new_start_time is None:
            raise Refusal("new_start_time must be provided if new_end_time is provided.")
        write("end_time", new_end_time)
    write("description", new_description)
    write("location", new_location)
    write("attendees", _with(username, new_attendees))
    return {"status": "success"}


@tool(
    "QueryCalendar",
    SUITE,
    "List the user's events that begin, end or last within a span of time.",
    start_time=text("Begin of the span, YYYY-MM-DD HH:MM:SS."),
    end_time=text("End of the span, YYYY-MM-DD HH:MM:SS."),
)
def query_calendar(world: World, /, start_time: Json, end_time: Json) -> Json:
    """Events that touch the span, its ends included, in stored order."""
    username = world.username()
    events = world.owned("Calendar", username)
    if events is None:
        raise Refusal(f"User {username} has no events.")
    start, end = moment(start_time), moment(end_time)
    if start > end:
        raise Refusal("Start time must be before end time.")
    found = [event for event in events.values() if _touches(event, start, end)]
    return {"events": copy.deepcopy(found)}


def _found(world: World, username: str, event_id: Json) -> None:
    if event_id not in (world.owned("Calendar", username) or {}):
        raise Refusal(f"Event {event_id} not found.")


def _check_times(world: World, start: datetime, end: datetime) -> None:
    if start > end:
        raise Refusal("Start time must be before end time.")
    if start < world.now or end < world.now:
        raise Refusal("Start time and end time must be in the future.")


def _with(username: str, attendees: Json) -> Json:
    """A copy of the attendees with the user among them; None stays None."""
    attendees = copy.deepcopy(attendees)
    if attendees is not None and username not in attendees:
        attendees.append(username)
    return attendees


def _touches(event: Mapping[str, Json], start: datetime, end: datetime) -> bool:
    first, last = moment(event["start_time"]), moment(event["end_time"])
    return start <= first <= end or start <= last <= end or (first <= start and end <= last)
