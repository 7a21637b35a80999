"""Which pairs of traces the report holds: few of every kind first, then more of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from analyzers.report.item_states import Item, State
from analyzers.report.tables import STAGES

FIRST = 3
"""Pairs of each condition and stage that go before all others."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One item in one condition, beside the base."""

    item: str
    condition: str
    state: State

    @property
    def key(self) -> tuple[str, str]:
        """Item and condition."""
        return self.item, self.condition


def differing_pairs(items: Sequence[Item], conditions: Sequence[str]) -> list[Pair]:
    """The pairs whose outcome differs, in the order in which they are worth their room.

    Pairs that nobody can judge, because nothing was graded, all count as differing.

    Args:
        items: In table order.
        conditions: In table order.

    Source:
        Ours: three of each condition and stage first, earliest stage of harm first, then one of
        each in turn, so that no kind of failure crowds out another.
    """
    judged = any(state.judged for one in items for state in one.states.values())
    cells: dict[tuple[int, int], list[Pair]] = {}
    for one in items:
        for place, condition in enumerate(conditions):
            state = one.states.get(condition)
            if state is None or not state.runs or not one.base.runs:
                continue
            if state.differs or not judged:
                cells.setdefault((_rank(state.stage), place), []).append(
                    Pair(one.item, condition, state)
                )
    queues = [cells[key] for key in sorted(cells)]
    out = [pair for queue in queues for pair in queue[:FIRST]]
    longest = max(map(len, queues), default=0)
    for turn in range(FIRST, longest):
        out += [queue[turn] for queue in queues if turn < len(queue)]
    return out


def _rank(stage: str) -> int:
    return STAGES.index(stage) if stage in STAGES else len(STAGES)
