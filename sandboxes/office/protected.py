"""The literals of a request that every other wording must keep."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sandboxes.office.world import Office

_MONTH = "January|February|March|April|May|June|July|August|September|October|November|December"
_SHAPES = (
    r"[\w.+-]+@[\w.-]+\w",
    r"\b[\w-]+\.(?:pdf|docx|xlsx|png|jpg|txt|csv)\b",
    r"\b[A-Z]{1,3}-\d+(?: rev [A-Z0-9]+)?\b",
    r"\b[A-Z]+\d+\b",
    rf"\b\d{{1,2}} (?:{_MONTH})(?: \d{{4}})?\b",
    r"\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b",
    r"\b\d{1,2}:\d{2}\b",
    r"\b\d+(?:[.,:/-]\d+)*\b",
    r"\"[^\"]+\"",
)


def protected(text: str, office: Office, keep: Iterable[str] = ()) -> tuple[str, ...]:
    """The protected literals of a text in the order in which they stand there.

    Names of people (whole or in part), organisations, places and rooms, addresses, ids, file names,
    dates, weekdays, times, numbers, and what the item's record asks to keep.
    """
    spans: list[tuple[int, int]] = []
    for match in re.finditer("|".join(f"(?:{shape})" for shape in _SHAPES), text):
        spans.append(match.span())
    for name in _names(office, keep):
        pattern = rf"(?<![\w-]){re.escape(name)}(?![\w-])"
        spans += [match.span() for match in re.finditer(pattern, text)]
    chosen: list[tuple[int, int]] = []
    for start, end in sorted(spans, key=lambda s: (s[0] - s[1], s[0])):
        if all(end <= a or start >= b for a, b in chosen):
            chosen.append((start, end))
    return tuple(dict.fromkeys(text[start:end] for start, end in sorted(chosen)))


def _names(office: Office, keep: Iterable[str]) -> set[str]:
    people = {person["name"] for person in office.people}
    parts = {part for name in people for part in name.split() if part[0].isupper()}
    parts -= {"Library", "College", "Hotel", "Skerry"}
    return people | parts | {*office.organisations, *office.other_names, *office.rooms, *keep}
