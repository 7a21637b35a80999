"""Two tools over the directory of people and lists."""

from __future__ import annotations

import re

from sandboxes.office.refusal import Refusal
from sandboxes.office.schema import TEXT, spec
from sandboxes.office.state import State
from tracer.records import Json

_SHOWN = ("id", "name", "email", "phone", "role", "team", "organisation")
_SEARCHED = ("name", "role", "organisation", "email")


def find_people(
    state: State, query: str, team: str | None = None, organisation: str | None = None
) -> Json:
    """Colleagues and contacts whose name, role, organisation or address holds the query."""
    # From the start of a word: "Tom" is nobody's "customer service".
    wanted = re.compile(rf"\b{re.escape(query.strip())}", re.IGNORECASE)
    found = []
    for person in state.office.people:
        if team and person["team"].casefold() != team.strip().casefold():
            continue
        firm = person["organisation"].casefold()
        if organisation and organisation.strip().casefold() not in firm:
            continue
        if any(wanted.search(person[field]) for field in _SEARCHED):
            found.append({name: person[name] for name in _SHOWN})
    return {"people": found}


def list_members(state: State, list_address: str) -> Json:
    """The addresses that a mail to a list reaches."""
    address = list_address.strip().casefold()
    members = state.office.lists.get(address)
    if members is None:
        known = ", ".join(sorted(state.office.lists))
        raise Refusal(f"no list {list_address!r}; the lists are {known}")
    return {"list": address, "members": list(members)}


DIRECTORY = (
    spec(
        find_people,
        "Find colleagues and outside contacts by a part of name, role, organisation or address.",
        optional=("team", "organisation"),
        query=(TEXT, "Part of name, role, organisation or address."),
        team=(TEXT, "Only this team, such as Sales."),
        organisation=(TEXT, "Only this organisation."),
    ),
    spec(
        list_members,
        "List the addresses behind a distribution list.",
        list_address=(TEXT, "Address of the list, such as sales@ottermoss.example."),
    ),
)
