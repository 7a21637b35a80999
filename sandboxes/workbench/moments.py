"""Times as the benchmark's tools read them, and the one it is in its world."""

from __future__ import annotations

from datetime import UTC, datetime

from tracer.records import Json

NOW = datetime(2023, 11, 30, tzinfo=UTC)
"""When the user's day begins; every mail sent carries it. Stored mails carry text instead."""
_FORMATS = (
    "%Y/%m/%d",
    "%m/%d/%Y",
    "%B %d, %Y",
    "%b %d, %Y",
    "%d %B %Y",
    "%d %b %Y",
    "%Y-%m",
    "%Y",
    "%Y/%m/%d %H:%M",
    "%Y/%m/%d %H:%M:%S",
    "%m/%d/%Y %H:%M",
    "%m/%d/%Y %H:%M:%S",
)


def moment(value: Json) -> datetime:
    """The time that a text or a time stands for; a day is its first moment.

    Words for the present, such as today, are none: they would let the real clock in.

    Raises:
        ValueError: It cannot be read as a time.

    Example:
        >>> moment("November 29, 2023").isoformat()
        '2023-11-29T00:00:00'
    """
    if isinstance(value, datetime):
        return value.replace(tzinfo=None)
    text = str(value).strip()
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        for pattern in _FORMATS:
            try:
                return datetime.strptime(text, pattern)  # noqa: DTZ007 (the tables know no zones)
            except ValueError:
                continue
    raise ValueError(f"{str(value)[:60]!r} cannot be read as a time; write YYYY-MM-DD HH:MM:SS")


def as_text(value: Json) -> Json:
    """A time as the tables write it; anything else as it is."""
    return value.strftime("%Y-%m-%d %H:%M:%S") if isinstance(value, datetime) else value
