"""Alarms: set, delete, find.

Source:
    ToolTalk at e05f4ce, `src/tooltalk/apis/alarm.py`.
"""

from __future__ import annotations

from datetime import UTC, datetime, time

from sandboxes.tooltalk.refusal import Refusal
from sandboxes.tooltalk.state import World
from sandboxes.tooltalk.toolkit import text, tool
from tracer.records import Json

SUITE = "Alarm"
CLOCK = "%H:%M:%S"


def time_of_day(given: Json) -> time:
    """A time such as 06:30:00.

    Raises:
        ValueError: The text has another form.
        TypeError: It is no text.
    """
    return datetime.strptime(given, CLOCK).replace(tzinfo=UTC).time()


@tool(
    "AddAlarm",
    SUITE,
    "Set an alarm.",
    writes=True,
    time=text("When it rings, HH:MM:SS."),
)
def add_alarm(world: World, /, time: Json) -> Json:
    """Store an alarm; the time stays as it was sent."""
    time_of_day(time)
    username = world.username()
    alarm_id = world.new_id("AddAlarm", 4, 4)
    world.put("Alarm", username, alarm_id, {"alarm_id": alarm_id, "time": time})
    return {"alarm_id": alarm_id}


@tool(
    "DeleteAlarm",
    SUITE,
    "Delete an alarm.",
    writes=True,
    alarm_id=text("Id of the alarm."),
)
def delete_alarm(world: World, /, alarm_id: Json) -> Json:
    """Remove an alarm."""
    username = world.username()
    if alarm_id not in (world.owned("Alarm", username) or {}):
        raise Refusal(f"Alarm {alarm_id} not found.")
    world.remove("Alarm", username, alarm_id)
    return {"status": "success"}


@tool(
    "FindAlarms",
    SUITE,
    "List the user's alarms, all or those within a span of time.",
    optional=("start_range", "end_range"),
    start_range=text("Earliest time, HH:MM:SS."),
    end_range=text("Latest time, HH:MM:SS."),
)
def find_alarms(world: World, /, start_range: Json = None, end_range: Json = None) -> Json:
    """Alarms between two times, both included."""
    alarms = world.owned("Alarm", world.username())
    if alarms is None:
        return {"alarms": []}
    first = time.min if start_range is None else time_of_day(start_range)
    last = time.max if end_range is None else time_of_day(end_range)
    if start_range is not None and end_range is not None and first > last:
        raise Refusal("Start range must be earlier than end range.")
    found = [dict(row) for row in alarms.values() if first <= time_of_day(row["time"]) <= last]
    return {"alarms": found}
