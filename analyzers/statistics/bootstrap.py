"""Paired percentile bootstrap of mean differences."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from analyzers.base import STATISTICS, Finding, Sample
from analyzers.statistics.product import product

FloatArray: TypeAlias = npt.NDArray[np.float64]

_SLACK = 1e-12
"""Sums of thirds are not exact, so "at zero" needs a little room."""

_CHUNK_CELLS = 200_000
"""Cells of the count matrix held at once: few enough for a processor's cache."""


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
    means = np.empty((columns, resamples))
    done = 0
    for counts in resample_counts(items, resamples, seed):
        means[:, done : done + len(counts)] = product(counts, differences).T
        done += len(counts)
    means /= items
    at_most = np.count_nonzero(means <= _SLACK, axis=1)
    at_least = np.count_nonzero(means >= -_SLACK, axis=1)
    own = differences.mean(axis=0)
    low, high = _percentiles(means)
    return [
        _interval(
            float(own[j]),
            float(low[j]),
            float(high[j]),
            int(at_most[j]),
            int(at_least[j]),
            resamples,
        )
        for j in range(columns)
    ]


def _percentiles(means: FloatArray) -> tuple[FloatArray, FloatArray]:
    """2.5 and 97.5 percentiles of each row with linear interpolation; the rows are reordered.

    Equal to numpy's `percentile`, which takes several times as long for many rows.
    """
    last = means.shape[1] - 1
    places = [(share * last, int(share * last)) for share in (0.025, 0.975)]
    wanted = sorted({min(low + step, last) for _, low in places for step in (0, 1)})
    means.partition(wanted, axis=1)
    ends = []
    for exact, low in places:
        one, other = means[:, low], means[:, min(low + 1, last)]
        share = exact - low
        step = other - one
        ends.append(one + step * share if share < 0.5 else other - step * (1 - share))
    return ends[0], ends[1]


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


@STATISTICS.add("paired_bootstrap")
def percentile(sample: Sample) -> Finding | None:
    """Percentile interval and p of the mean difference over items.

    Source:
        Lost in the Request, section 3.4.
    """
    difference = sample.variant - sample.base
    found = paired_bootstrap(difference, resamples=sample.resamples, seed=sample.seed)
    return None if found is None else Finding(found.mean, found.low, found.high, found.p)
