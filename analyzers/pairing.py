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
    common = sorted(base.keys() & variant.keys())
    missing_in_base = tuple(sorted(variant.keys() - base.keys()))
    missing_in_variant = tuple(sorted(base.keys() - variant.keys()))
    if strict and (missing_in_base or missing_in_variant):
        raise PairingError(
            f"{len(missing_in_base)} items are missing in the base ({_few(missing_in_base)}) and "
            f"{len(missing_in_variant)} in the variant ({_few(missing_in_variant)}); run them, or "
            "leave --strict-pairs out to compare the items that both have"
        )
    left = {item: mean_of(base[item]) for item in common}
    right = {item: mean_of(variant[item]) for item in common}
    kept = [item for item in common if left[item] is not None and right[item] is not None]
    expected = max((len(runs[item]) for runs in (base, variant) for item in common), default=1)
    return Paired(
        items=tuple(kept),
        base=np.array([left[item] for item in kept], dtype=float),
        variant=np.array([right[item] for item in kept], dtype=float),
        undefined=tuple(item for item in common if item not in set(kept)),
        missing_in_base=missing_in_base,
        missing_in_variant=missing_in_variant,
        short=tuple(item for item in common if min(len(base[item]), len(variant[item])) < expected),
        single=expected <= 1,
    )


def mean_of(runs: Sequence[float | None]) -> float | None:
    """Mean of the runs that have a value, whatever their order; None when none has."""
    known = [value for value in runs if value is not None]
    return math.fsum(known) / len(known) if known else None


def _few(items: Sequence[str], most: int = 3) -> str:
    more = f" and {len(items) - most} more" if len(items) > most else ""
    return (", ".join(repr(item) for item in items[:most]) or "none") + more
