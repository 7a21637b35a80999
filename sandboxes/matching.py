"""How a value that was given is compared with one that is expected, and calls with gold calls."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import TypeVar

from sandboxes.tokens import tokens
from tracer.records import Json

A = TypeVar("A")
B = TypeVar("B")
RULES = ("equal", "ci", "set", "number", "date", "regex", "similar", "any")
_SIMILAR = 0.6
_MOMENT = re.compile(r"(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2})(?::\d{2})?)?", re.ASCII)


def meets(value: Json, expected: Json) -> bool:
    """Whether a value meets a plain expected value or a rule.

    A rule is `{"rule": NAME, "value": ...}` with a name of `RULES`.

    Raises:
        ValueError: There is no such rule.

    Example:
        >>> meets(["b", "a"], {"rule": "set", "value": ["a", "b"]})
        True
    """
    if not is_rule(expected):
        return _equal(value, expected)
    name, wanted = expected["rule"], expected.get("value")
    if name == "any":
        return True
    if name == "equal":
        return _equal(value, wanted)
    if name == "ci":
        return isinstance(value, str) and value.strip().casefold() == wanted.casefold()
    if name == "set":
        return _set(value, wanted, expected.get("may", ()))
    if name == "number":
        return _number(value) is not None and _number(value) == _number(wanted)
    if name == "date":
        return _moment(value) is not None and _moment(value) == _moment(wanted)
    if name == "regex":
        return isinstance(value, str) and re.search(wanted, value) is not None
    if name == "similar":
        return isinstance(value, str) and similar(value, wanted)
    raise ValueError(f"unknown rule {name!r} for {wanted!r}; known: {', '.join(RULES)}")


def is_rule(expected: Json) -> bool:
    """Whether an expected value is a rule and not a plain value."""
    return isinstance(expected, Mapping) and "rule" in expected


def arguments_meet(
    given: Mapping[str, Json],
    expected: Mapping[str, Json],
    *,
    left_out: Callable[[str, Json], bool],
) -> bool:
    """Whether the arguments of a call are those that the answer key asks for.

    Args:
        given: Name to value, as the call has them.
        expected: Name to plain value or rule.
        left_out: Whether giving this value is the same as not giving the argument.
    """
    for name in given.keys() | expected.keys():
        value = given.get(name)
        if name not in expected:
            if not left_out(name, value):
                return False
        elif name not in given:
            rule = expected[name]
            if not (is_rule(rule) and rule.get("optional")):
                return False
        elif not meets(value, expected[name]):
            return False
    return True


def concrete(expected: Mapping[str, Json]) -> dict[str, Json]:
    """Arguments that meet the rules, for a call that can be made."""
    made: dict[str, Json] = {}
    for name, rule in expected.items():
        if not is_rule(rule):
            made[name] = rule
        elif not rule.get("optional"):
            made[name] = rule.get("example", rule.get("value"))
    return made


def similar(text: str, wanted: str) -> bool:
    """Whether two short texts share most of their words.

    Source:
        Ours: titles are free text, and an embedder would make grading depend on weights.

    Example:
        >>> similar("Pack the crates for the fair", "pack the fair crates")
        True
    """
    left, right = sorted(set(tokens(text))), sorted(set(tokens(wanted)))
    return difflib.SequenceMatcher(None, left, right, autojunk=False).ratio() >= _SIMILAR


def pair_up(left: Sequence[A], right: Sequence[B], fits: Callable[[A, B], bool]) -> dict[int, int]:
    """The largest one-to-one pairing, earlier ones of both sides first: left index to right index.

    Example:
        >>> pair_up([1, 2], [2, 1], lambda a, b: a == b)
        {0: 1, 1: 0}
    """
    options = [[j for j, b in enumerate(right) if fits(a, b)] for a in left]
    taken: dict[int, int] = {}

    def place(i: int, seen: set[int]) -> bool:
        for j in options[i]:
            if j not in seen:
                seen.add(j)
                if j not in taken or place(taken[j], seen):
                    taken[j] = i
                    return True
        return False

    for i in range(len(left)):
        place(i, set())
    return dict(sorted((i, j) for j, i in taken.items()))


def as_moment(text: str, clock: str = "00:00") -> str | None:
    """A time as `YYYY-MM-DD HH:MM`, a day alone at `clock`; None when the text is no time.

    Example:
        >>> as_moment("2026-03-09T14:00:00"), as_moment("2026-02-30")
        ('2026-03-09 14:00', None)
    """
    match = _MOMENT.fullmatch(text.strip())
    if match is None:
        return None
    try:
        moment = datetime.fromisoformat(f"{match[1]} {match[2] or clock}")
    except ValueError:
        return None
    return moment.strftime("%Y-%m-%d %H:%M")


def _equal(value: Json, wanted: Json) -> bool:
    if isinstance(value, bool) or isinstance(wanted, bool):
        return value is wanted
    if isinstance(value, list | tuple) and isinstance(wanted, list | tuple):
        return len(value) == len(wanted) and all(map(_same, value, wanted))
    if isinstance(value, Mapping) and isinstance(wanted, Mapping):
        return _same(value, wanted)
    if value == wanted:
        return True
    if isinstance(value, str) and isinstance(wanted, str):
        if value.strip() == wanted.strip():
            return True
        return _moment(value) is not None and _moment(value) == _moment(wanted)
    return False


def _same(value: Json, wanted: Json) -> bool:
    """Equality in which a flag is never a number, at any depth."""
    if isinstance(value, Mapping) and isinstance(wanted, Mapping):
        return value.keys() == wanted.keys() and all(_same(value[k], wanted[k]) for k in value)
    if isinstance(value, list | tuple) and isinstance(wanted, list | tuple):
        return len(value) == len(wanted) and all(map(_same, value, wanted))
    if isinstance(value, bool) or isinstance(wanted, bool):
        return value is wanted
    return bool(value == wanted)


def _set(value: Json, wanted: Collection[str], may: Collection[str]) -> bool:
    if not isinstance(value, list | tuple) or not all(isinstance(v, str) for v in value):
        return False
    given = {v.strip().casefold() for v in value}
    return {w.casefold() for w in wanted} <= given <= {w.casefold() for w in (*wanted, *may)}


def _number(value: Json) -> float | None:
    if isinstance(value, bool):
        return None
    try:
        return float(str(value).replace(",", ""))
    except ValueError:
        return None


def _moment(value: Json) -> str | None:
    return as_moment(value) if isinstance(value, str) else None
