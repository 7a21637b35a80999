"""Bias-corrected and accelerated bootstrap interval: an extra, never the headline."""

from __future__ import annotations

import numpy as np

from analyzers.base import STATISTICS, Finding, Sample
from analyzers.statistics.bootstrap import resample_counts
from analyzers.statistics.product import product


@STATISTICS.add("bca_bootstrap")
def bca_bootstrap(sample: Sample) -> Finding | None:
    """BCa interval of the mean difference over items; the point itself where nothing varies.

    Source:
        Efron 1987; equal to scipy's `bootstrap(method="BCa")`. The papers use percentiles, from
        which it differs where differences are skewed.
    """
    from scipy.special import ndtr, ndtri

    difference = sample.variant - sample.base
    n = difference.size
    if n < 2:
        return None
    mean = float(difference.mean())
    if np.all(difference == difference[0]):
        return Finding(mean, mean, mean)
    column = difference.reshape(-1, 1)
    blocks = resample_counts(n, sample.resamples, sample.seed)
    means = np.concatenate([product(counts, column)[:, 0] for counts in blocks]) / n
    below = (np.count_nonzero(means < mean) + np.count_nonzero(means <= mean)) / (2 * means.size)
    bias = ndtri(below)
    # The mean without one item, and how skewed these means are.
    left_out = (difference.sum() - difference) / (n - 1)
    spread = left_out.mean() - left_out
    acceleration = (spread**3).sum() / (6 * (spread**2).sum() ** 1.5)
    ends = []
    for share in (0.025, 0.975):
        shifted = bias + ndtri(share)
        at = ndtr(bias + shifted / (1 - acceleration * shifted))
        ends.append(float(np.percentile(means, 100 * at)))
    return Finding(mean, ends[0], ends[1])
