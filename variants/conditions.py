"""The names of all conditions, their axes, and what each needs to be made."""

from __future__ import annotations

from collections.abc import Iterable

from tracer.errors import UnknownNameError
from tracer.registry import nearest
from variants.base import POLES, Helpers
from variants.features import DIALECTS

BASE = "base"
DIALECT = "dialect_"

_NAMES = (
    BASE,
    "explicit",
    "indirect",
    "formal",
    "casual",
    "terse",
    "verbose",
    "calm",
    "charged",
    "fluent_native",
    "non_grammatical",
    "dialect_indian",
    "dialect_singapore",
    "dialect_black_south_african",
    "dialect_nigerian",
    "less_readable",
    "less_formal",
    "more_polite",
    "typos",
    "rtt",
)
"""In the order of tables. A pole or dialect that is filed beyond these comes after them."""


def conditions() -> list[str]:
    """The names of all conditions in the order of tables, the base first.

    Source:
        Lost in the Request, section 2.1 (ten poles, four dialects); Out of Style, section 3.1 (the
        last five). The names are ours.
    """
    filed = [*POLES.names(), *(DIALECT + name for name in DIALECTS.names())]
    return [*_NAMES, *(name for name in filed if name not in _NAMES)]


def known(condition: str) -> str:
    """The condition's name.

    Raises:
        UnknownNameError: There is no such condition; the nearest names are offered.
    """
    names = conditions()
    if condition not in names:
        raise UnknownNameError(f"unknown condition {condition!r}; {nearest(condition, names)}")
    return condition


def axis_of(condition: str) -> str:
    """The axis that a condition belongs to.

    Example:
        >>> axis_of("indirect"), axis_of("dialect_singapore"), axis_of("typos")
        ('directness', 'dialect', 'typos')
    """
    if known(condition).startswith(DIALECT):
        return "dialect"
    return POLES.get(condition).axis if condition in POLES.names() else condition


def is_reference(condition: str) -> bool:
    """Whether a condition is a reference pole, the control for "any rewrite at all"."""
    return condition in POLES.names() and not POLES.get(condition).contrastive


def needs_model(condition: str) -> bool:
    """Whether a text in this condition comes from a model or a writer, not from a program."""
    return condition in POLES.names() or known(condition) == "rtt"


def available(authored: Iterable[str] = (), helpers: Helpers | None = None) -> list[str]:
    """The conditions that can be made with what is at hand.

    Args:
        authored: Conditions for which a suite ships wordings or has framings.
        helpers: With a rewriter all poles can be made, with a translator `rtt`.
    """
    shipped = set(authored)
    made = {BASE, "typos", *(DIALECT + name for name in DIALECTS.names())}
    if helpers is not None and helpers.rewriter is not None:
        made |= set(POLES.names())
    if helpers is not None and helpers.translator is not None:
        made.add("rtt")
    return [name for name in conditions() if name in made | shipped]
