"""Which step of one trace stands beside which of another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from analyzers.call_counts import same_value
from analyzers.steps import Step

_MOST_CELLS = 1_000_000
"""Above this the middle of two long traces is aligned by names alone."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Places of one step on both sides; None where a side lacks it."""

    left: int | None
    right: int | None
    moved: bool = False
    """Found out of order on the other side."""


def align(left: Sequence[Step], right: Sequence[Step]) -> list[Pair]:
    """Every step of both sides once, in an order that keeps that of each side.

    Args:
        left: Steps of the base.
        right: Steps of the variant.

    Returns:
        Pairs in the order of the base, what only the variant has between them.

    Source:
        Longest common subsequence over kind and name; among equally long ones that with the most
        equal arguments. Then equal calls that are left over on both sides, best overlap first.
    """
    pairs = _subsequence(left, right)
    taken = {i for i, _ in pairs}, {j for _, j in pairs}
    moved = _moved(left, right, *taken)
    return _merged(len(left), len(right), pairs, moved)


def overlap(one: Step, other: Step) -> float:
    """Share of equal arguments of two steps of one kind and name, 1.0 when all are.

    A model call or a node counts half, so that calls of tools are laid beside each other first.

    Example:
        >>> overlap(Step("tool", "f", {"a": 1, "b": 2}), Step("tool", "f", {"a": 1, "b": 3}))
        0.5
    """
    if one.kind in ("chat", "node"):
        return 0.5
    if one.kind != "tool":
        return float(one.query == other.query and one.text == other.text)
    if one.arguments is None or other.arguments is None:
        return float(one.arguments is other.arguments and one.raw == other.raw)
    names = one.arguments.keys() | other.arguments.keys()
    if not names:
        return 1.0
    same = sum(
        name in one.arguments
        and name in other.arguments
        and same_value(one.arguments[name], other.arguments[name])
        for name in names
    )
    return same / len(names)


def _subsequence(left: Sequence[Step], right: Sequence[Step]) -> list[tuple[int, int]]:
    if len(left) * len(right) > _MOST_CELLS:
        matcher = SequenceMatcher(
            None, [step.key for step in left], [step.key for step in right], autojunk=False
        )
        return [
            (block.a + step, block.b + step)
            for block in matcher.get_matching_blocks()
            for step in range(block.size)
        ]
    rows, columns = len(left), len(right)
    best = [[(0, 0.0)] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows - 1, -1, -1):
        for j in range(columns - 1, -1, -1):
            found = max(best[i + 1][j], best[i][j + 1])
            if left[i].key == right[j].key:
                length, equal = best[i + 1][j + 1]
                found = max(found, (length + 1, equal + overlap(left[i], right[j])))
            best[i][j] = found
    return _walked(left, right, best)


def _walked(
    left: Sequence[Step], right: Sequence[Step], best: Sequence[Sequence[tuple[int, float]]]
) -> list[tuple[int, int]]:
    pairs = []
    i = j = 0
    while i < len(left) and j < len(right):
        length, equal = best[i + 1][j + 1]
        if left[i].key == right[j].key and best[i][j] == (
            length + 1,
            equal + overlap(left[i], right[j]),
        ):
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def _moved(
    left: Sequence[Step], right: Sequence[Step], taken_left: set[int], taken_right: set[int]
) -> list[tuple[int, int]]:
    """Calls with equal arguments that are left over on both sides."""
    rest = [j for j in range(len(right)) if j not in taken_right]
    found = []
    for i in range(len(left)):
        if i in taken_left:
            continue
        hit = next(
            (j for j in rest if right[j].key == left[i].key and overlap(left[i], right[j]) == 1.0),
            None,
        )
        if hit is not None:
            rest.remove(hit)
            found.append((i, hit))
    return found


def _merged(
    rows: int, columns: int, pairs: Sequence[tuple[int, int]], moved: Sequence[tuple[int, int]]
) -> list[Pair]:
    elsewhere = dict(moved)
    gone = set(elsewhere.values())
    out: list[Pair] = []
    i = j = 0
    for left, right in [*pairs, (rows, columns)]:
        out += [
            Pair(place, elsewhere.get(place), moved=place in elsewhere) for place in range(i, left)
        ]
        out += [Pair(None, place) for place in range(j, right) if place not in gone]
        if left < rows:
            out.append(Pair(left, right))
        i, j = left + 1, right + 1
    return out
