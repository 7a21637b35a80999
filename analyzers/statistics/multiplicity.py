"""p values adjusted for how many were looked at."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def holm(p: Sequence[float]) -> list[float]:
    """Holm's step-down adjustment, in the order given; equal p get equal results.

    Source:
        Holm 1979; equal to statsmodels `multipletests(method="holm")`. The papers print raw p.

    Example:
        >>> holm([0.01, 0.04, 0.03])
        [0.03, 0.06, 0.06]
    """
    values, order = _sorted(p)
    factors = np.arange(len(values), 0, -1)
    adjusted = np.minimum(1.0, np.maximum.accumulate(values * factors))
    return _restored(adjusted, order)


def benjamini_hochberg(p: Sequence[float]) -> list[float]:
    """Benjamini and Hochberg's false-discovery adjustment, in the order given.

    Source:
        Benjamini and Hochberg 1995; equal to statsmodels `multipletests(method="fdr_bh")`.

    Example:
        >>> benjamini_hochberg([0.01, 0.04, 0.03])
        [0.03, 0.04, 0.04]
    """
    values, order = _sorted(p)
    factors = len(values) / np.arange(1, len(values) + 1)
    adjusted = np.minimum.accumulate((values * factors)[::-1])[::-1]
    return _restored(np.minimum(1.0, adjusted), order)


def _sorted(p: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    values = np.asarray(p, dtype=float)
    order = np.argsort(values, kind="stable")
    return values[order], order


def _restored(adjusted: np.ndarray, order: np.ndarray) -> list[float]:
    out = np.empty_like(adjusted)
    out[order] = adjusted
    return [float(value) for value in out]
