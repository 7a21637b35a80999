"""Rows in a tool's result: which one is meant, its id, its time, the addresses in it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime

from assistants.literals import ADDRESS, ISO_TIME
from assistants.planner.vocabulary import NOUNS
from assistants.words import stem, words
from tracer.records import Json

Row = Mapping[str, Json]
_TIME_ASKED = re.compile(
    r"\bwhen\b|\b(?:which|what) (?:day|date|time|hour|weekday)\b", re.IGNORECASE
)


def read_result(text: str) -> Json:
    """A tool message's text as a value; text that is no JSON stays text."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def rows(result: Json) -> list[Row]:
    """The records in a result: a list of them, alone or under a key; one record counts as a list.

    Example:
        >>> rows({"mails": [{"id": "m-1"}], "more": False}), rows("nothing")
        ([{'id': 'm-1'}], [])
    """
    if isinstance(result, list):
        return [row for row in result if isinstance(row, Mapping)]
    if not isinstance(result, Mapping) or failed(result):
        return []
    for value in result.values():
        if isinstance(value, list) and all(isinstance(row, Mapping) for row in value):
            return list(value)
    return [result]


def failed(result: Json) -> bool:
    """Whether the result is the text of an error."""
    if isinstance(result, Mapping):
        return "error" in result
    return isinstance(result, str) and result.startswith("error")


def row_id(row: Row, noun: str) -> str | None:
    """The id of a row: its `id`, else the `..._id` of the kind of thing asked for, else any.

    Example:
        >>> row_id({"thread_id": "t-1", "mail_id": "m-1"}, "mail")
        'm-1'
    """
    if row.get("id") is not None:
        return str(row["id"])
    ids = [key for key in row if key.endswith("_id")]
    own = [key for key in ids if NOUNS.get(stem(key[: -len("_id")])) == noun]
    return str(row[(own or ids)[0]]) if ids else None


def row_time(row: Row) -> str:
    """The first time or day in a row, as text that sorts; empty when there is none."""
    for value in row.values():
        if isinstance(value, str):
            match = ISO_TIME.match(value)
            if match or (len(value) == 10 and value[4:8:3] == "--"):
                return value
    return ""


def text(row: Row) -> str:
    """Everything that a row says."""
    return " ".join(json.dumps(value, ensure_ascii=False) for value in row.values())


def named_field(row: Row, question: str) -> str:
    """The value of the field that a question names, or its time where it asks for one.

    Example:
        >>> named_field({"name": "Bo", "phone": "555"}, "What is Bo's phone number?")
        '555'
        >>> named_field({"start": "2026-03-13 09:00"}, "On which day is it?")
        'Friday 13 March 2026, 09:00'
    """
    asked = {stem(word) for word in words(question)}
    for name, value in row.items():
        if value and not isinstance(value, list | dict) and stem(name.lower()) in asked:
            return str(value)
    at = row_time(row)
    if at and _TIME_ASKED.search(question):
        moment = datetime.fromisoformat(at)
        clock = f", {moment:%H:%M}" if len(at) > len("2026-03-13") else ""
        return f"{moment:%A} {moment.day} {moment:%B %Y}{clock}"
    return ""


def about(candidates: Sequence[Row], person: str | None) -> list[Row]:
    """The rows that have the person in an address or a short field; all when none has.

    Example:
        >>> about([{"sender": "bo@x.y"}, {"sender": "al@x.y", "body": "to Bo"}], "Bo")
        [{'sender': 'bo@x.y'}]
    """
    if not person:
        return list(candidates)
    names = words(person)

    def has(row: Row) -> bool:
        short = " ".join(
            str(value).lower()
            for key, value in row.items()
            if isinstance(value, str)
            and (ADDRESS.fullmatch(value) or "sender" in key or key == "from")
        )
        return bool(short) and all(name in short for name in names)

    return [row for row in candidates if has(row)] or list(candidates)


def addresses(result: Json) -> list[str]:
    """All addresses in a result, each once, in order.

    Example:
        >>> addresses([{"email": "bo@x.y"}, "al@x.y"])
        ['bo@x.y', 'al@x.y']
    """
    return list(dict.fromkeys(ADDRESS.findall(json.dumps(result, ensure_ascii=False))))
