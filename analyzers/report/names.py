"""How conditions are called in tables and sentences."""

from __future__ import annotations

from tracer.printable import printable


def shown_name(condition: str) -> str:
    """A condition, safe for a terminal and without the word `dialect`; data keeps the full name.

    Example:
        >>> shown_name("dialect_indian")
        'indian'
    """
    return printable(condition.removeprefix("dialect_"))
