"""When a call serves a gold call, by the published rules: one rule for each tool.

Source:
    ToolTalk at e05f4ce, `check_api_call_correctness` of `src/tooltalk/apis/*.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from sandboxes.tooltalk.replay import Made
from sandboxes.tooltalk.similarity import Texts
from sandboxes.tooltalk.state import moment
from tracer.records import Json

Rule: TypeAlias = Callable[[Made, Made, Texts], bool]
"""Whether the first call serves the second, a gold call; names are equal.

It may raise where the published grader does.
"""
Value: TypeAlias = Callable[[Json, Json], bool]
"""Whether a value serves as a gold value."""

CLOSE = 0.9
LOOSE = 0.8
"""A score equal to the threshold passes."""
EVENT_TEXTS = ("name", "description", "location")
FOUND: Mapping[str, tuple[str, str]] = {
    "FindAlarms": ("alarms", "alarm_id"),
    "QueryCalendar": ("events", "event_id"),
    "SearchInbox": ("emails", "email_id"),
    "SearchMessages": ("messages", "message_id"),
    "GetReminders": ("reminders", "reminder_id"),
}
"""Tools that list things: where the list stands, and the id of a row."""


def equal(value: Json, gold: Json) -> bool:
    """Python's own equality, which takes 1 for True."""
    return bool(value == gold)


def official_matches(made: Made, gold: Made, texts: Texts) -> bool:
    """Whether a call serves a gold call.

    Raises:
        TypeError: The published grader ends here too.
    """
    if made.name != gold.name or made.exception != gold.exception or made.arguments is None:
        return False
    return RULES.get(made.name, same_response_and_arguments)(made, gold, texts)


def holds(made: Made, gold: Made, same: Value = equal) -> bool:
    """Whether every gold argument is there with its value; others are not looked at."""
    sent = made.arguments or {}
    return all(
        name in sent and same(sent[name], value) for name, value in (gold.arguments or {}).items()
    )


def same_response_and_arguments(made: Made, gold: Made, texts: Texts) -> bool:
    """The rule of most tools."""
    return equal(made.response, gold.response) and holds(made, gold)


def same_arguments(made: Made, gold: Made, texts: Texts) -> bool:
    """The id in the response does not count."""
    return holds(made, gold)


def lists_the_same(made: Made, gold: Made, texts: Texts) -> bool:
    """Everything that the gold call found was found; how does not count."""
    return _sent(made, "session_token") == _sent(gold, "session_token") and found_all(made, gold)


def same_request_and_list(made: Made, gold: Made, texts: Texts) -> bool:
    """As `lists_the_same`, and the arguments are equal both ways."""
    return made.arguments == gold.arguments and found_all(made, gold)


def found_all(made: Made, gold: Made) -> bool:
    """Whether the ids in the gold response are among those in the response."""
    return found_ids(gold) <= found_ids(made)


def found_ids(call: Made) -> set[str]:
    """Ids of the rows that a listing tool gave."""
    rows, key = FOUND[call.name]
    return {row[key] for row in (call.response or {}).get(rows, ())}


def event(prefix: str, same: Value = equal) -> Rule:
    """The rule for events: texts by similarity, all else by `same`.

    Args:
        prefix: What stands before the names of the texts.
        same: How times and lists are compared.
    """
    by_similarity = {prefix + name for name in EVENT_TEXTS}

    def rule(made: Made, gold: Made, texts: Texts) -> bool:
        if made.name == "ModifyEvent" and not equal(made.response, gold.response):
            return False
        for name, value in (gold.arguments or {}).items():
            given = _sent(made, name)
            if given is None:
                return False
            if name in by_similarity:
                if not texts.alike(value, given, CLOSE, name):
                    return False
            elif not same(given, value):
                return False
        return True

    return rule


def email(made: Made, gold: Made, texts: Texts) -> bool:
    """The same receivers, in whatever order; subject and text by similarity."""
    return (
        _sent(made, "session_token") == _sent(gold, "session_token")
        and set(_sent(made, "to") or ()) == set(_sent(gold, "to"))
        and texts.alike(_sent(made, "subject"), _sent(gold, "subject"), CLOSE, "subject")
        and texts.alike(_sent(made, "body"), _sent(gold, "body"), LOOSE, "body")
    )


def message(made: Made, gold: Made, texts: Texts) -> bool:
    """The text by similarity. The published code compares the receiver with itself."""
    return _sent(made, "session_token") == _sent(gold, "session_token") and texts.alike(
        _sent(made, "message"), _sent(gold, "message"), LOOSE, "message"
    )


def reminder(made: Made, gold: Made, texts: Texts) -> bool:
    """The task by similarity, the date by its day."""
    sent = made.arguments or {}
    for name, value in (gold.arguments or {}).items():
        if name not in sent:
            return False
        if name == "due_date":
            if moment(sent[name]).date() != moment(value).date():
                return False
        elif name == "task":
            if not texts.alike(sent[name], value, CLOSE, name):
                return False
        elif not equal(sent[name], value):
            return False
    return True


def _sent(call: Made, name: str) -> Json:
    return (call.arguments or {}).get(name)


RULES: Mapping[str, Rule] = {
    "AddAlarm": same_arguments,
    "FindAlarms": lists_the_same,
    "CreateEvent": event(""),
    "ModifyEvent": event("new_"),
    "QueryCalendar": lists_the_same,
    "SearchInbox": lists_the_same,
    "SearchMessages": lists_the_same,
    "SendEmail": email,
    "SendMessage": message,
    "AddReminder": reminder,
    "GetReminders": same_request_and_list,
}
"""Tools with a rule of their own."""
