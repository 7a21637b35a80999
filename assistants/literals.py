"""Typed spans of a text, found by their shape: addresses, dates, times, amounts, numbers, names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta

MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
NUMBER_WORDS = {
    word: number
    for number, word in enumerate(
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
         "eleven", "twelve")
    )
}  # fmt: skip

_MONTH = "|".join(f"{month}|{month[:3]}\\.?" for month in MONTHS)
_DAY = "|".join(WEEKDAYS)

ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
QUOTED = re.compile(
    r"\"([^\"]+)\"|\u201c([^\u201d]+)\u201d|(?<!\w)'((?:[^']|(?<=\w)'(?=\w))+)'(?!\w)|\u2018([^\u2019]+)\u2019"
)
ISO_TIME = re.compile(r"\b(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}(?::\d{2})?)\b")
DATE = re.compile(
    rf"\b(?:(?P<iso>\d{{4}}-\d{{2}}-\d{{2}})"
    rf"|(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<m1>{_MONTH})(?:,? (?P<y1>\d{{4}}))?"
    rf"|(?P<m2>{_MONTH}) (?P<d2>\d{{1,2}})(?:st|nd|rd|th)?(?:,? (?P<y2>\d{{4}}))?)(?![\w-])",
    re.IGNORECASE,
)
RELATIVE_DAY = re.compile(
    r"\b(?P<word>today|tonight|tomorrow|yesterday)\b"
    rf"|\b(?:(?P<which>next|this|last|on|by) )?(?P<day>{_DAY})\b",
    re.IGNORECASE,
)
LAST_DAYS = re.compile(
    rf"\b(?:last|past|previous)\s+(?P<number>\d+|{'|'.join(NUMBER_WORDS)})\s+days?\b"
    r"|\b(?P<week>(?:last|past|previous)\s+week)\b",
    re.IGNORECASE,
)
TIME = re.compile(
    r"\b(?:(?P<h1>\d{1,2})[:.](?P<m1>\d{2})(?::\d{2})?(?:\s?(?P<p1>[ap])\.?m\b\.?)?"
    r"|(?P<h2>\d{1,2})\s?(?P<p2>[ap])\.?m\b\.?|(?P<noon>noon|midday))",
    re.IGNORECASE,
)
DURATION = re.compile(
    r"\b(?P<number>\d+(?:\.\d+)?|half an|an?|one|two|three|four)[\s-]"
    r"(?P<unit>minutes?|mins?|hours?|hrs?|days?)\b(?P<half> and a half)?",
    re.IGNORECASE,
)
AMOUNT = re.compile(
    r"(?:\b(?:EUR|USD|GBP|CHF)|[€$£])\s?\d[\d,]*(?:\.\d+)?(?:\s?(?:k|million|thousand)\b)?"
    r"|\b\d[\d,]*(?:\.\d+)?\s?(?:EUR|USD|GBP|euros?|dollars?|pounds?|€|\$|£)",
    re.IGNORECASE,
)
NUMBER = re.compile(
    r"(?<![\w.,/-])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\w-])|(?<![\w.,/-])\d+(?:\.\d+)?(?![\w-])"
)
CODE = re.compile(r"\b(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z][\w]*-?[\w]+\b")
NAME = re.compile(
    r"\b[A-Z][\w'\u2019]+(?:-[A-Z]\w+)?(?:\s+(?:(?:of|the|de|van|von)\s+)?[A-Z][\w'\u2019]+(?:-[A-Z]\w+)?)*"
)


def quoted(text: str) -> list[str]:
    """What stands between quotation marks, in order.

    Example:
        >>> quoted("reply 'it's fine' to 'Ann'")
        ["it's fine", 'Ann']
    """
    return [next(part for part in match.groups() if part) for match in QUOTED.finditer(text)]


def dates(text: str, today: date | None) -> list[date]:
    """The days a text names, in order; relative ones only when `today` is known.

    A weekday alone is the next one after today; a day without a year is taken in the year that
    brings it closest to today.

    Example:
        >>> dates("from 9 March to Friday", date(2026, 2, 27))
        [datetime.date(2026, 3, 9), datetime.date(2026, 3, 6)]
    """
    found = list(_absolute_dates(text, today))
    if today is not None:
        covered = [place for place, _ in found]
        found += [
            (match.start(), _relative(match, today))
            for match in RELATIVE_DAY.finditer(text)
            # "Monday 2 March" names one day, not two.
            if not any(match.start() <= place <= match.end() + 2 for place in covered)
        ]
    return [day for _, day in sorted(found)]


def _absolute_dates(text: str, today: date | None) -> Iterator[tuple[int, date]]:
    for match in DATE.finditer(text):
        parts = match.groupdict()
        try:
            if parts["iso"]:
                yield match.start(), date.fromisoformat(parts["iso"])
                continue
            day = int(parts["d1"] or parts["d2"])
            month = _month(parts["m1"] or parts["m2"])
            year = parts["y1"] or parts["y2"]
            yield match.start(), _nearest_year(day, month, int(year) if year else None, today)
        except ValueError:
            continue


def _month(word: str) -> int:
    start = word.lower()[:3]
    return next(number for number, month in enumerate(MONTHS, 1) if month.startswith(start))


def _nearest_year(day: int, month: int, year: int | None, today: date | None) -> date:
    if year is not None:
        return date(year, month, day)
    if today is None:
        raise ValueError("a day without a year, and today is not known")
    years = (today.year - 1, today.year, today.year + 1)
    return min((date(y, month, day) for y in years), key=lambda d: abs((d - today).days))


def _relative(match: re.Match[str], today: date) -> date:
    word = (match["word"] or "").lower()
    if word:
        return today + timedelta(days={"tomorrow": 1, "yesterday": -1}.get(word, 0))
    wanted = WEEKDAYS.index(match["day"].lower())
    if (match["which"] or "").lower() == "last":
        return today - timedelta(days=(today.weekday() - wanted - 1) % 7 + 1)
    return today + timedelta(days=(wanted - today.weekday() - 1) % 7 + 1)


def span(text: str, today: date | None) -> tuple[date | None, date | None]:
    """First and last day of a span such as "the last three days" or "last week".

    A week is the one from Monday to Sunday before this one; a number of days ends today, and its
    last day is left open.

    Example:
        >>> span("mails of the last 3 days", date(2026, 2, 27))
        (datetime.date(2026, 2, 24), None)
        >>> span("mails from last week", date(2026, 2, 27))
        (datetime.date(2026, 2, 16), datetime.date(2026, 2, 22))
    """
    match = LAST_DAYS.search(text)
    if match is None or today is None:
        return None, None
    if match["week"]:
        monday = today - timedelta(days=today.weekday() + 7)
        return monday, monday + timedelta(days=6)
    word = match["number"].lower()
    days = NUMBER_WORDS[word] if word in NUMBER_WORDS else int(word)
    return today - timedelta(days=days), None


def times(text: str) -> list[str]:
    """The times of day a text names, in order, as HH:MM.

    Example:
        >>> times("from 2 pm to 15:30")
        ['14:00', '15:30']
    """
    found = []
    for match in TIME.finditer(text):
        if match["noon"]:
            found.append("12:00")
            continue
        hour, minute = int(match["h1"] or match["h2"]), int(match["m1"] or 0)
        half = (match["p1"] or match["p2"] or "").lower()
        if half:
            hour = hour % 12 + (12 if half == "p" else 0)
        if hour < 24 and minute < 60:
            found.append(f"{hour:02d}:{minute:02d}")
    return found


def minutes(text: str) -> int | None:
    """The first duration a text names, in minutes.

    Example:
        >>> minutes("a 30-minute call"), minutes("an hour and a half"), minutes("soon")
        (30, 90, None)
    """
    match = DURATION.search(text)
    if match is None:
        return None
    word = match["number"].lower()
    if word == "half an":
        number = 0.5
    elif word in ("a", "an"):
        number = 1.0
    else:
        number = float(NUMBER_WORDS.get(word, 0) or word)
    number += 0.5 if match["half"] else 0.0
    unit = match["unit"].lower()
    return round(number * (1 if unit.startswith("m") else 60 if unit.startswith("h") else 1440))


def now_of(text: str) -> datetime | None:
    """The day, and the time if there is one, that a description of the world calls the present.

    The first date after a word such as "now", "today" or "current"; else the first date at all.

    Example:
        >>> now_of("Today is Thursday, 2023-11-30.")
        datetime.datetime(2023, 11, 30, 0, 0)
    """
    start = re.search(r"\b(?:now|today|current|currently|clock)\b", text, re.IGNORECASE)
    for piece in ([text[start.start() :]] if start else []) + [text]:
        days = dates(piece, None)
        if days:
            clock = [time for time in times(DATE.sub(" ", piece)) if time]
            hour, minute = (int(part) for part in clock[0].split(":")) if clock else (0, 0)
            return datetime(days[0].year, days[0].month, days[0].day, hour, minute)  # noqa: DTZ001
    return None
