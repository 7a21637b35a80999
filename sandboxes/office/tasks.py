"""The items of the suite: questions over the mails, requests, and conversations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from sandboxes.matching import concrete
from sandboxes.office.protected import protected
from sandboxes.office.tools import SPECS
from sandboxes.office.world import DATA, FactVersion, Office, load, records, stated
from tracer.errors import DataMissingError
from tracer.records import GoldCall, Json, Task, Turn

SUITE = "office"
MAIL_READS = ("search_mail", "list_folder", "read_mail", "read_thread")
EVENT_READS = ("list_events", "search_events", "read_event")
TODO_READS = ("list_todos",)
FILE_READS = ("search_files", "read_file")
_READS = {"m": MAIL_READS, "e": EVENT_READS, "d": TODO_READS, "f": FILE_READS}
"""First letter of the id of a row to the tools that return such rows."""
_NEW_ROW = re.compile(r"m-n\d{3}|[ed]-\d+")
"""Id of a row that an earlier turn of a conversation makes."""
_WRITES = {spec.name: spec.writes for spec in SPECS}


def questions(office: Office, folder: Path = DATA) -> Iterator[Task]:
    """The questions, in the order of their ids."""
    for row in records(folder / "questions.jsonl"):
        yield _question(office, row)


def actions(office: Office, folder: Path = DATA) -> Iterator[Task]:
    """The requests that want calls, or none, in the order of their ids."""
    for row in records(folder / "tool_tasks.jsonl"):
        yield _action(office, row)


def conversations(office: Office, folder: Path = DATA) -> Iterator[Task]:
    """The conversations, in the order of their ids."""
    for row in records(folder / "conversations.jsonl"):
        yield _conversation(office, row)


def fact_version(office: Office, name: str) -> FactVersion:
    """The version of a fact that a record names: `s01.total` as it is now, `s01.total@0` its first.

    Raises:
        DataMissingError: The ledger holds no such fact.
    """
    fact_id, _, index = name.partition("@")
    if fact_id not in office.facts:
        raise DataMissingError(f"office: the ledger holds no fact {fact_id!r}; see facts.jsonl")
    fact = office.facts[fact_id]
    return fact.versions[int(index) if index else fact.now]


def groups_of(
    office: Office, facts: Iterable[str]
) -> tuple[tuple[tuple[str, ...], ...], tuple[tuple[str, ...], ...]]:
    """One group of mail keys a fact: mails that state or quote it, and mails that state it."""
    wide, strict = [], []
    for name in facts:
        own, quoted = stated(office, fact_version(office, name))
        both = {*own, *quoted}
        wide.append(tuple(key for key in office.mails if key in both))
        strict.append(own)
    return tuple(wide), tuple(strict)


def _question(office: Office, row: Mapping[str, Json]) -> Task:
    absence = row["reasoning"] == "absence"
    wide, strict = groups_of(office, () if absence else row["facts"])
    sentence = ", ".join(part["canonical"] for part in row["parts"])
    return Task(
        item=row["id"],
        suite=SUITE,
        form="question",
        turns=(Turn(row["text"], sentence),),
        cluster=row["cluster"],
        protected=protected(row["text"], office, row.get("keep", ())),
        answers=(sentence,),
        relevant=None if absence else tuple(_ids(office, group) for group in wide),
        groups={
            "bin": row["bin"],
            "reasoning": row["reasoning"],
            "head_verb": row["head_verb"],
        },
        detail={
            "absence": absence,
            "parts": row["parts"],
            "strict": None if absence else [list(_ids(office, group)) for group in strict],
        },
    )


def _action(office: Office, row: Mapping[str, Json]) -> Task:
    detail = _resolved(
        office,
        {
            "calls": row["calls"],
            "expect": row["expect"],
            "parts": row.get("answer", {}).get("parts", []),
            "ask_back": row.get("ask_back", False),
            "candidates": row.get("candidates", []),
        },
    )
    answer = row.get("answer", {}).get("canonical", "")
    return Task(
        item=row["id"],
        suite=SUITE,
        form="actions",
        turns=(Turn(row["text"], answer),),
        cluster=row["cluster"],
        protected=protected(row["text"], office, row.get("keep", ())),
        answers=(answer,) if answer else (),
        calls=gold_calls(next(alternatives(detail["calls"]))),
        groups={"kind": row["kind"], "head_verb": row["head_verb"]},
        detail=detail,
    )


def _conversation(office: Office, row: Mapping[str, Json]) -> Task:
    turns = [
        {name: _resolved(office, turn[name]) for name in ("calls", "expect")}
        for turn in row["turns"]
    ]
    kept = [protected(t["text"], office, t.get("keep", ())) for t in row["turns"]]
    return Task(
        item=row["id"],
        suite=SUITE,
        form="conversation",
        turns=tuple(Turn(turn["text"], turn["reply"]) for turn in row["turns"]),
        cluster=row["cluster"],
        protected=tuple(dict.fromkeys(literal for turn in kept for literal in turn)),
        calls=tuple(
            call
            for number, turn in enumerate(turns)
            for call in gold_calls(next(alternatives(turn["calls"])), number)
        ),
        groups={"kind": "conversation", "head_verb": row["turns"][0]["head_verb"]},
        detail={
            "turns": turns,
            "protected": [list(literals) for literals in kept],
            "head_verbs": [turn["head_verb"] for turn in row["turns"]],
        },
    )


def alternatives(calls: Iterable[Mapping[str, Json]]) -> Iterator[list[Mapping[str, Json]]]:
    """Every list of calls that an answer key with choices stands for, the first choice first.

    Example:
        >>> list(alternatives([{"tool": "a"}, {"any_of": [[{"tool": "b"}], []]}]))
        [[{'tool': 'a'}, {'tool': 'b'}], [{'tool': 'a'}]]
    """
    known: list[list[Mapping[str, Json]]] = [[]]
    for call in calls:
        choices = call.get("any_of", [[call]])
        known = [[*before, *choice] for before in known for choice in choices]
    yield from known


def gold_calls(
    calls: Iterable[Mapping[str, Json]], turn: int | None = None
) -> tuple[GoldCall, ...]:
    """Calls that can be made as they stand and meet the answer key."""
    return tuple(
        GoldCall(
            name=call["tool"],
            arguments=concrete(call["arguments"]),
            writes=_WRITES[call["tool"]],
            optional=call.get("optional", False),
            turn=turn,
        )
        for call in calls
    )


def resolved_calls(office: Office, calls: Iterable[Mapping[str, Json]]) -> tuple[GoldCall, ...]:
    """Calls written by hand with keys of authors, such as the traps of a record, made callable."""
    return gold_calls(_resolved(office, list(calls)))


def _resolved(office: Office, value: Json) -> Json:
    """The value with `@KEY`, and the keys of expected reads and rows, as ids."""
    if isinstance(value, Mapping):
        made = {name: _resolved(office, inner) for name, inner in value.items()}
        if "returns" in made:
            made["returns"] = [_id(office, key) for key in made["returns"]]
            made.setdefault("tools", _reads(made["returns"][0]))
        if "table" in made and "key" in made:
            made["key"] = _id(office, made["key"])
        return made
    if isinstance(value, list | tuple):
        return [_resolved(office, inner) for inner in value]
    if isinstance(value, str) and re.fullmatch(r"@(s\d\d|f|e|d)-[\w-]+", value):
        return _id(office, value[1:])
    return value


def _reads(row_id: str) -> list[str]:
    return list(_READS.get(row_id[0], ("find_people",)))


def _id(office: Office, key: str) -> str:
    if key in office.mails:
        return office.mails[key].id
    for table in (office.events, office.todos, office.files):
        if key in table:
            return str(table[key]["id"])
    if _NEW_ROW.fullmatch(key):
        return key
    if any(person["id"] == key for person in office.people):
        return key
    raise DataMissingError(f"office: {key!r} is no mail, event, to-do, file or person of the world")


def _ids(office: Office, keys: Iterable[str]) -> tuple[str, ...]:
    return tuple(office.mails[key].id for key in keys)


def all_tasks(part: str = "") -> tuple[Task, ...]:
    """The questions, the actions, the conversations, or all of them in this order."""
    office = load()
    makers = {"questions": questions, "actions": actions, "conversations": conversations}
    wanted = [makers[part]] if part else list(makers.values())
    return tuple(task for make in wanted for task in make(office))
