"""The smallest difference that a comparison of this size would have seen."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

_Z_ALPHA = 1.959963984540054
"""Normal quantile of .975: two-sided test at .05."""
_Z_POWER = 0.8416212335729143
"""Normal quantile of .80: power of 80 percent."""


def detectable_mean(difference: npt.ArrayLike) -> float | None:
    """Smallest mean difference seen with 80 % power; None when nothing varies.

    Source:
        Normal approximation, (z.975 + z.80) x standard error. Ours, so that "no clear change" can
        be told from "could not have been seen".

    Example:
        >>> round(detectable_mean([1.0, -1.0] * 50), 3)
        0.282
    """
    values = np.asarray(difference, dtype=float)
    if values.size < 2:
        return None
    spread = float(values.std(ddof=1))
    if spread == 0:
        return None
    return (_Z_ALPHA + _Z_POWER) * spread / math.sqrt(values.size)


def detectable_mcnemar(discordant: int, n: int) -> float | None:
    """Smallest net share of changed items that exact McNemar sees with 80 % power.

    At least 6 / n, because five one-sided changes have p = .0625.

    Args:
        discordant: Items that changed sides, b + c.
        n: Items compared.

    Returns:
        A share of the items; None when even every item changing would be too few.

    Source:
        Connor 1987 for the sample size of McNemar's test, solved for the difference; the floor is
        ours.

    Example:
        >>> detectable_mcnemar(0, 24)
        0.25
    """
    if n < 6:
        return None
    floor = 6 / n
    if discordant == 0:
        return floor
    rate = discordant / n
    # d solves d sqrt(n) = z.975 sqrt(rate) + z.80 sqrt(rate - d^2), a quadratic in d.
    edge = _Z_ALPHA * math.sqrt(rate)
    whole = n + _Z_POWER**2
    root = edge**2 * n - whole * (edge**2 - _Z_POWER**2 * rate)
    size = (edge * math.sqrt(n) + math.sqrt(max(0.0, root))) / whole
    return max(floor, min(rate, size))
