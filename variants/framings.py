"""Framings written by hand for the nine kinds of e-mail request of WorkBench, with slots.

They fill all ten poles without any model: a request is recognised by its own wording, its literals
are put into a framing byte for byte, and the result passes the same gates as any other text.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from tracer.records import Task


@dataclass(frozen=True, slots=True)
class Framing:
    """One way of saying a kind of request in a pole."""

    pole: str
    family: str
    """Kind of request, such as `forward_two`."""
    framing: str
    """Entry of the pole's menu; empty for reference poles, which have none."""
    main_verb: str
    text: str
    """With slots in braces, which stand for literals only."""


@dataclass(frozen=True, slots=True)
class Family:
    """A kind of request: what it looks like, and its plain form with slots."""

    name: str
    base: str
    head_verb: str
    patterns: tuple[re.Pattern[str], ...]


@dataclass(frozen=True, slots=True)
class Recognised:
    """A request as a family and the literals in its slots."""

    family: Family
    literals: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Framed:
    """A request put into a framing."""

    text: str
    framing: str
    main_verb: str
    index: int
    """Place of the framing among those of its pole and family."""


def recognise(text: str) -> Recognised | None:
    """The family of a request, by a match of its whole text; None for any other request."""
    for family in families():
        for pattern in family.patterns:
            found = pattern.fullmatch(text.strip())
            if found is not None:
                return Recognised(family, found.groupdict())
    return None


def framed_conditions(tasks: list[Task]) -> list[str]:
    """The poles in which at least one of these tasks has a framing."""
    known = any(len(task.turns) == 1 and recognise(task.text) for task in tasks)
    return sorted({framing.pole for framing in framings()}) if known else []


def framed(task: Task, pole: str) -> list[Framed]:
    """The request in all framings of a pole, beginning with the one that its item id names.

    Source:
        Ours; the rotation is that of the framings of a rewriting model.
    """
    found = recognise(task.text) if len(task.turns) == 1 else None
    if found is None:
        return []
    texts = [
        Framed(_filled(one.text, found.literals), one.framing, one.main_verb, index)
        for index, one in enumerate(
            one for one in framings() if (one.pole, one.family) == (pole, found.family.name)
        )
    ]
    start = item_number(task.item) % len(texts) if texts else 0
    return texts[start:] + texts[:start]


def item_number(item: str) -> int:
    """A number for an item id that is the same in every process: 8 bytes of its SHA-256.

    Source:
        Ours: Lost in the Request, appendix D.19, asks for a rotation by item id and names no hash.
    """
    return int.from_bytes(hashlib.sha256(item.encode(errors="surrogatepass")).digest()[:8])


@cache
def families() -> tuple[Family, ...]:
    """The nine kinds of request."""
    return tuple(
        Family(
            record["family"],
            record["base"],
            record["head_verb"],
            tuple(re.compile(pattern, re.DOTALL) for pattern in record["patterns"]),
        )
        for record in json.loads(_read("families.json"))
    )


@cache
def framings() -> tuple[Framing, ...]:
    """All framings, by pole, in the order of their files."""
    folder = resources.files("variants").joinpath("authored")
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".jsonl"))
    return tuple(
        Framing(pole=name.removesuffix(".jsonl"), **json.loads(line))
        for name in names
        for line in _read(name).splitlines()
    )


def _read(name: str) -> str:
    return resources.files("variants").joinpath("authored", name).read_text(encoding="utf-8")


def _filled(text: str, literals: Mapping[str, str]) -> str:
    """The framing with its slots filled in one pass: a literal may itself hold braces."""
    return re.sub(r"\{(\w+)\}", lambda slot: literals[slot.group(1)], text)
