"""How mails and messages are searched: the same filters over other fields.

Source:
    ToolTalk at e05f4ce, `src/tooltalk/apis/email.py` and `message.py`.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sandboxes.tooltalk.refusal import Refusal
from sandboxes.tooltalk.state import moment
from sandboxes.tooltalk.toolkit import text
from tracer.records import Json

FILTERS = ("query", "match_type", "sender", "start_date", "end_date")
QUERY = text("Words to look for.")
MATCH_TYPE = text("Whether any word is enough (default) or all are needed.", "any", "all")
SENDER = text("Exact sender.")
START_DATE = text("Earliest moment, YYYY-MM-DD HH:MM:SS.")
END_DATE = text("Latest moment, YYYY-MM-DD HH:MM:SS.")
SHOWN = 5


@dataclass(frozen=True, slots=True)
class Filters:
    """What a search asks for, as it was sent."""

    query: Json
    match_type: Json
    sender: Json
    start_date: Json
    end_date: Json


def search(
    records: Sequence[Mapping[str, Json]],
    filters: Filters,
    *,
    now: datetime,
    date: str,
    fields: Sequence[str],
) -> list[Json]:
    """Copies of the newest five records that pass; one later than `now` is not there yet.

    Args:
        records: All records in stored order.
        filters: At least one besides `match_type` is given; an empty query filters nothing.
        now: The clock.
        date: Field with a record's moment.
        fields: Fields in which words are looked for.

    Raises:
        Refusal: The filters are refused.
    """
    bounds = filters.start_date, filters.end_date
    if all(given is None for given in (filters.query, filters.sender, *bounds)):
        raise Refusal("At least one of query, sender, start_date, end_date must be provided.")
    if filters.match_type not in ("any", "all"):
        raise Refusal('match_type must be either "any" or "all".')
    first, last = (None if given is None else moment(given) for given in bounds)
    if first is not None and last is not None and first > last:
        raise Refusal("Start date must be earlier than end date.")
    words = [] if filters.query is None else filters.query.lower().split()
    enough = any if filters.match_type == "any" else all
    found = []
    for record in records:
        when = moment(record[date])
        if when > now or (first is not None and when < first) or (last is not None and when > last):
            continue
        if filters.sender is not None and record["sender"] != filters.sender:
            continue
        if words and not enough(_holds(record, word, fields) for word in words):
            continue
        found.append(record)
    found.sort(key=lambda record: moment(record[date]), reverse=True)
    return copy.deepcopy(found[:SHOWN])


def _holds(record: Mapping[str, Json], word: str, fields: Sequence[str]) -> bool:
    return any(word in record[field].lower() for field in fields)
