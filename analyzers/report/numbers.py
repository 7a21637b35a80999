"""How a number is written; the only place that rounds."""

from __future__ import annotations

DASH = "\u2013"
"""Stands for a value that does not exist; never 0."""

_COUNTED = {"calls": 2, "spans": 1, "tokens": 1, "ms": 1, "currency": 4}
"""Decimals of units that are no shares."""


def level(value: float | None, unit: str = "share") -> str:
    """A mean: percent with one decimal, or the plain number of another unit.

    Example:
        >>> level(0.8123), level(None) == DASH, level(12345.678, "tokens")
        ('81.2', True, '12,345.7')
    """
    if value is None:
        return DASH
    if unit == "share":
        return _fixed(100 * value, 1)
    return _fixed(value, _COUNTED.get(unit, 2))


def change(value: float | None, unit: str = "share") -> str:
    """A difference with its sign: points with one decimal, or the plain number of another unit.

    Example:
        >>> change(-0.1128), change(0.00004), change(0.5, "calls")
        ('-11.3', '0.0', '+0.50')
    """
    if value is None:
        return DASH
    text = level(value, unit)
    return text if text.startswith("-") or not text.strip("0.") else "+" + text


def interval(low: float | None, high: float | None, unit: str = "share", width: int = 0) -> str:
    """An interval with both ends padded to `width`.

    Example:
        >>> interval(-0.171, -0.0562, width=5)
        '[-17.1,  -5.6]'
    """
    if low is None or high is None:
        return DASH
    return f"[{level(low, unit):>{width}}, {level(high, unit):>{width}}]"


def probability(p: float | None) -> str:
    """A p value with three decimals and no leading zero.

    Example:
        >>> probability(0.0336), probability(0.0004), probability(1.0), probability(0.9999)
        ('.034', '<.001', '1.00', '1.00')
    """
    if p is None:
        return DASH
    if p < 0.001:
        return "<.001"
    text = f"{p:.3f}"
    return "1.00" if text.startswith("1") else text[1:]


def count(number: int) -> str:
    """A count, with commas above 9,999.

    Example:
        >>> count(9999), count(18204)
        ('9999', '18,204')
    """
    return f"{number:,}" if abs(number) > 9999 else str(number)


def _fixed(value: float, decimals: int) -> str:
    rounded = round(value, decimals) + 0.0
    grouped = abs(rounded) > 9999
    return f"{rounded:,.{decimals}f}" if grouped else f"{rounded:.{decimals}f}"
