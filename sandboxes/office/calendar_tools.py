"""Seven tools over the calendar."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from sandboxes.office.mail_tools import clean_addresses
from sandboxes.office.refusal import Refusal
from sandboxes.office.schema import LIMIT, SOME_TEXTS, TEXT, TEXTS, moment, spec
from sandboxes.office.state import Row, State
from tracer.records import Json

_SHAPE = "%Y-%m-%d %H:%M"
_DAY_START, _DAY_END = 8, 18
_MOST_DAYS = 62
_SCOPE = {"type": "string", "enum": ["one", "series"]}
_MINUTES = {"type": "integer", "minimum": 5, "maximum": 600}


def list_events(
    state: State, start: str, end: str, attendee: str | None = None, limit: int = 10
) -> Json:
    """Events that overlap a span of time, in the order of their starts."""
    first, last = _span(start, end)
    who = attendee.strip().casefold() if attendee else None
    rows = [
        row
        for row in state.rows("event")
        if row["start"] < last and row["end"] > first and (not who or who in row["attendees"])
    ]
    return _listed(rows, limit)


def search_events(state: State, query: str, limit: int = 10) -> Json:
    """Events that hold every word of the query."""
    words = query.casefold().split()
    rows = [row for row in state.rows("event") if all(w in _text(state, row) for w in words)]
    return _listed(rows, limit)


def read_event(state: State, event_id: str) -> Json:
    """All fields of an event."""
    return dict(_event(state, event_id))


def find_free_time(
    state: State, attendees: Sequence[str], start: str, end: str, minutes: int
) -> Json:
    """At most five times at which all are free, on weekdays between 08:00 and 18:00."""
    first, last = _span(start, end)
    who = set(clean_addresses(attendees))
    busy = sorted(
        (row["start"], row["end"])
        for row in state.rows("event")
        if row["status"] != "cancelled" and who & {*row["attendees"], row["organiser"]}
    )
    return {"slots": list(_slots(max(first, state.office.clock), last, minutes, busy))}


def create_event(
    state: State,
    title: str,
    start: str,
    end: str,
    attendees: Sequence[str] = (),
    location: str = "",
    notes: str = "",
) -> Json:
    """Put a new event into the calendar."""
    if not title.strip():
        raise Refusal("empty title")
    first, last = _span(start, end)
    _check_time(state, first, last)
    place = _room(state, location)
    _check_room(state, place, first, last, "")
    fields = {
        "title": title,
        "start": first,
        "end": last,
        "attendees": clean_addresses(attendees),
        "location": place,
        "notes": notes,
        "series": None,
        "organiser": state.office.owner,
        "status": "confirmed",
    }
    return {"id": state.add("event", fields)}


def update_event(
    state: State,
    event_id: str,
    title: str | None = None,
    start: str | None = None,
    end: str | None = None,
    attendees: Sequence[str] | None = None,
    location: str | None = None,
    notes: str | None = None,
    scope: str = "one",
) -> Json:
    """Change fields of an event, or of it and all later ones of its series."""
    row = _event(state, event_id)
    new: dict[str, Json] = {
        name: value for name, value in (("title", title), ("notes", notes)) if value is not None
    }
    if attendees is not None:
        new["attendees"] = clean_addresses(attendees)
    if location is not None:
        new["location"] = _room(state, location)
    shift = timedelta()
    length = _time(row["end"]) - _time(row["start"])
    if start is not None or end is not None:
        first = moment(start, "start") if start is not None else row["start"]
        shift = _time(first) - _time(row["start"])
        last = moment(end, "end") if end is not None else _written(_time(first) + length)
        if last <= first:
            raise Refusal("end before start")
        _check_time(state, first, last)
        length = _time(last) - _time(first)
    rows = _series(state, row) if scope == "series" else [row]
    plans = [_plan(each, new, shift, length, moves=start or end) for each in rows]
    ours = {each["id"] for each in rows}
    for each, plan in zip(rows, plans, strict=True):
        after = {**each, **plan}
        if plan.keys() & {"start", "end", "location"} and after["status"] != "cancelled":
            _check_room(state, after["location"], after["start"], after["end"], each["id"], ours)
    changed = [state.update("event", e["id"], p) for e, p in zip(rows, plans, strict=True)]
    return {"id": event_id, "changed": changed[0], "events": sum(map(bool, changed))}


def cancel_event(state: State, event_id: str, scope: str = "one") -> Json:
    """Cancel an event, or it and all later ones of its series."""
    row = _event(state, event_id)
    rows = [
        each
        for each in (_series(state, row) if scope == "series" else [row])
        if each["status"] != "cancelled"
    ]
    if not rows:
        raise Refusal(f"event {event_id} is cancelled already")
    for each in rows:
        state.update("event", each["id"], {"status": "cancelled"})
    return {"cancelled": len(rows)}


def _event(state: State, event_id: str) -> Row:
    row = state.get("event", event_id)
    if row is None:
        raise Refusal(f"no event {event_id}")
    return row


def _series(state: State, row: Row) -> list[Row]:
    if row["series"] is None:
        return [row]
    return [
        each
        for each in state.rows("event")
        if each["series"] == row["series"] and each["start"] >= row["start"]
    ]


def _plan(
    row: Row, new: dict[str, Json], shift: timedelta, length: timedelta, *, moves: object
) -> dict[str, Json]:
    if not moves:
        return dict(new)
    first = _time(row["start"]) + shift
    return {**new, "start": _written(first), "end": _written(first + length)}


def _span(start: str, end: str) -> tuple[str, str]:
    first, last = moment(start, "start"), moment(end, "end")
    if last <= first:
        raise Refusal("end before start")
    return first, last


def _check_time(state: State, first: str, last: str) -> None:
    if first < state.office.clock:
        raise Refusal(f"in the past: it is {state.office.clock}")
    if _time(last) - _time(first) > timedelta(days=_MOST_DAYS):
        raise Refusal(f"longer than {_MOST_DAYS} days")


def _room(state: State, location: str) -> str:
    """A room by its own name also where another of its names was given; other places as given."""
    wanted = location.strip().casefold().removeprefix("the ")
    for room, others in state.office.rooms.items():
        known = {room.casefold(), *(other.casefold().removeprefix("the ") for other in others)}
        if wanted in known | {f"room {room.casefold()}", f"{room.casefold()} room"}:
            return room
    return location.strip()


def _check_room(
    state: State, room: str, first: str, last: str, event_id: str, moving: set[str] | None = None
) -> None:
    if room not in state.office.rooms:
        return
    for row in state.rows("event"):
        if row["id"] == event_id or row["id"] in (moving or ()) or row["status"] == "cancelled":
            continue
        if row["location"] == room and row["start"] < last and row["end"] > first:
            raise Refusal(f"room taken: {room} from {row['start']} to {row['end']}")


def _slots(first: str, last: str, minutes: int, busy: Sequence[tuple[str, str]]) -> Iterator[Json]:
    length = timedelta(minutes=minutes)
    now, stop = _time(first), min(_time(last), _time(first) + timedelta(days=_MOST_DAYS))
    found = 0
    while now + length <= stop and found < 5:
        opens, closes = now.replace(hour=_DAY_START, minute=0), now.replace(hour=_DAY_END, minute=0)
        if now.weekday() >= 5 or now + length > closes:
            now = opens + timedelta(days=1)
            continue
        now = max(now, opens)
        begin, end = _written(now), _written(now + length)
        clash = [until for since, until in busy if since < end and until > begin]
        if clash:
            now = max(_time(until) for until in clash)
        elif now + length <= min(stop, closes):
            yield {"start": begin, "end": end}
            found += 1
            now += length


def _text(state: State, row: Row) -> str:
    people = " ".join(f"{a} {state.office.names.get(a, '')}" for a in row["attendees"])
    text = f"{row['title']}\n{row['location']}\n{row['notes']}\n{people}\n{row['start']}"
    return text.casefold()


def _time(text: str) -> datetime:
    return datetime.strptime(text, _SHAPE)  # noqa: DTZ007 (the world has one time zone)


def _written(time: datetime) -> str:
    return time.strftime(_SHAPE)


def _listed(rows: Sequence[Row], limit: int) -> Json:
    rows = sorted(rows, key=lambda row: (row["start"], row["id"]))
    names = ("id", "title", "start", "end", "location", "attendees", "series", "status")
    result: dict[str, Json] = {"events": [{n: row[n] for n in names} for row in rows[:limit]]}
    if len(rows) > limit:
        result["more"] = True
    return result


_ID = (TEXT, "Id of the event, such as e-07.")
_START = (TEXT, "Start, YYYY-MM-DD HH:MM.")
_END = (TEXT, "End, YYYY-MM-DD HH:MM.")
_LIMIT = (LIMIT, "At most this many rows, 10 when not given.")

CALENDAR = (
    spec(
        list_events,
        "List the events that overlap a span of time.",
        optional=("attendee", "limit"),
        start=_START,
        end=_END,
        attendee=(TEXT, "Only events this address is invited to."),
        limit=_LIMIT,
    ),
    spec(
        search_events,
        "Search the calendar; every word of the query must occur.",
        optional=("limit",),
        query=(TEXT, "Words that must all occur in title, place, notes or names of the invited."),
        limit=_LIMIT,
    ),
    spec(read_event, "Read all fields of an event.", event_id=_ID),
    spec(
        find_free_time,
        "Find at most five times at which all are free, on weekdays from 08:00 to 18:00.",
        attendees=(SOME_TEXTS, "Addresses of those who must be free."),
        start=_START,
        end=_END,
        minutes=(_MINUTES, "How long the time must be."),
    ),
    spec(
        create_event,
        "Create an event and invite people. Inviting sends no mail.",
        writes=True,
        optional=("attendees", "location", "notes"),
        title=(TEXT, "Title."),
        start=_START,
        end=_END,
        attendees=(TEXTS, "Addresses of the invited."),
        location=(TEXT, "Room or place."),
        notes=(TEXT, "Notes."),
    ),
    spec(
        update_event,
        "Change fields of an event; those not given stay. A start alone keeps the duration. A list "
        "of attendees replaces the old one.",
        writes=True,
        optional=("title", "start", "end", "attendees", "location", "notes", "scope"),
        event_id=_ID,
        title=(TEXT, "New title."),
        start=_START,
        end=_END,
        attendees=(TEXTS, "Addresses of all who shall be invited."),
        location=(TEXT, "New room or place."),
        notes=(TEXT, "New notes."),
        scope=(_SCOPE, "`one`, or `series` for this and all later ones; `one` when not given."),
    ),
    spec(
        cancel_event,
        "Cancel an event.",
        writes=True,
        optional=("scope",),
        event_id=_ID,
        scope=(_SCOPE, "`one`, or `series` for this and all later ones; `one` when not given."),
    ),
)
