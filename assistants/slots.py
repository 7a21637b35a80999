"""What a run consists of: each item in each wording, as often as asked, in the order of the run."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from tracer.records import Message, Request, Task

Key: TypeAlias = tuple[str, str, int]
"""Item, condition, replicate."""


@dataclass(frozen=True, slots=True)
class Wording:
    """How an item is said in one condition."""

    condition: str
    axis: str
    texts: tuple[str, ...]
    """One a turn."""


@dataclass(frozen=True, slots=True)
class Slot:
    """One run of one item in one wording."""

    task: Task
    wording: Wording
    replicate: int = 0

    @property
    def key(self) -> Key:
        """What it is found again by."""
        return self.task.item, self.wording.condition, self.replicate

    def request(self, turn: int, history: Sequence[Message] = ()) -> Request:
        """The user's words of one turn."""
        return Request(
            item=self.task.item,
            text=self.wording.texts[turn],
            suite=self.task.suite,
            condition=self.wording.condition,
            axis=self.wording.axis,
            replicate=self.replicate,
            turn=turn,
            base_text=self.task.turns[turn].text,
            cluster=self.task.cluster,
            history=tuple(history),
        )


def base_wording(task: Task) -> Wording:
    """The original words."""
    return Wording("base", "base", tuple(turn.text for turn in task.turns))


def in_order(
    tasks: Iterable[Task], wordings: Mapping[str, Sequence[Wording]], replicates: int
) -> Iterator[Slot]:
    """All slots, item by item with all conditions and replicates of an item together.

    So whatever is finished when a run stops is paired.

    Args:
        tasks: The items in the order of the suite.
        wordings: Item to its wordings, in the order of the conditions.
        replicates: Runs of each wording, at least 1.
    """
    for task in tasks:
        for wording in wordings[task.item]:
            for replicate in range(replicates):
                yield Slot(task, wording, replicate)


def seed_of(run_seed: int, key: Key) -> int:
    """The seed of one slot: 32 bits of a SHA-256, so that no order of running changes it.

    Example:
        >>> seed_of(7, ("a", "base", 0)) == seed_of(7, ("a", "base", 0))
        True
        >>> seed_of(7, ("a", "base", 0)) == seed_of(7, ("a", "base", 1))
        False
    """
    text = "\x1f".join((str(run_seed), *map(str, key)))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4])
