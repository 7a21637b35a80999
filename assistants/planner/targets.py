"""Whom and what a clause speaks of: people, topics, texts, days and times."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from assistants.literals import (
    ADDRESS,
    DATE,
    MONTHS,
    NUMBER_WORDS,
    QUOTED,
    RELATIVE_DAY,
    TIME,
    dates,
    minutes,
    quoted,
    span,
    times,
)
from assistants.planner.vocabulary import EVERY, NEWEST, NOUNS, OLDEST, SELF, actions_of
from assistants.words import STOP_WORDS, stem, word_set, words

_NAME = r"(?:[A-Z][\w\u2019-]+(?:\s+[A-Z][\w\u2019-]+)*|(?!(?:to|the|a|an)\b)[a-z][\w-]+)"
_NAMES = rf"({_NAME}(?:(?:\s*,\s*|\s+and\s+|\s*,\s*and\s+){_NAME})*)"
_TO = re.compile(
    rf"\b(?i:to|with|cc|invite|tell|ask|remind|inform|notify|let|thank|email|message)\s+"
    rf"(?>{_NAMES})(?!['\u2019])"
)
_DIRECT = re.compile(r"^\w+\s+((?>[A-Z][\w-]+(?:\s+[A-Z][\w-]+)*))(?!['\u2019])")
"""Somebody named right after the verb, as in "Send Ann the file"."""
_OWNER = re.compile(r"\b(?:for|on)\s+((?>[A-Z][\w-]+(?:\s+[A-Z][\w-]+)*))(?!['\u2019])")
"""Somebody that a thing is made for, as in "a to-do for Ann"."""
_PERSON = r"[A-Z][\w-]+(?:\s+[A-Z][\w-]+)*"
_HOLDER = re.compile(rf"\b({_PERSON})['\u2019]s?\s|\bof\s+({_PERSON})\b")
_FROM = re.compile(
    rf"\b(?:from|by)\s+({_NAME})"
    rf"|\b(?:in which|where|what|that)\s+([A-Z][\w\u2019-]+(?:\s+[A-Z][\w\u2019-]+)*)\s+(?=[a-z])"
    rf"|\b({_NAME})['\u2019]s?\s+(?:\w+\s+){{0,3}}?(?:e-?mails?|messages?|mails?|notes?|reply)\b"
)
_ABOUT = re.compile(
    r"\b(?:about|regarding|concerning|titled|called|named|subject|on the subject of)\s+(?:the\s+)?"
    r"(?P<topic>.+?)(?=\s+(?:to|from|with|that|and|if|by|saying)\b|[,.;?!]|$)"
)
_SAYING = re.compile(
    r"\b(?:that says|saying|to say|that|whether|if|asking)\b[:,]?\s+(?P<text>.+)$"
    r"|:\s+(?P<rest>.+)$",
    re.DOTALL,
)
_LABEL = re.compile(
    r"\b(?P<label>subject|title|titled|called|named|name|about|body|saying|says|message|text|notes?|"
    r"comment|content|description|location|folder|words?)\b[^\"'\u201c\u2018]{0,20}$",
    re.IGNORECASE,
)
_SUBJECT_LABELS = word_set("subject title titled called named name about")


@dataclass(frozen=True, slots=True)
class Texts:
    """What a clause puts between quotation marks, by what it is for."""

    subject: str | None
    body: str | None
    loose: tuple[str, ...]


def texts(clause: str) -> Texts:
    """Quoted texts, told apart by the word before them.

    Example:
        >>> texts("mail bo with subject 'Hi' and body 'See you'")
        Texts(subject='Hi', body='See you', loose=())
    """
    subject, body, loose = None, None, []
    for match in QUOTED.finditer(clause):
        value = next(part for part in match.groups() if part)
        label = _LABEL.search(clause[: match.start()])
        word = label["label"].lower() if label else ""
        if word in _SUBJECT_LABELS and subject is None:
            subject = value
        elif word and body is None:
            body = value
        else:
            loose.append(value)
    return Texts(subject, body, tuple(loose))


def said(clause: str) -> str:
    """What a clause wants to have said, without quotation marks: the part after "that", ":" ...

    Example:
        >>> said("Tell Ann that the door is open.")
        'The door is open.'
    """
    match = _SAYING.search(clause)
    text = (match["text"] or match["rest"] or "").strip() if match else ""
    return text[:1].upper() + text[1:]


def remainder(clause: str) -> str:
    """A clause without its verb and those that it names, as the text of a message.

    Example:
        >>> remainder("thank Ann Lee for the new lamps")
        'For the new lamps'
    """
    text = re.sub(r"^\w+\s+", "", clause)
    for name in recipients(clause):
        text = re.sub(rf"\b(?:(?:to|with)\s+)?{re.escape(name)}\b", "", text, count=1)
    text = " ".join(text.split()).strip(" ,;")
    return text[:1].upper() + text[1:]


def recipients(clause: str) -> list[str]:
    """Names and addresses that something is to go to, in order.

    Example:
        >>> recipients("forward the mail about 'to Bo' to Ann Lee and Carl")
        ['Ann Lee', 'Carl']
    """
    masked = QUOTED.sub(" ", clause)
    found = ADDRESS.findall(masked)
    direct = _DIRECT.match(masked)
    if direct and _is_name(direct.group(1)):
        found.append(direct.group(1))
    for match in _TO.finditer(ADDRESS.sub(" ", masked)):
        for name in re.split(r"\s*,\s*and\s+|\s*,\s*|\s+and\s+", match.group(1)):
            if _is_name(name):
                found.append(name)
    if any(name[0].isupper() for name in found):
        # Where names are written with capitals, a lower-case word is none.
        found = [name for name in found if name[0].isupper() or "@" in name]
    return list(dict.fromkeys(found))


def owners(clause: str) -> list[str]:
    """Names of people that a thing is made for.

    Example:
        >>> owners("put a task on Ann Lee, due on Friday: call Bo")
        ['Ann Lee']
    """
    before = QUOTED.sub(" ", clause).split(":")[0]
    return [name for name in _OWNER.findall(before) if _is_name(name) and not _is_time(name)]


def _is_time(name: str) -> bool:
    return bool(DATE.match(name) or RELATIVE_DAY.match(name)) or name.lower() in MONTHS


def holder(clause: str) -> str | None:
    """Whose a thing is: "Ann Lee's task", "the tasks of Ann Lee".

    Example:
        >>> holder("close Ann Lee's task"), holder("list the tasks of Bo Kay")
        ('Ann Lee', 'Bo Kay')
    """
    match = _HOLDER.search(QUOTED.sub(" ", clause))
    name = next((one for one in match.groups() if one), "") if match else ""
    return name if name and _is_name(name) and not _is_time(name) else None


def names_self(clause: str) -> bool:
    """Whether the one who asks is named: me, my, mine."""
    return bool(set(words(QUOTED.sub(" ", clause))) & {"me", "my", "mine", "myself"})


def points_to_person(clause: str) -> bool:
    """Whether somebody is named by a pronoun only."""
    return bool(set(words(QUOTED.sub(" ", clause))) & {"him", "her", "them"})


def sender(clause: str) -> str | None:
    """The person that something came from, or whose it is.

    Example:
        >>> sender("delete the last mail from carla"), sender("forward Hanne Dove's mail")
        ('carla', 'Hanne Dove')
    """
    masked = QUOTED.sub(" ", clause)
    for match in _FROM.finditer(masked):
        first = next(name for name in match.groups() if name).split()
        while first and not _is_name(first[0]):
            first = first[1:]
        if first and _is_name(" ".join(first)):
            return " ".join(first)
    return None


def _is_name(name: str) -> bool:
    low = name.lower()
    return not (
        low in STOP_WORDS
        or low in SELF
        or low in NEWEST | OLDEST | EVERY
        or stem(low) in NOUNS
        or (name == low and bool(actions_of(low)))
        or DATE.fullmatch(name)
        or RELATIVE_DAY.fullmatch(name)
        or low in ("week", "month", "day", "days")
    )


def topics(clause: str) -> list[str]:
    """Search texts for what the clause speaks of, the most telling first.

    Example:
        >>> topics("delete the mail about the roof leak from Ann")
        ['roof leak Ann', 'roof leak', 'Ann']
        >>> topics("delete Bo's mail about 'A b'")
        ['A b Bo', 'A b']
    """
    masked = QUOTED.sub(" ", clause)
    who = sender(clause)
    about = _ABOUT.search(masked)
    named = quoted(clause)[:1] or (
        [about["topic"].strip()] if about and not _EMPTY.match(about["topic"]) else []
    )
    found = [f"{topic} {who}" for topic in named if who] + named
    if named and quoted(clause):
        # Something quoted is meant literally: nothing broader will do.
        return found
    if who:
        found.append(who)
    rest = _rest(clause, masked)
    capital = [word for word in rest if word[0].isupper() or any(c.isdigit() for c in word)]
    plain = sorted((word for word in rest if word not in capital), key=len, reverse=True)
    if not named:
        found.append(" ".join(rest) if len(rest) <= 4 else " ".join([*capital, *plain[:1]]))
    found += [word for word in capital if any(c.isdigit() for c in word)]
    if not who:
        found += [" ".join(capital), *plain[:1]]
    return [text for text in dict.fromkeys(found) if text]


_EMPTY = re.compile(r"^\s*(?:to|from|with|and|that|if|by)\b|^\s*$")
_POINTING = re.compile(r"^\w+\s+(?:it|them|the original|the same (?:one|mail))\b", re.IGNORECASE)
_POINTERS = word_set("it them that those these they")


def _rest(clause: str, masked: str) -> list[str]:
    """The words after the verb that say what is meant: no times, recipients, kinds of thing."""
    outside = TIME.sub(" ", RELATIVE_DAY.sub(" ", DATE.sub(" ", masked)))
    known = {word for name in recipients(clause) for word in words(name)}
    return [
        word
        for word in re.findall(r"\w+(?:[-./]\w+)*", re.sub(r"['\u2019]s\b", "", outside))[1:]
        if word.lower() not in STOP_WORDS | NEWEST | OLDEST | EVERY | known
        and stem(word.lower()) not in NOUNS
    ]


def telling(clause: str) -> list[str]:
    """The single words to search for, the most telling first: with digits, names, then long ones.

    Example:
        >>> telling("flag the mail in which Ann finds the two cartons of PO-7")
        ['PO-7', 'Ann', 'cartons', 'finds']
    """
    found = [*quoted(clause), *_rest(clause, QUOTED.sub(" ", clause))]
    plain = [word for word in dict.fromkeys(found) if stem(word.lower()) not in NUMBER_WORDS]

    def place(word: str) -> tuple[bool, bool, int]:
        return (not any(c.isdigit() for c in word), not word[0].isupper(), -len(word))

    return sorted(plain, key=place)


def kinds(clause: str) -> list[str]:
    """The words for kinds of thing in a clause, the last first: what is left to search for.

    Example:
        >>> kinds("cancel the sync on Thursday")
        ['sync']
    """
    plain = words(QUOTED.sub(" ", clause))[1:]
    return [word for word in reversed(plain) if stem(word) in NOUNS]


def only_points_back(clause: str) -> bool:
    """Whether the clause names its object only by a pronoun.

    Example:
        >>> only_points_back("delete them"), only_points_back("delete Ann's mail")
        (True, False)
        >>> only_points_back("move it to the archive")
        True
    """
    if _POINTING.match(clause):
        return True
    return bool(set(words(clause)) & _POINTERS) and not topics(clause)


@dataclass(frozen=True, slots=True)
class When:
    """Days and times a clause names."""

    days: tuple[date, ...]
    clock: tuple[str, ...]
    minutes: int | None
    since: date | None
    until: date | None

    def moment(self, place: int, fallback: date | None = None) -> datetime | None:
        """The first or second moment named; None without a day, or without a time of day."""
        day = self.days[min(place, len(self.days) - 1)] if self.days else fallback
        if day is None or not self.clock:
            return None
        if place < len(self.clock):
            return _at(day, self.clock[place])
        if place == 1 and self.minutes is not None:
            return _at(day, self.clock[0]) + timedelta(minutes=self.minutes)
        return None


def when(clause: str, now: datetime | None) -> When:
    """Days and times that a clause names outside quotation marks."""
    masked = QUOTED.sub(" ", clause)
    today = now.date() if now else None
    return When(
        tuple(dates(masked, today)),
        tuple(times(DATE.sub(" ", masked))),
        minutes(masked),
        *span(masked, today),
    )


def _at(day: date, clock: str) -> datetime:
    hour, minute = clock.split(":")
    return datetime(day.year, day.month, day.day, int(hour), int(minute))  # noqa: DTZ001


def wants_all(clause: str) -> bool:
    """Whether every match is meant and not just one.

    Example:
        >>> wants_all("delete all my emails from Ann"), wants_all("delete my last email")
        (True, False)
    """
    plain = words(QUOTED.sub(" ", clause))
    if set(plain) & (NEWEST | OLDEST) and "days" not in plain and "week" not in plain:
        return False
    if set(plain) & EVERY:
        return True
    return any(word.endswith("s") and stem(word) in NOUNS for word in plain)


def wants_newest(clause: str) -> bool:
    """Whether the last match in time is meant."""
    return bool(set(words(QUOTED.sub(" ", clause))) & NEWEST)


def wants_oldest(clause: str) -> bool:
    """Whether the first match in time is meant."""
    return bool(set(words(QUOTED.sub(" ", clause))) & OLDEST)
