"""Exact sign-flip test over cluster means."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]

EXACT_UP_TO = 20
SAMPLED = 20_000
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
    members: dict[Hashable, list[float]] = {}
    for value, name in zip(difference, cluster, strict=True):
        if value is not None:
            members.setdefault(name, []).append(value)
    means = np.array([np.mean(values) for values in members.values()])
    k = len(means)
    if k == 0:
        return SignFlip(0, None, None)
    statistic = float(means.mean())
    if k < 2:
        return SignFlip(k, statistic, None)
    threshold = abs(float(means.sum())) - _SLACK * k
    if k <= EXACT_UP_TO:
        p = float(np.mean(np.abs(_all_sums(means)) >= threshold))
    else:
        signs = np.random.default_rng(seed).integers(0, 2, size=(SAMPLED, k)) * 2.0 - 1.0
        hits = int(np.sum(np.abs(signs @ means) >= threshold))
        p = (hits + 1) / (SAMPLED + 1)
    return SignFlip(k, statistic, p)


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
