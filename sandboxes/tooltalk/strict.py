"""When a call serves a gold call, with the known faults of the published rules mended.

Source:
    Ours; each fault is named in the docstring of what mends it and has a pair of tests.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from numbers import Real
from typing import TypeVar

from sandboxes.tooltalk import match
from sandboxes.tooltalk.match import Rule, Value
from sandboxes.tooltalk.replay import Made
from sandboxes.tooltalk.similarity import Texts
from sandboxes.tooltalk.state import moment
from sandboxes.tooltalk.tools.alarm import time_of_day
from sandboxes.tooltalk.tools.weather import city_name
from tracer.records import Json

A = TypeVar("A")
B = TypeVar("B")

_FREE = frozenset({"description", "new_description"})
"""Words that a call may add without doing more than was asked."""


def strict_matches(made: Made, gold: Made, texts: Texts) -> bool:
    """Whether a call serves a gold call.

    Arguments that the published grader breaks at serve nothing.
    """
    if made.name != gold.name or made.exception != gold.exception or made.arguments is None:
        return False
    try:
        fits = RULES.get(made.name, same_response_and_arguments)(made, gold, texts)
    except (TypeError, ValueError, AttributeError):
        return False
    return fits and not (made.action and _does_more(made, gold))


def same_value(value: Json, gold: Json) -> bool:
    """Equality of JSON: a truth value is no number (the published code takes 1 for true)."""
    if isinstance(value, bool) or isinstance(gold, bool):
        return value is gold
    if isinstance(value, Real) and isinstance(gold, Real):
        return bool(value == gold)
    if isinstance(value, Mapping) and isinstance(gold, Mapping):
        return value.keys() == gold.keys() and all(same_value(value[k], gold[k]) for k in gold)
    if isinstance(value, list) and isinstance(gold, list):
        return len(value) == len(gold) and all(map(same_value, value, gold))
    return type(value) is type(gold) and bool(value == gold)


def read_as(read: Callable[[Json], Json]) -> Value:
    """Equality of what the tool reads out of two texts, such as 6:30:00 and 06:30:00."""

    def same(value: Json, gold: Json) -> bool:
        try:
            return bool(read(value) == read(gold))
        except (TypeError, ValueError, AttributeError):
            return same_value(value, gold)

    return same


def same_moment_or_people(value: Json, gold: Json) -> bool:
    """Times by the moment, people in any order; the published code compares texts and lists."""
    if isinstance(value, list) and isinstance(gold, list):
        return sorted(map(repr, value)) == sorted(map(repr, gold))
    return read_as(moment)(value, gold)


def same_response_and_arguments(made: Made, gold: Made, texts: Texts) -> bool:
    """The rule of most tools."""
    return same_value(made.response, gold.response) and match.holds(made, gold, same_value)


def weather(made: Made, gold: Made, texts: Texts) -> bool:
    """A city or month in other letters is the same, as it is for the tool."""
    return same_value(made.response, gold.response) and match.holds(made, gold, read_as(city_name))


def alarm(made: Made, gold: Made, texts: Texts) -> bool:
    """Times by the moment of the day."""
    return match.holds(made, gold, read_as(time_of_day))


def event(prefix: str) -> Rule:
    """Events, with or without the user's own name among the attendees."""
    rule = match.event(prefix, same_moment_or_people)

    def without_own_name(made: Made, gold: Made, texts: Texts) -> bool:
        name = prefix + "attendees"
        wanted = (gold.arguments or {}).get(name)
        given = (made.arguments or {}).get(name)
        if isinstance(given, list) and isinstance(wanted, list):
            made = _with(made, name, [person for person in given if person != made.user])
            gold = _with(gold, name, [person for person in wanted if person != made.user])
        return rule(made, gold, texts)

    return without_own_name


def message(made: Made, gold: Made, texts: Texts) -> bool:
    """The receiver counts (the published code compares it with itself)."""
    return same_value(
        (made.arguments or {}).get("receiver"), (gold.arguments or {}).get("receiver")
    ) and match.message(made, gold, texts)


def calendar(made: Made, gold: Made, texts: Texts) -> bool:
    """Where the gold call found nothing, the call has to look over the same span at least.

    By the published rule any look into the calendar serves then.
    """
    if not match.lists_the_same(made, gold, texts):
        return False
    if match.found_ids(gold):
        return True
    sent, wanted = made.arguments or {}, gold.arguments or {}
    return moment(sent["start_time"]) <= moment(wanted["start_time"]) and moment(
        sent["end_time"]
    ) >= moment(wanted["end_time"])


def _does_more(made: Made, gold: Made) -> bool:
    """Whether an action writes what nobody asked for (the published code ignores extra arguments).

    What is null, adds words of description, names the user alone, or changes nothing is no more.
    """
    wanted = (gold.arguments or {}).keys()
    for name, value in (made.arguments or {}).items():
        if name in wanted or value is None or name in _FREE:
            continue
        if name.endswith("attendees") and value in ([], [made.user]):
            continue
        if name.removeprefix("new_").removesuffix("_number") in _written(made):
            return True
    return False


def _written(made: Made) -> set[str]:
    return {field for change in made.changes for field in (change.after or {})}


def _with(call: Made, name: str, value: Json) -> Made:
    return replace(call, arguments={**(call.arguments or {}), name: value})


def most_pairs(
    left: Sequence[A], right: Sequence[B], fits: Callable[[int, int], bool]
) -> dict[int, int]:
    """The largest one-to-one pairing, earlier ones of both sides first: left index to right index.

    The published code takes the first that fits, and may leave calls unpaired that way.

    Example:
        >>> most_pairs("ab", "xy", lambda i, j: (i, j) != (1, 1))
        {0: 1, 1: 0}
    """
    options = [[j for j in range(len(right)) if fits(i, j)] for i in range(len(left))]
    taken: dict[int, int] = {}

    def place(i: int, seen: set[int]) -> bool:
        for j in options[i]:
            if j in seen:
                continue
            seen.add(j)
            if j not in taken or place(taken[j], seen):
                taken[j] = i
                return True
        return False

    for i in range(len(left)):
        place(i, set())
    return dict(sorted((i, j) for j, i in taken.items()))


RULES: Mapping[str, Rule] = {
    **match.RULES,
    "AddAlarm": alarm,
    "CreateEvent": event(""),
    "ModifyEvent": event("new_"),
    "QueryCalendar": calendar,
    "SendMessage": message,
    "CurrentWeather": weather,
    "ForecastWeather": weather,
    "HistoricWeather": weather,
}
