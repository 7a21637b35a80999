"""Whether wordings keep the main verb of the request."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from analyzers.facts import Slot


@dataclass(frozen=True, slots=True)
class Retention:
    """Shares over the wordings whose original has a main verb and that were parsed."""

    retained: float | None
    """The main verb of the wording is that of the original."""
    subordinate: float | None
    """Another is, and a form of it stands elsewhere; None where that was not looked for."""
    lost: float | None
    n: int
    unknown: int = 0
    """Wordings that nobody parsed."""
    no_verb: int = 0
    """Wordings of originals without a main verb."""


def retention_of(slots: Iterable[Slot]) -> Retention:
    """The three shares over stored wordings.

    Source:
        Lost in the Request, section 5.1; counting what was not parsed apart: ours.
    """
    every = list(slots)
    with_verb = [slot for slot in every if slot.head_verb]
    parsed = [slot for slot in with_verb if slot.main_verb]
    kept = sum(slot.main_verb == slot.head_verb for slot in parsed)
    rest = [slot for slot in parsed if slot.main_verb != slot.head_verb]
    looked = all(slot.occurs is not None for slot in rest)
    under = sum(slot.occurs is True for slot in rest)
    n = len(parsed)
    return Retention(
        kept / n if n else None,
        under / n if n and looked else None,
        (len(rest) - under) / n if n and looked else None,
        n,
        len(with_verb) - n,
        len(every) - len(with_verb),
    )


def verb_retention(base_head: Sequence[str], variant_main: Sequence[str]) -> Retention:
    """Share of wordings whose main verb is the original's, from bare lists of lemmas.

    Raises:
        ValueError: The lists differ in length.

    Example:
        >>> verb_retention(["send", "find"], ["send", "wonder"]).retained
        0.5
    """
    pairs = zip(base_head, variant_main, strict=True)
    return retention_of(Slot(head_verb=head, main_verb=main) for head, main in pairs)
