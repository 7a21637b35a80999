"""Cohen's kappa of two raters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from tracer.errors import PairingError


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two raters agree."""

    agreement: float | None
    """Share of equal labels; None without items."""
    kappa: float | None
    """Agreement beyond chance; None when chance alone would agree always."""


def cohen_kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> Agreement:
    """Raw and chance-corrected agreement of two raters over the same items.

    Raises:
        PairingError: The raters labelled different numbers of items.

    Source:
        Cohen 1960; equal to scikit-learn's `cohen_kappa_score`, which gives NaN where this is None.

    Example:
        >>> cohen_kappa(["y", "y"], ["y", "y"])
        Agreement(agreement=1.0, kappa=None)
    """
    if len(first) != len(second):
        raise PairingError(
            f"cohen_kappa: {len(first)} labels against {len(second)}; pair them by item first"
        )
    n = len(first)
    if n == 0:
        return Agreement(None, None)
    observed = sum(a == b for a, b in zip(first, second, strict=True)) / n
    left, right = Counter(first), Counter(second)
    # Whole numbers, so that two constant raters meet the bound exactly.
    chance = sum(count * right[label] for label, count in left.items())
    if chance == n * n:
        return Agreement(observed, None)
    expected = chance / (n * n)
    return Agreement(observed, (observed - expected) / (1 - expected))
