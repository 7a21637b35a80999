"""Runs the gates of a condition over one candidate, cheap ones first."""

from __future__ import annotations

from variants.base import GATES, Gated, Verdict

ALWAYS = ("empty", "unchanged", "numbers", "capitalised", "literals")


def gates_of(condition: str) -> tuple[str, ...]:
    """Names of the gates that a condition's texts pass, in order.

    Example:
        >>> gates_of("typos")
        ('empty', 'unchanged', 'numbers', 'capitalised', 'literals', 'edit')
    """
    if condition == "typos":
        return (*ALWAYS, "edit")
    if condition.startswith("dialect_"):
        return (*ALWAYS, "features")
    return ALWAYS


def run_gates(gated: Gated) -> tuple[Verdict, ...]:
    """The verdicts of all gates of the candidate's condition; an empty text is asked no further."""
    verdicts: list[Verdict] = []
    for name in gates_of(gated.condition):
        verdicts.append(GATES.get(name)(gated))
        if name == "empty" and not verdicts[-1].passed:
            break
    return tuple(verdicts)


def rejection(verdicts: tuple[Verdict, ...]) -> str:
    """The first gate that rejects, with its reason; empty when none does."""
    for verdict in verdicts:
        if verdict.filtered and not verdict.passed:
            return f"{verdict.name}: {verdict.reason}" if verdict.reason else verdict.name
    return ""
