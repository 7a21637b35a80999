"""Exact sign-flip test over cluster means."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from analyzers.base import STATISTICS, Finding, Sample
from analyzers.statistics.product import product

FloatArray: TypeAlias = npt.NDArray[np.float64]

EXACT_UP_TO = 20
SAMPLED = 20_000
_CELLS = 400_000
"""Cells of the matrix of sign patterns held at once; blocks of one stream are the stream."""
_SLACK = 1e-12


@dataclass(frozen=True, slots=True)
class SignFlip:
    """Mean of the cluster means and its two-sided p."""

    clusters: int
    statistic: float | None
    p: float | None
    """None with fewer than 2 clusters."""


def cluster_sign_flip(
    difference: Sequence[float | None], cluster: Sequence[Hashable], *, seed: int = 0
) -> SignFlip:
    """Test whether the mean of cluster means differs from 0 when whole clusters change sign.

    Args:
        difference: Variant minus base, one value an item; None is left out.
        cluster: The cluster of each item.
        seed: Start of the random stream, used with more than 20 clusters.

    Returns:
        With k clusters the smallest possible p is 2 / 2^k.

    Source:
        Ours: items of one template or conversation rise and fall together, and a test over items
        then rejects a true null far too often.

    Example:
        >>> cluster_sign_flip([1, 1, 1], ["a", "b", "c"]).p
        0.25
    """
    pairs = [(v, name) for v, name in zip(difference, cluster, strict=True) if v is not None]
    column = np.array([[value] for value, _ in pairs], dtype=float).reshape(len(pairs), 1)
    return cluster_sign_flips(column, [name for _, name in pairs], seed=seed)[0]


def cluster_sign_flips(
    differences: FloatArray, cluster: Sequence[Hashable], *, seed: int = 0
) -> list[SignFlip]:
    """`cluster_sign_flip` of several columns over the same items, with the same sign patterns.

    Args:
        differences: Variant minus base, shape (items, columns), no NaN.
        cluster: The cluster of each item.
        seed: Start of the random stream, used with more than 20 clusters.

    Returns:
        One result a column, equal to what the column alone would give.
    """
    columns = differences.shape[1]
    place = {name: number for number, name in enumerate(dict.fromkeys(cluster))}
    k = len(place)
    if k == 0:
        return [SignFlip(0, None, None)] * columns
    of_item = np.array([place[name] for name in cluster], dtype=np.int64)
    share = np.zeros((k, len(of_item)))
    share[of_item, np.arange(len(of_item))] = 1.0
    sizes = share.sum(axis=1)
    # Sums first: whole numbers stay exact, so that equal clusters stay equal.
    means = (share @ differences) / sizes[:, None]
    statistics = means.mean(axis=0)
    if k < 2:
        return [SignFlip(k, float(value), None) for value in statistics]
    thresholds = np.abs(means.sum(axis=0)) - _SLACK * k
    if k <= EXACT_UP_TO:
        p = [
            float(np.mean(np.abs(_all_sums(column)) >= threshold))
            for column, threshold in zip(means.T, thresholds, strict=True)
        ]
    else:
        hits = np.zeros(columns, dtype=np.int64)
        rng = np.random.default_rng(seed)
        rows = max(1, _CELLS // max(k, columns))
        for start in range(0, SAMPLED, rows):
            drawn = rng.integers(0, 2, size=(min(rows, SAMPLED - start), k))
            signs = drawn.astype(np.float64)
            signs *= 2.0
            signs -= 1.0
            sums = product(signs, means)
            hits += np.count_nonzero(np.abs(sums, out=sums) >= thresholds, axis=0)
        p = [(int(hit) + 1) / (SAMPLED + 1) for hit in hits]
    return [SignFlip(k, float(value), one) for value, one in zip(statistics, p, strict=True)]


def _all_sums(means: FloatArray) -> FloatArray:
    """The sums under every sign pattern, up to the sign of the whole and to clusters at 0.

    Both leave the share of patterns above a threshold of absolute values as it is.
    """
    moving = means[means != 0]
    if moving.size == 0:
        return np.zeros(1)
    sums: FloatArray = moving[:1]
    for mean in moving[1:]:
        sums = np.concatenate([sums + mean, sums - mean])
    return sums


@STATISTICS.add("cluster_sign_flip")
def over_clusters(sample: Sample) -> Finding | None:
    """Exact sign-flip test over the means of clusters.

    Source:
        Ours: items of one template or conversation rise and fall together.
    """
    found = cluster_sign_flip(
        [float(value) for value in sample.variant - sample.base], sample.clusters, seed=sample.seed
    )
    return None if found.statistic is None else Finding(found.statistic, p=found.p)
