"""What a tool is for and what its parameters want, read from its name, description and schema."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from assistants.planner.vocabulary import ACTIONS, NOUNS
from assistants.words import content_words, stem, word_set
from tracer.records import Json, Tool

Role = Literal[
    "id", "address", "subject", "body", "query", "start", "end", "duration", "choice", "flag",
    "place", "limit", "other",
]  # fmt: skip

_ROLE_WORDS: tuple[tuple[Role, frozenset[str]], ...] = (
    ("duration", word_set("duration minutes length")),
    (
        "start",
        word_set(
            "start starts begin begins after since from time_min date_min min due deadline date"
        ),
    ),
    ("end", word_set("end ends finish finishes until before time_max date_max max")),
    ("query", word_set("query keyword keywords search text_query q term terms")),
    ("subject", word_set("subject title name topic heading headline")),
    ("body", word_set("body text content message comment notes note description")),
    ("place", word_set("folder location room list board column place")),
)
_ID_WORDS = word_set("id ids key keys uid uids identifier identifiers ref refs")
_LIMIT_WORDS = word_set("limit rows results")
_DESCRIBED: tuple[tuple[Role, frozenset[str]], ...] = (
    ("start", word_set("start begin")),
    ("end", word_set("end")),
    ("query", word_set("words keywords search part")),
    ("subject", word_set("subject title")),
    ("body", word_set("text body content")),
    ("duration", word_set("duration length")),
)
"""Role to the first words of descriptions that tell it."""
_ADDRESS_WORDS = word_set(
    """recipient recipients to cc bcc attendee attendees participant participants email address
    addresses assignee owner with addressee addressees guest guests invitee invitees sender"""
)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument of a tool."""

    name: str
    role: Role
    many: bool
    """A list is wanted."""
    required: bool
    choices: tuple[str, ...]
    pattern: str
    """How times are written, as `strftime` wants it; empty where no time is wanted."""
    kind: str
    """JSON type of one value."""
    noun: str
    """Kind of thing that an id names."""
    most: int | None = None
    """The largest number that the schema allows."""


@dataclass(frozen=True, slots=True)
class Purpose:
    """A tool as the planner sees it."""

    tool: Tool
    actions: tuple[str, ...]
    """From the words of its name."""
    nouns: frozenset[str]
    stems: frozenset[str]
    parameters: tuple[Parameter, ...]

    def of(self, role: Role) -> list[Parameter]:
        """The parameters of a role, in the order of the schema."""
        return [parameter for parameter in self.parameters if parameter.role == role]


def purpose(tool: Tool) -> Purpose:
    """What the tool is for, by its words.

    Example:
        >>> schema = {"properties": {"mail_id": {"type": "string"}}, "required": ["mail_id"]}
        >>> found = purpose(Tool("box.delete_mail", "Delete a mail.", schema, True, print))
        >>> found.actions, sorted(found.nouns), found.parameters[0].role, found.parameters[0].noun
        (('delete',), ['mail'], 'id', 'mail')
    """
    own = tool.name.rsplit(".", 1)[-1]
    name_stems = [stem(word) for word in name_words(own)]
    actions = tuple(
        action for action, stems in ACTIONS.items() if any(word in stems for word in name_stems[:1])
    )
    area = [stem(word) for word in name_words(tool.name)]
    nouns = frozenset(NOUNS[word] for word in [*area, *name_stems[1:]] if word in NOUNS)
    said = content_words(tool.description)
    if not actions:
        # A name in uncommon words: descriptions begin with what the tool does.
        actions = tuple(a for a, stems in ACTIONS.items() if any(w in stems for w in said[:1]))
    nouns = nouns or frozenset(NOUNS[word] for word in said[:4] if word in NOUNS)
    stems = frozenset(area) | frozenset(said)
    properties: Mapping[str, Json] = tool.parameters.get("properties") or {}
    required = frozenset(tool.parameters.get("required") or ())
    parameters = tuple(
        _parameter(name, schema, name in required, nouns) for name, schema in properties.items()
    )
    if not tool.writes and not any(one.role == "query" for one in parameters):
        # A tool that only looks has no text to write: what it calls one is what it looks for.
        parameters = tuple(
            replace(one, role="query") if one.role == "body" else one for one in parameters
        )
    return Purpose(tool, actions, nouns, stems, parameters)


def name_words(name: str) -> list[str]:
    """The words of an identifier, lower case.

    Example:
        >>> name_words("desk.find_notes"), name_words("createEvent")
        (['desk', 'find', 'notes'], ['create', 'event'])
    """
    return (
        re.sub(r"([a-z])([A-Z])", r"\1 \2", name)
        .lower()
        .replace(".", " ")
        .replace("_", " ")
        .split()
    )


def _parameter(
    name: str, schema: Mapping[str, Json], required: bool, nouns: frozenset[str]
) -> Parameter:
    many = schema.get("type") == "array"
    one: Mapping[str, Json] = schema.get("items") or {} if many else schema
    kind = str(one.get("type") or "string")
    description = str(schema.get("description") or "")
    words = name_words(name)
    role = _role(name, words, one, kind, description, required=required)
    noun = next((NOUNS[stem(word)] for word in words if stem(word) in NOUNS), "")
    return Parameter(
        name,
        role,
        many,
        required,
        tuple(str(choice) for choice in one.get("enum") or ()),
        _pattern(words, description) if role in ("start", "end") else "",
        kind,
        noun or (sorted(nouns)[0] if nouns else ""),
        schema.get("maximum") if isinstance(schema.get("maximum"), int) else None,
    )


def _role(
    name: str,
    words: Sequence[str],
    schema: Mapping[str, Json],
    kind: str,
    description: str,
    *,
    required: bool,
) -> Role:
    if schema.get("enum"):
        return "choice"
    if kind == "boolean":
        return "flag"
    if kind == "integer" and _LIMIT_WORDS & {*words, *re.findall("[a-z]+", description.lower())}:
        return "limit"
    if words[-1] in _ID_WORDS:
        return "id"
    if _ADDRESS_WORDS & set(words):
        return "address"
    for role, known in _ROLE_WORDS:
        if name in known or known & set(words):
            return role
    return _described_role(description) if required and kind == "string" else "other"


def _described_role(description: str) -> Role:
    """The role that the first words of a description tell, where the name tells none."""
    first = [word for word in re.findall(r"[a-z]+", description.lower()) if word != "new"][:1]
    if first and first[0] in _ID_WORDS:
        return "id"
    if first and first[0] in ("address", "addresses"):
        return "address"
    return next((role for role, known in _DESCRIBED if known.issuperset(first or [""])), "other")


def _pattern(words: Sequence[str], description: str) -> str:
    shown = description.upper()
    if "HH:MM:SS" in shown:
        return "%Y-%m-%d %H:%M:%S"
    if "HH:MM" in shown:
        return "%Y-%m-%d %H:%M"
    if "YYYY-MM-DD" in shown or {"date", "due", "day", "after", "before"} & set(words):
        return "%Y-%m-%d"
    return "%Y-%m-%d %H:%M"


def best_tool(
    purposes: Sequence[Purpose], actions: Sequence[str], stems: frozenset[str]
) -> Purpose | None:
    """The tool whose action is asked for and whose words are nearest; None when no action fits.

    Args:
        purposes: What there is to choose from.
        actions: What the verb asks for.
        stems: Stems of the clause's other words.
    """
    nouns = {NOUNS[word] for word in stems if word in NOUNS}

    def nearness(candidate: Purpose) -> tuple[float, str]:
        points = 2.0 * len(nouns & candidate.nouns)
        points += sum(1.0 for word in stems & candidate.stems if word not in NOUNS)
        # With nothing else to go by, mail is what an office speaks of.
        points += 0.5 if not nouns and "mail" in candidate.nouns else 0.0
        points += 0.25 if candidate.of("query") else 0.0
        return points, candidate.tool.name

    fitting = [candidate for candidate in purposes if set(actions) & set(candidate.actions)]
    return max(fitting, key=nearness, default=None)
