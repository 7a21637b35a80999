"""Paired percentile bootstrap of mean differences."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]

_SLACK = 1e-12
"""Sums of thirds are not exact, so "at zero" needs a little room."""

_CHUNK_CELLS = 4_000_000
"""Cells of the count matrix held at once."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean difference with its percentile interval and two-sided p."""

    mean: float
    low: float
    high: float
    p: float
    """With one added on both sides of the fraction, so that it is never 0."""
    p_plain: float
    """Without, for comparison with printed values."""
    n_le_zero: int
    """Resampled means at or below zero."""
    n_ge_zero: int


def paired_bootstrap(
    difference: npt.ArrayLike, *, resamples: int = 10_000, seed: int = 0
) -> Interval | None:
    """Interval and p of the mean paired difference; None with fewer than 2 items.

    Args:
        difference: Variant minus base, one value an item, runs averaged first; no NaN.
        resamples: Number of resamples, at least 1.
        seed: Start of numpy's PCG64 stream; the same seed gives the same interval.

    Source:
        Lost in the Request, section 3.4 and appendix G; the added one, linear percentiles and the
        slack at zero: ours.

    Example:
        >>> paired_bootstrap([0.0, 0.0, 0.0]).p
        1.0
    """
    column = np.asarray(difference, dtype=float).reshape(-1, 1)
    return paired_bootstrap_columns(column, resamples=resamples, seed=seed)[0]


def paired_bootstrap_columns(
    differences: FloatArray, *, resamples: int = 10_000, seed: int = 0
) -> list[Interval | None]:
    """`paired_bootstrap` of several columns over the same items, with common random numbers.

    Args:
        differences: Shape (items, columns).
        resamples: Number of resamples, at least 1.
        seed: Start of the random stream.

    Returns:
        One interval a column, equal to what the column alone would give.
    """
    items, columns = differences.shape
    if items < 2:
        return [None] * columns
    means = np.concatenate(
        [counts @ differences for counts in resample_counts(items, resamples, seed)]
    )
    means /= items
    low, high = np.percentile(means, [2.5, 97.5], axis=0)
    at_most = np.sum(means <= _SLACK, axis=0)
    at_least = np.sum(means >= -_SLACK, axis=0)
    return [
        _interval(
            float(differences[:, j].mean()),
            float(low[j]),
            float(high[j]),
            int(at_most[j]),
            int(at_least[j]),
            resamples,
        )
        for j in range(columns)
    ]


def _interval(
    mean: float, low: float, high: float, at_most: int, at_least: int, resamples: int
) -> Interval:
    fewer = min(at_most, at_least)
    return Interval(
        mean=mean,
        low=low,
        high=high,
        p=min(1.0, 2 * (fewer + 1) / (resamples + 1)),
        p_plain=min(1.0, 2 * fewer / resamples),
        n_le_zero=at_most,
        n_ge_zero=at_least,
    )


def resample_counts(items: int, resamples: int, seed: int) -> Iterator[FloatArray]:
    """How often each resample draws each item, in blocks of rows.

    Drawing int64 in blocks gives the stream of one draw of shape (resamples, items).
    """
    rng = np.random.default_rng(seed)
    rows = max(1, _CHUNK_CELLS // items)
    for start in range(0, resamples, rows):
        block = min(rows, resamples - start)
        drawn = rng.integers(0, items, size=(block, items))
        drawn += np.arange(block, dtype=np.int64)[:, None] * items
        counted = np.bincount(drawn.ravel(), minlength=block * items)
        yield counted.reshape(block, items).astype(np.float64)


def derive_seed(run_seed: int, suite: str, items: Iterable[str]) -> int:
    """A seed for one set of items of one suite.

    It depends neither on the order of items nor on which metrics or conditions are asked for, so a
    table narrowed to one condition shows the same numbers.

    Source:
        Ours: common random numbers for every column over the same items.
    """
    text = json.dumps([run_seed, suite, sorted(items)], separators=(",", ":"))
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass"))
    return int.from_bytes(digest.digest()[:8], "big")
