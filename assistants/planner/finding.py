"""Finding the things a clause means: search texts from narrow to broad, then the best row."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, time

from assistants.planner import rows as row_reading
from assistants.planner import targets
from assistants.planner.clauses import Clause
from assistants.planner.schemas import Parameter, Purpose
from assistants.words import content_words, stem
from tracer.records import Json

Call = Callable[[Purpose, Mapping[str, Json]], Json]
"""Makes a call, or stops the plan until its result is there."""
Address = Callable[[Clause], str | None]
"""The address of the person whose things a clause means; None where it names none."""
QUERIES = 3
"""Search texts of several words that are tried for one thing before single words are."""
WORDS = 5
"""Single words that are looked for then."""
_CLEARLY = 2
"""So many times the mails of the next one of a name are clear, and so many mails. Ours."""
_COMMON = 20
"""A word of more mails than this tells nobody apart. Ours."""
_ENOUGH = 0.5
"""Least share of the best row's weight that a row has where several are wanted. Ours."""


class Finder:
    """Looks things up with the reading tools there are."""

    def __init__(
        self, purposes: Sequence[Purpose], now: datetime | None, call: Call, holder: Address
    ) -> None:
        self._purposes = purposes
        self._now = now
        self._call = call
        self._holder = holder

    def lookup(self, noun: str) -> Purpose | None:
        """The tool that searches a kind of thing by a text; else one that lists them all."""
        fitting = [
            tool
            for tool in self._purposes
            if "read" in tool.actions
            and noun in tool.nouns
            and not any(p.required and p.role in ("id", "address") for p in tool.parameters)
        ]
        searching = [tool for tool in fitting if text_parameter(tool)]
        listing = [
            tool
            for tool in fitting
            if not text_parameter(tool) and not any(p.required for p in tool.parameters)
        ]
        best = max(searching, key=lambda t: (bool(t.of("query")), len(t.nouns) == 1), default=None)
        return best or next(iter(listing), None)

    def _by_day(self, noun: str) -> Purpose | None:
        """A tool that lists a kind of thing between two moments."""
        for tool in self._purposes:
            needed = {p.role for p in tool.parameters if p.required}
            if "read" in tool.actions and noun in tool.nouns and needed == {"start", "end"}:
                return tool
        return None

    def of_kind(self, noun: str, clause: Clause) -> list[row_reading.Row] | None:
        """The rows of a kind that the clause may mean, best first; None without a tool for it."""
        search, by_day = self.lookup(noun), self._by_day(noun)
        days = targets.when(clause.text, self._now).days
        if by_day is not None and days:
            bounds = [datetime.combine(days[0], moment) for moment in (time(), time(23, 59))]
            found = row_reading.rows(
                self._call(by_day, {**_most(by_day), **_between(by_day, bounds)})
            )
            ranked = self._ranked(clause, found, {})
            if ranked:
                return ranked
        return self.rows(search, clause) if search is not None else None

    def rows(self, tool: Purpose, clause: Clause) -> list[row_reading.Row]:
        """Rows for what the clause speaks of."""
        parameter = text_parameter(tool)
        if parameter is None:
            whose = next((p for p in tool.parameters if p.role == "address" and not p.many), None)
            address = self._holder(clause) if whose else None
            narrowed = {whose.name: address} if whose and address else {}
            found = row_reading.rows(self._call(tool, {**_most(tool), **narrowed}))
            return self._ranked(clause, found, {})
        extra = self._bounds(tool, clause)
        wanted = targets.topics(clause.text) or targets.kinds(clause.text) or [""]
        who = targets.sender(clause.text)
        alone = {stem(word.lower()) for word in (who or "").split()}
        more = [w for w in targets.telling(clause.text) if stem(w.lower()) not in alone]
        for text in wanted[:QUERIES]:
            single = len(text.split()) == 1 and not any(c.isdigit() for c in text)
            if (single and len(wanted) > 1) or (text == who and more):
                continue
            found = row_reading.rows(self._call(tool, {parameter.name: text, **extra}))
            own = row_reading.about(found, who)
            if own:
                return self._ranked(clause, own, {})
        return self._by_words(tool, parameter, clause, extra, [*([who] if who else []), *more])

    def _by_words(
        self,
        tool: Purpose,
        parameter: Parameter,
        clause: Clause,
        extra: Mapping[str, Json],
        words: Sequence[str],
    ) -> list[row_reading.Row]:
        """Rows of single words; a row counts for each word that it was found by."""
        seen: dict[str, row_reading.Row] = {}
        found_by: dict[str, set[str]] = {}
        for word in words[:WORDS]:
            arguments = {parameter.name: word, **_most(tool), **extra}
            for row in row_reading.rows(self._call(tool, arguments)):
                name = _name(row)
                seen.setdefault(name, row)
                found_by.setdefault(name, set()).add(stem(word.lower()))
        who = targets.sender(clause.text)
        return self._ranked(clause, row_reading.about(list(seen.values()), who), found_by)

    def likelier(self, people: Sequence[str], name: str, clause: Clause | None) -> str | None:
        """Of several people of a name the one whom the mails on the clause's subject are with.

        Args:
            people: Their addresses.
            name: As the clause has it.
            clause: What is wanted of them.

        Returns:
            An address; None where the mails do not tell them apart.
        """
        search = self.lookup("mail")
        parameter = text_parameter(search) if search and clause else None
        if search is None or parameter is None or clause is None:
            return None
        known = {word.lower() for word in name.split()}
        marks: Counter[str] = Counter()
        words = [word for word in targets.telling(clause.text) if word.lower() not in known]
        for word in words[:WORDS]:
            found = row_reading.rows(self._call(search, {parameter.name: word, **_most(search)}))
            if len(found) <= _COMMON:
                texts = [row_reading.text(row) for row in found]
                marks.update({one: sum(one in text for text in texts) for one in people})
        (first, most), *others = marks.most_common(2) or [("", 0)]
        second = others[0][1] if others else 0
        return first if most >= _CLEARLY * max(second, 1) else None

    def _ranked(
        self, clause: Clause, found: Sequence[row_reading.Row], found_by: Mapping[str, set[str]]
    ) -> list[row_reading.Row]:
        """The rows by the weight of the clause's words in them, rare words most, ties as found."""
        asked = set(content_words(clause.text))
        held = [
            asked & (set(content_words(row_reading.text(row))) | found_by.get(_name(row), set()))
            for row in found
        ]
        counts = Counter(word for words in held for word in words)
        weights = [
            sum(math.log((len(found) + 1) / counts[word]) for word in words) for words in held
        ]
        order = sorted(range(len(found)), key=lambda place: -weights[place])
        if not order:
            return []
        best = weights[order[0]]
        return [found[place] for place in order if weights[place] >= _ENOUGH * best]

    def _bounds(self, tool: Purpose, clause: Clause) -> dict[str, Json]:
        """The ends of a span such as "the last three days", where the tool takes them."""
        named = targets.when(clause.text, self._now)
        bounds: dict[str, Json] = {}
        for role, day in (("start", named.since), ("end", named.until)):
            parameter = next((p for p in tool.parameters if p.role == role), None)
            if day is not None and parameter is not None:
                late = time(23, 59, 59) if role == "end" else time()
                bounds[parameter.name] = datetime.combine(day, late).strftime(parameter.pattern)
        return bounds


def text_parameter(tool: Purpose) -> Parameter | None:
    """The parameter that takes a text to look for."""
    texts = [p for p in tool.parameters if p.kind == "string" and p.role != "choice"]
    for role in ("query", "subject", "other"):
        for parameter in texts:
            if parameter.role == role:
                return parameter
    return None


def _most(tool: Purpose) -> dict[str, Json]:
    """As many rows as the tool gives, where it takes their number."""
    return {p.name: p.most for p in tool.parameters if p.role == "limit" and p.most is not None}


def _between(tool: Purpose, bounds: Sequence[datetime]) -> dict[str, Json]:
    return {
        p.name: bounds[p.role == "end"].strftime(p.pattern)
        for p in tool.parameters
        if p.required and p.role in ("start", "end")
    }


def _name(row: row_reading.Row) -> str:
    return row_reading.row_id(row, "") or row_reading.text(row)
