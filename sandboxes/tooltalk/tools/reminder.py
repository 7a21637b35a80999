"""Reminders: add, complete, delete, list.

Source:
    ToolTalk at e05f4ce, `src/tooltalk/apis/reminder.py`.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping

from sandboxes.tooltalk.refusal import Refusal
from sandboxes.tooltalk.state import World, moment
from sandboxes.tooltalk.toolkit import text, tool
from tracer.records import Json

SUITE = "Reminder"


@tool(
    "AddReminder",
    SUITE,
    "Add something to the user's list of things to do.",
    writes=True,
    optional=("due_date",),
    task=text("What is to be done."),
    due_date=text("When it is due, YYYY-MM-DD HH:MM:SS."),
)
def add_reminder(world: World, /, task: Json, due_date: Json = None) -> Json:
    """Store a pending reminder; the user's list is begun even when the date is refused."""
    username = world.username()
    world.make_room("Reminder", username)
    if due_date is not None:
        try:
            moment(due_date)
        except ValueError as error:
            raise Refusal(f"Invalid due_date: {due_date}") from error
    task = copy.deepcopy(task)
    reminder_id = world.new_id("AddReminder", 2, 4)
    reminder = {
        "reminder_id": reminder_id,
        "task": task,
        "due_date": due_date,
        "status": "pending",
    }
    world.put("Reminder", username, reminder_id, reminder)
    return {"reminder_id": reminder_id}


@tool(
    "CompleteReminder",
    SUITE,
    "Mark something on the user's list as done.",
    writes=True,
    reminder_id=text("Id of the reminder."),
)
def complete_reminder(world: World, /, reminder_id: Json) -> Json:
    """Set the status."""
    username = world.username()
    if _found(world, username, reminder_id)["status"] == "complete":
        raise Refusal(f"Reminder {reminder_id} already completed")
    world.put("Reminder", username, reminder_id, {"status": "complete"})
    return {"status": "success"}


@tool(
    "DeleteReminder",
    SUITE,
    "Take something off the user's list.",
    writes=True,
    reminder_id=text("Id of the reminder."),
)
def delete_reminder(world: World, /, reminder_id: Json) -> Json:
    """Remove a reminder."""
    username = world.username()
    _found(world, username, reminder_id)
    world.remove("Reminder", username, reminder_id)
    return {"status": "success"}


@tool("GetReminders", SUITE, "Show the user's list of things to do.")
def get_reminders(world: World, /) -> Json:
    """All reminders, done ones too."""
    reminders = world.owned("Reminder", world.username()) or {}
    return {"reminders": [copy.deepcopy(row) for row in reminders.values()]}


def _found(world: World, username: str, reminder_id: Json) -> Mapping[str, Json]:
    """The reminder.

    Raises:
        Refusal: The user's list has no such reminder.
        KeyError: The user has no list; its text is the published answer.
    """
    reminders = world.entries("Reminder")[username]
    if reminder_id not in reminders:
        raise Refusal(f"Reminder {reminder_id} not found in database")
    row: Mapping[str, Json] = reminders[reminder_id]
    return row
