"""One-to-one pairing of calls made with calls wanted: the first that fits, or the most."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Literal, TypeAlias

Matching: TypeAlias = Literal["first", "max"]
Fits: TypeAlias = Callable[[int, int], bool]
"""Whether the call made at a place serves the wanted call at another."""

_LOG = logging.getLogger(__name__)


def match_calls(made: int, wanted: int, fits: Fits, matching: Matching = "first") -> dict[int, int]:
    """Place of each paired call made to the place of the wanted call that it serves.

    Args:
        made: Number of calls made, in their order.
        wanted: Number of wanted calls.
        fits: Where equality is exact, both ways of matching find as many pairs; a fuzzy one can
            leave calls unpaired under `first`.
        matching: `first`: each call takes the first wanted one left that it serves. `max`: as many
            pairs as can be; a difference in their number is logged.

    Source:
        ToolTalk at e05f4ce takes the first; `max` is ours (augmenting paths).

    Example:
        >>> fits = lambda made, wanted: (made, wanted) != (1, 1)
        >>> match_calls(2, 2, fits), match_calls(2, 2, fits, "max")
        ({0: 0}, {0: 1, 1: 0})
    """
    first = _first(made, wanted, fits)
    if matching == "first":
        return first
    most = _most(made, wanted, fits)
    if len(most) != len(first):
        _LOG.info("%d calls paired, %d if each takes the first that fits", len(most), len(first))
    return most


def _first(made: int, wanted: int, fits: Fits) -> dict[int, int]:
    left = list(range(wanted))
    pairs: dict[int, int] = {}
    for call in range(made):
        hit = next((gold for gold in left if fits(call, gold)), None)
        if hit is not None:
            left.remove(hit)
            pairs[call] = hit
    return pairs


def _most(made: int, wanted: int, fits: Fits) -> dict[int, int]:
    options = [[gold for gold in range(wanted) if fits(call, gold)] for call in range(made)]
    taken: dict[int, int] = {}

    def place(call: int, seen: set[int]) -> bool:
        for gold in options[call]:
            if gold in seen:
                continue
            seen.add(gold)
            if gold not in taken or place(taken[gold], seen):
                taken[gold] = call
                return True
        return False

    for call in range(made):
        place(call, set())
    return dict(sorted((call, gold) for gold, call in taken.items()))
