"""Runs the gates of a condition over one candidate, cheap ones first."""

from __future__ import annotations

from variants.base import GATES, POLES, Gated, Helpers, Verdict
from variants.raters import RATED

ALWAYS = ("empty", "unchanged", "numbers", "capitalised", "literals")
DAMAGE = ("typos", "rtt")
SECOND_PAPER = {
    "less_readable": "readability",
    "less_formal": "formality",
    "more_polite": "politeness",
}
"""Conditions of the second paper to the gate of their dimension."""
NEVER_HUMAN = ("verbose",)
"""Contrastive poles about which gate C is not asked."""


def gates_of(condition: str, helpers: Helpers | None = None) -> tuple[str, ...]:
    """Names of the gates that a condition's texts pass, in order.

    Args:
        condition: Name of the condition.
        helpers: With a rater, gates A, B and C are named too; with an embedder, `similarity`.

    Example:
        >>> gates_of("typos")
        ('empty', 'unchanged', 'numbers', 'capitalised', 'literals', 'edit', 'gleu', 'entities')
    """
    asked = helpers is not None and helpers.rater is not None
    if condition in DAMAGE:
        return (*ALWAYS, "edit", "gleu", "entities")
    if condition.startswith("dialect_"):
        return (*ALWAYS, "features", *(("intent",) if asked else ()))
    if condition in SECOND_PAPER:
        near = helpers is not None and helpers.embedder is not None
        cheap = (*ALWAYS, SECOND_PAPER[condition], *(("similarity",) if near else ()))
        return (*cheap, *(("intent", "style") if asked else ()))
    return (*ALWAYS, *(rated_gates(condition) if asked else ()))


def rated_gates(condition: str) -> tuple[str, ...]:
    """The gates of a pole that a rater answers.

    Source:
        Lost in the Request, section 2.3: gate C is for contrastive poles, without verbose.
    """
    contrastive = condition in POLES.names() and POLES.get(condition).contrastive
    human = contrastive and condition not in NEVER_HUMAN
    return tuple(name for name in RATED if name != "human_likeness" or human)


def run_gates(gated: Gated) -> tuple[Verdict, ...]:
    """The verdicts of the gates of the candidate's condition.

    An empty text is asked no further, and no rater is troubled with a text that is rejected.
    """
    verdicts: list[Verdict] = []
    for name in gates_of(gated.condition, gated.helpers):
        if name in RATED and rejection(tuple(verdicts)):
            break
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
