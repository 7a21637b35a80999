"""Quartiles by rank, each with an equal number of items."""

from __future__ import annotations

from collections.abc import Mapping


def rank_quartiles(ratio: Mapping[str, float]) -> dict[str, int]:
    """Quartile 1 to 4 of each item, lowest ratio first, ties by item id.

    Source:
        Lost in the Request, section 4.2.1; by rank rather than cut points is ours, because ties
        make groups of unequal size.

    Example:
        >>> rank_quartiles({"a": 1.0, "b": 1.0, "c": 1.0, "d": 9.0})
        {'a': 1, 'b': 2, 'c': 3, 'd': 4}
    """
    order = sorted(ratio, key=lambda item: (ratio[item], item))
    return {item: min(4, 1 + 4 * place // len(order)) for place, item in enumerate(order)}
