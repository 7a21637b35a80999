"""From a request and what the tools have returned so far to the next call, or to the answer.

The plan is a plain program that looks things up as it goes. A result that is not there yet stops it
with the call to make; the next time it runs with the result and comes one call further.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from assistants.extraction import extract
from assistants.literals import ADDRESS, now_of
from assistants.planner import rows as row_reading
from assistants.planner import targets
from assistants.planner.clauses import Clause, clauses
from assistants.planner.finding import Finder, text_parameter
from assistants.planner.schemas import Parameter, Purpose, best_tool, purpose
from assistants.planner.vocabulary import NOUNS
from assistants.words import content_words, stem, words
from tracer.records import Json, Passage, Tool

Made = Mapping[tuple[str, str], Json]
"""Tool name and canonical arguments to the result, for every call made in this turn."""
_NEEDED = frozenset(("id", "address", "subject", "body", "start", "duration"))
"""Roles that a writing tool is taken to need where its schema does not say what it needs."""


class NextCall(Exception):  # noqa: N818  # a stop of the plan, not an error
    """The plan needs this call's result before it can go on."""

    def __init__(self, tool: str, arguments: Mapping[str, Json]) -> None:
        super().__init__(tool)
        self.tool = tool
        self.arguments = arguments


class _GiveUp(Exception):  # noqa: N818  # a stop of the clause, not an error
    """The clause cannot be carried out; the text says why, or asks back."""


_FILE = re.compile(r"\b[\w-]+\.(?:pdf|docx?|xlsx?|pptx?|csv|txt|md|png|jpe?g|zip)\b")


def key(tool: str, arguments: Mapping[str, Json]) -> tuple[str, str]:
    """Under which a call's result is kept."""
    return tool, json.dumps(arguments, sort_keys=True, ensure_ascii=False)


def answer(request: str, briefing: str, tools: Sequence[Tool], made: Made) -> str:
    """The final answer, when no call is left to make.

    Args:
        request: The user's words.
        briefing: What the assistant was told of the world; the present is read from it.
        tools: What can be called.
        made: Results so far.

    Raises:
        NextCall: A call has to be made first.
    """
    own = ADDRESS.findall(briefing)
    plan = _Plan(
        [purpose(tool) for tool in tools],
        now_of(briefing),
        made,
        own[0].rstrip(".") if len(own) == 1 else "",
    )
    said: list[str] = []
    before = ""
    for clause in clauses(request):
        if before and targets.only_points_back(clause.text):
            clause = replace(clause, text=f"{clause.text} {before}")
        said += [text for text in [plan.carry_out(clause)] if text]
        before = clause.text
    return " ".join(dict.fromkeys(said)) or "There is nothing to do."


class _Plan:
    """The tools, the clock and the results so far."""

    def __init__(
        self, purposes: Sequence[Purpose], now: datetime | None, made: Made, own: str
    ) -> None:
        self._purposes = purposes
        self._now = now
        self._made = made
        self._self = own
        self._last_people: list[str] = []
        self._clause: Clause | None = None
        self._finder = Finder(purposes, now, self._call, self._holder)

    def carry_out(self, clause: Clause) -> str:
        """What can be said of a clause once its calls are made; empty when it asks for nothing."""
        if clause.negated or not clause.actions:
            return ""
        self._clause = clause
        stems = frozenset(content_words(clause.text)) | (
            frozenset(content_words(clause.sentence)) & frozenset(NOUNS)
        )
        if _FILE.search(clause.text):
            stems |= {stem("file")}
        elif not stems & frozenset(NOUNS) and targets.when(clause.text, self._now).clock:
            # What has an hour and no other name is an entry of a calendar.
            stems |= {stem("event")}
        try:
            goal = best_tool(self._purposes, clause.actions, stems)
            if goal is None:
                return ""
            if "read" in goal.actions:
                return self._read(goal, clause)
            return self._write(goal, clause)
        except _GiveUp as stop:
            return str(stop)

    def _call(self, tool: Purpose, arguments: Mapping[str, Json]) -> Json:
        made = key(tool.tool.name, arguments)
        if made not in self._made:
            raise NextCall(tool.tool.name, arguments)
        return self._made[made]

    def _read(self, tool: Purpose, clause: Clause) -> str:
        """Look the clause's topic up with a reading tool and read the answer out of it."""
        needed = [parameter for parameter in tool.parameters if parameter.required]
        kind = next(iter(sorted(tool.nouns)), "")
        if not needed or all(one.role in ("start", "end") for one in needed):
            found = self._finder.of_kind(kind, clause) or []
        elif needed == [text_parameter(tool)]:
            if not targets.topics(clause.text) and not targets.kinds(clause.text):
                return ""
            found = self._finder.rows(tool, clause)
        else:
            values = {
                parameter.name: self._value(parameter, tool, clause, 0) for parameter in needed
            }
            if None in values.values():
                return ""
            found = row_reading.rows(self._call(tool, values))
        if not found:
            return "I could not find anything about it."
        told = row_reading.named_field(found[0], clause.sentence)
        if told:
            return told
        texts = [Passage(str(place), text=_shown(row)) for place, row in enumerate(found)]
        return extract(clause.sentence, texts)

    def _write(self, tool: Purpose, clause: Clause) -> str:
        """Fill the arguments and make the call, once for each thing that is meant."""
        ids = tool.of("id")
        things = self._things(ids[0].noun, _without_choices(tool, clause)) if ids else [None]
        people = self._people(tool, clause) if tool.of("address") else []
        once_each = next((p for p in tool.of("address") if p.required and not p.many), None)
        once_each = once_each or next((p for p in tool.of("address") if not p.many), None)
        if ids and ids[0].many and things:
            things = [[str(thing["id"]) for thing in things if thing]]
        done, errors = 0, []
        for thing in things:
            for person in people if once_each and people else [None]:
                result = self._call(tool, self._arguments(tool, clause, thing, person, people))
                done += not row_reading.failed(result)
                errors += [_shown_error(result)] if row_reading.failed(result) else []
        if errors:
            return f"I could not do all of it: {errors[0]}"
        return f"Done: {clause.verb}, {done} in all."

    def _arguments(
        self, tool: Purpose, clause: Clause, thing: Json, person: str | None, people: list[str]
    ) -> dict[str, Json]:
        filled: dict[str, Json] = {}
        order = 0
        for parameter in tool.parameters:
            if parameter.role == "id":
                value: Json = thing["id"] if isinstance(thing, Mapping) else thing
            elif parameter.role == "address":
                first = parameter is tool.of("address")[0]
                value = (people if parameter.many else person) if first else None
            else:
                value = self._value(parameter, tool, clause, order, thing)
                order += parameter.role in ("start", "end")
            if value not in (None, "", []):
                filled[parameter.name] = value
        stated = any(p.required for p in tool.parameters)
        lacking = [
            p.name
            for p in tool.parameters
            if p.name not in filled and (p.required or (not stated and p.role in _NEEDED))
        ]
        if lacking:
            raise _GiveUp(f"What should I take for {' and '.join(lacking)}?")
        return filled

    def _value(
        self, parameter: Parameter, tool: Purpose, clause: Clause, order: int, thing: Json = None
    ) -> Json:
        """What the clause gives for one parameter; None when it says nothing of it."""
        text = clause.text
        if parameter.role in ("start", "end"):
            return self._time(parameter, text, order, thing)
        if parameter.role == "duration":
            found = targets.when(text, self._now).minutes
            return found if parameter.kind in ("integer", "number") or found is None else str(found)
        if parameter.role in ("subject", "body"):
            return self._text(parameter, tool, text)
        if parameter.role == "choice":
            low = text.lower()
            return next((c for c in parameter.choices if c.lower() in low and c), None)
        if parameter.role == "place":
            return _place(parameter.name, text)
        if parameter.role == "flag":
            named = set(words(parameter.name.replace("_", " "))) <= set(words(text))
            return True if named or parameter.required else None
        if parameter.role in ("query", "other") and parameter.required:
            return next(iter(targets.topics(text)), None)
        if parameter.role == "address":
            addresses = ADDRESS.findall(text)
            return (addresses if parameter.many else addresses[0]) if addresses else None
        return None

    def _time(self, parameter: Parameter, text: str, order: int, thing: Json) -> Json:
        named = targets.when(text, self._now)
        place = 1 if parameter.role == "end" and order else 0
        if parameter.pattern == "%Y-%m-%d":
            days = named.days or ((named.since,) if named.since and place == 0 else ())
            return days[min(place, len(days) - 1)].isoformat() if days else None
        fallback = None
        if isinstance(thing, Mapping) and (at := row_reading.row_time(thing["row"])):
            fallback = datetime.fromisoformat(at).date()
        moment = named.moment(place, fallback)
        return moment.strftime(parameter.pattern) if moment else None

    def _text(self, parameter: Parameter, tool: Purpose, clause: str) -> str | None:
        given = targets.texts(clause)
        both = bool(tool.of("subject")) and bool(tool.of("body"))
        loose = list(given.loose)
        if parameter.role == "subject":
            if given.subject:
                return given.subject
            if loose and (not both or len(loose) > 1 or given.body):
                return loose[0]
            if not parameter.required and both:
                return None
            body = given.body or (loose[-1] if loose else targets.said(clause))
            return " ".join((body or _topic(clause)).split()[:6]).strip(" ,.;:") or None
        if given.body:
            return given.body
        if tool.of("subject") and not given.subject and not parameter.required:
            return None
        if loose and (given.subject or not both or len(loose) == 1):
            return loose[-1]
        told = (loose[1] if len(loose) > 1 else "") or targets.said(clause)
        return told or (targets.remainder(clause) if parameter.required else "") or None

    def _people(self, tool: Purpose, clause: Clause) -> list[str]:
        """Addresses of the people something goes to; a name that fits several is asked back."""
        named = targets.recipients(clause.text)
        if not named and any(not p.many for p in tool.of("address")):
            named = targets.owners(clause.text)
        if not named and targets.points_to_person(clause.text):
            return self._last_people
        found = [name if ADDRESS.fullmatch(name) else self._address(name) for name in named]
        if not found and targets.names_self(clause.text) and self._self:
            found = [self._self]
        self._last_people = list(dict.fromkeys(found)) or self._last_people
        return list(dict.fromkeys(found))

    def _holder(self, clause: Clause) -> str | None:
        name = targets.holder(clause.text)
        if name is not None:
            return self._address(name)
        return self._self if targets.names_self(clause.text) and self._self else None

    def _address(self, name: str) -> str:
        lookup = self._finder.lookup("person")
        if lookup is None:
            raise _GiveUp(f"What is the address of {name}?")
        field = text_parameter(lookup)
        if field is None:
            raise _GiveUp(f"What is the address of {name}?")
        for asked in dict.fromkeys((name, name.split()[-1], name.split()[0])):
            known = row_reading.addresses(self._call(lookup, {field.name: asked}))
            own = [a for a in known if all(part in a.lower() for part in words(name))] or known
            if len(own) == 1:
                return own[0]
            if likely := self._finder.likelier(own, name, self._clause):
                return likely
            if own:
                raise _GiveUp(f"Which {name} do you mean: {' or '.join(own[:4])}?")
        raise _GiveUp(f"I found no address for {name}. What is it?")

    def _things(self, noun: str, clause: Clause) -> list[Json]:
        """What the clause means, as ids with their rows: one, or all where all are wanted."""
        found = self._finder.of_kind(noun, clause)
        if found is None:
            raise _GiveUp(f"I have no tool that finds a {noun}.")
        things: list[Json] = [
            {"id": thing, "row": row} for row in found if (thing := row_reading.row_id(row, noun))
        ]
        if not things:
            raise _GiveUp(f"I could not find the {noun} you mean.")
        days = [day.isoformat() for day in targets.when(clause.text, self._now).days]
        things = [t for t in things if row_reading.row_time(t["row"])[:10] in days] or things
        if targets.wants_all(clause.text):
            return things
        if targets.wants_newest(clause.text) or targets.wants_oldest(clause.text):
            timed = sorted(things, key=lambda t: row_reading.row_time(t["row"]), reverse=True)
            return [timed[-1] if targets.wants_oldest(clause.text) else timed[0]]
        return things[:1]


def _without_choices(tool: Purpose, clause: Clause) -> Clause:
    """The clause without where something is to go: that is not what is looked for."""
    choices = "|".join(re.escape(c) for p in tool.parameters for c in p.choices if c)
    if not choices:
        return clause
    where = rf"\b(?:in|to|into|as|out of|from)\s+(?:the\s+)?(?:{choices})\b"
    return replace(clause, text=re.sub(where, " ", clause.text, flags=re.IGNORECASE))


_CONTAINERS = ("folder", "list", "board", "column")


def _place(name: str, text: str) -> str | None:
    """A folder or room: the word before its name, or what stands after "to" or "in"."""
    word = name.split("_")[0]
    before = "to|in|into" if word in _CONTAINERS else "in|at"
    path = word in _CONTAINERS and re.search(r"(?<![\w/.])[A-Za-z][\w-]*(?:/[\w-]+)+", text)
    if path:
        return path.group(0)
    match = re.search(
        rf"['\"\u201c\u2018]([^'\"\u201d\u2019]+)['\"\u201d\u2019]\s+{word}|(?:the\s+)?([A-Z]\w+)\s+{word}"
        rf"|{word}\s+(?:called\s+|named\s+)?['\"\u201c\u2018]?([\w-]+)|\b(?:{before})\s+(?:the\s+)?([A-Z]\w+)\b",
        text,
    )
    return next((part for part in match.groups() if part), None) if match else None


def _topic(clause: str) -> str:
    return next(iter(targets.topics(clause)), "")


def _shown(row: row_reading.Row) -> str:
    return ", ".join(f"{name}: {str(value)[:200]}" for name, value in row.items() if value)


def _shown_error(result: Json) -> str:
    return str(result["error"] if isinstance(result, Mapping) else result)[:300]
