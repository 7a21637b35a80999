"""What every wording of a user turn must keep."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sandboxes.tooltalk.replay import Made
from tracer.records import Json

_SHAPES = (
    r"[\w.+-]+@[\w-]+(?:\.[\w-]+)*",
    r"\b\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2})?)?\b",
    r"\b\d{3}-\d{3}-\d{4}\b",
    r"\b\d{1,2}(?::\d{2})? ?[ap](?:m\b|\.m\.)",
    r"\b\d{1,2}/\d{1,2}(?:/\d{2,4})?\b",
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b",
    r"\b(?:january|february|march|april|may|june|july|august|september|october|november|december)"
    r"(?: \d{1,2}(?:st|nd|rd|th)?)?\b(?<!\bmay)",
    r"\b(?:today|tonight|tomorrow|yesterday|noon|midnight)\b",
    r"\b\d+(?:[.,:]\d+)*(?:st|nd|rd|th)?\b",
)
_QUOTED = re.compile(r"(?<!\w)(['\"])(.+?)\1(?!\w)", re.DOTALL)
_PATTERN = re.compile("|".join(_SHAPES), re.IGNORECASE)
_CHOICES = ("event_type", "match_type")
"""Arguments with a word of the benchmark, not of the user."""
_SHORTEST = 3
"""Characters of a value that is looked for in a text."""


def protected_literals(text: str, calls: Iterable[Made], names: Iterable[str]) -> tuple[str, ...]:
    """Literals of a turn, as they stand in its text, in order.

    Values of gold arguments, quoted texts, addresses, numbers, days and times, and names; one that
    stands inside a longer one is covered by it.

    Args:
        text: What the user says.
        calls: Gold calls of the conversation: an argument may be said turns before its call.
        names: User names and names of people and cities.

    Source:
        Ours: what changes the task when it is changed.
    """
    values = {
        value
        for call in calls
        for argument, given in (call.arguments or {}).items()
        if argument not in _CHOICES
        for value in _texts(given)
        if len(value) >= _SHORTEST
    }
    spans = [match.span() for match in _PATTERN.finditer(text)]
    spans += [match.span(2) for match in _QUOTED.finditer(text)]
    for value in {*values, *names}:
        pattern = re.compile(rf"(?<!\w){re.escape(value)}(?!\w)", re.IGNORECASE)
        spans += [match.span() for match in pattern.finditer(text)]
    outer = sorted(
        (start, end)
        for start, end in set(spans)
        if not any(a <= start and end <= b and (a, b) != (start, end) for a, b in spans)
    )
    return tuple(dict.fromkeys(text[start:end] for start, end in outer))


def _texts(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
