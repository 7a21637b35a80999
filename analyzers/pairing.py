"""Base beside variant by item: runs averaged first, and what is missing said."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tracer.errors import PairingError

FloatArray: TypeAlias = npt.NDArray[np.float64]
Runs: TypeAlias = Mapping[str, Sequence[float | None]]
"""Item to the values of its runs; None where a run has none."""


@dataclass(frozen=True, slots=True)
class Paired:
    """The items that two conditions have in common, with a value on both sides."""

    items: tuple[str, ...]
    """Sorted by id, so that nothing depends on the order of traces."""
    base: FloatArray
    """Mean over the runs of each item."""
    variant: FloatArray
    undefined: tuple[str, ...] = ()
    """Items in both conditions without a value on at least one side."""
    missing_in_base: tuple[str, ...] = ()
    missing_in_variant: tuple[str, ...] = ()
    short: tuple[str, ...] = ()
    """Items with fewer runs than the others; their mean is over the runs they have."""
    single: bool = True
    """Every item has one run on each side."""

    @property
    def n(self) -> int:
        """Items compared."""
        return len(self.items)

    @property
    def difference(self) -> FloatArray:
        """Variant minus base, one value an item."""
        return self.variant - self.base


@dataclass(frozen=True, slots=True, eq=False)
class Averaged:
    """One condition with the runs of each item averaged."""

    items: tuple[str, ...]
    """Sorted by id."""
    values: FloatArray
    """Mean over the runs that have a value; NaN where none has."""
    runs: npt.NDArray[np.int64]


def average(runs: Runs) -> Averaged:
    """The mean over the runs of each item, the same whatever the order of items and runs."""
    items = tuple(sorted(runs))
    lists = [runs[item] for item in items]
    lengths = np.array([len(one) for one in lists], dtype=np.int64)
    # Sums of thirds depend on their order, so runs are sorted before they are added.
    if items and lengths[0] and (lengths == lengths[0]).all():
        table = np.array(lists, dtype=float)
        if not np.isnan(table).any():
            return Averaged(items, np.sort(table, axis=1).mean(axis=1), lengths)
    means = [mean_of(one) for one in lists]
    values = np.array([math.nan if mean is None else mean for mean in means], dtype=float)
    return Averaged(items, values, lengths)


def pair_runs(base: Runs, variant: Runs, *, strict: bool = False) -> Paired:
    """Average the runs of each item, then keep the items that both conditions have.

    Args:
        base: Runs of the base condition.
        variant: Runs of the other.
        strict: Refuse when an item is on one side only.

    Raises:
        PairingError: `strict`, and the sides hold different items.

    Source:
        Lost in the Request, appendix G and table 7 (matched baseline); uneven runs: ours.
    """
    return pair(average(base), average(variant), strict=strict)


def pair(base: Averaged, variant: Averaged, *, strict: bool = False) -> Paired:
    """Keep the items that both conditions have.

    Raises:
        PairingError: `strict`, and the sides hold different items.
    """
    if base.items == variant.items:
        common, left, right = base.items, base, variant
    else:
        kept = set(base.items) & set(variant.items)
        common = tuple(item for item in base.items if item in kept)
        left, right = _only(base, kept), _only(variant, kept)
    missing_in_base = _without(variant.items, common)
    missing_in_variant = _without(base.items, common)
    if strict and (missing_in_base or missing_in_variant):
        raise PairingError(
            f"{len(missing_in_base)} items are missing in the base ({_few(missing_in_base)}) and "
            f"{len(missing_in_variant)} in the variant ({_few(missing_in_variant)}); run them, or "
            "leave --strict-pairs out to compare the items that both have"
        )
    known = ~(np.isnan(left.values) | np.isnan(right.values))
    fewest = np.minimum(left.runs, right.runs)
    expected = int(max(left.runs.max(), right.runs.max())) if common else 1
    return Paired(
        items=common if known.all() else _chosen(common, known),
        base=left.values[known],
        variant=right.values[known],
        undefined=_chosen(common, ~known),
        missing_in_base=missing_in_base,
        missing_in_variant=missing_in_variant,
        short=_chosen(common, fewest < expected),
        single=expected <= 1,
    )


def _only(side: Averaged, kept: set[str]) -> Averaged:
    chosen = np.array([item in kept for item in side.items], dtype=bool)
    return Averaged(_chosen(side.items, chosen), side.values[chosen], side.runs[chosen])


def _chosen(items: Sequence[str], which: npt.NDArray[np.bool_]) -> tuple[str, ...]:
    return tuple(items[int(place)] for place in np.flatnonzero(which))


def _without(items: Sequence[str], common: Sequence[str]) -> tuple[str, ...]:
    if len(items) == len(common):
        return ()
    there = set(common)
    return tuple(item for item in items if item not in there)


def mean_of(runs: Sequence[float | None]) -> float | None:
    """Mean of the runs that have a value, whatever their order; None when none has."""
    known = [value for value in runs if value is not None]
    return math.fsum(known) / len(known) if known else None


def _few(items: Sequence[str], most: int = 3) -> str:
    more = f" and {len(items) - most} more" if len(items) > most else ""
    return (", ".join(repr(item) for item in items[:most]) or "none") + more
