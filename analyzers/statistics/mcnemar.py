"""Exact McNemar test of paired outcomes that are right or wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from analyzers.base import STATISTICS, Finding, Sample
from tracer.errors import PairingError

FloatArray: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Discordance:
    """How many items changed sides."""

    b: int
    """Right in the base, wrong in the variant."""
    c: int
    """Wrong in the base, right in the variant."""
    n: int

    @property
    def difference(self) -> float:
        """Variant minus base, as a share of all items."""
        return (self.c - self.b) / self.n if self.n else 0.0


def discordance(base: npt.ArrayLike, variant: npt.ArrayLike) -> Discordance:
    """Count the items that are right on one side only.

    Args:
        base: 0 or 1 for each item.
        variant: The same items in the same order.

    Raises:
        PairingError: The sides differ in length, or hold other values than 0 and 1.
    """
    left, right = np.asarray(base, dtype=float), np.asarray(variant, dtype=float)
    if left.shape != right.shape:
        raise PairingError(
            f"discordance: {left.size} base outcomes against {right.size} variant outcomes; "
            "pair them by item first (analyzers.pairing.pair_runs)"
        )
    if not bool(np.isin(left, (0, 1)).all() and np.isin(right, (0, 1)).all()):
        raise PairingError(
            "discordance: outcomes other than 0 and 1, such as means over several runs; "
            "use the paired bootstrap (analyzers.statistics.bootstrap)"
        )
    lost = int(np.sum((left == 1) & (right == 0)))
    won = int(np.sum((left == 0) & (right == 1)))
    return Discordance(lost, won, left.size)


def mcnemar_exact(b: npt.ArrayLike, c: npt.ArrayLike) -> FloatArray:
    """Two-sided exact p for each pair of discordant counts; 1 where nothing is discordant.

    Args:
        b: Items right in the base only; any shape.
        c: Items right in the variant only; same shape.

    Source:
        Lost in the Request, appendix G; equal to scipy's `binomtest(b, b + c)`.

    Example:
        >>> [round(float(p), 5) for p in mcnemar_exact([13, 5, 9], [5, 0, 9])]
        [0.09625, 0.0625, 1.0]
    """
    from scipy.special import bdtr

    low, total = _counts(b, c)
    p: FloatArray = np.minimum(1.0, 2.0 * bdtr(low, total, 0.5))
    return p


def mcnemar_mid_p(b: npt.ArrayLike, c: npt.ArrayLike) -> FloatArray:
    """The exact p less half of its discreteness: an extra, never the headline.

    Source:
        Fagerland, Lydersen and Laake 2013; nothing discordant gives 1.

    Example:
        >>> round(float(mcnemar_mid_p(1, 0)), 6)
        0.5
    """
    from scipy.special import bdtr

    low, total = _counts(b, c)
    below = np.where(low > 0, bdtr(np.maximum(low - 1, 0), total, 0.5), 0.0)
    up_to = bdtr(low, total, 0.5)
    at = up_to - below
    p: FloatArray = np.where(
        total == 0, 1.0, np.where(2 * low == total, 1.0 - at / 2, 2.0 * up_to - at)
    )
    return p


def _counts(
    b: npt.ArrayLike, c: npt.ArrayLike
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    left, right = np.asarray(b, dtype=np.int64), np.asarray(c, dtype=np.int64)
    return np.minimum(left, right), left + right


@STATISTICS.add("mcnemar_exact")
def exact(sample: Sample) -> Finding | None:
    """Exact McNemar over items that are right or wrong in a single run.

    Source:
        Lost in the Request, appendix G.
    """
    if not sample.binary:
        return None
    counts = discordance(sample.base, sample.variant)
    return Finding(counts.difference, p=float(mcnemar_exact(counts.b, counts.c)))


@STATISTICS.add("mcnemar_mid_p")
def mid_p(sample: Sample) -> Finding | None:
    """Exact McNemar less half of its discreteness; never the headline.

    Source:
        Fagerland, Lydersen and Laake 2013.
    """
    if not sample.binary:
        return None
    counts = discordance(sample.base, sample.variant)
    return Finding(counts.difference, p=float(mcnemar_mid_p(counts.b, counts.c)))
