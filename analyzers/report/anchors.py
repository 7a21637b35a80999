"""Names of places in the HTML report, made of ids that nobody has checked."""

from __future__ import annotations

import hashlib
import re

_UNSAFE = re.compile(r"[^a-z0-9]+")
_LETTERS = 40


def slug(text: str) -> str:
    """Safe lower-case letters of an id and 8 digits of its SHA-256; two ids never share one.

    Lower case only, so that they also differ on file systems without case.

    Example:
        >>> slug("office-t17"), slug("../a b"), slug("A") == slug("a")
        ('office-t17-a1a2ec6a', 'a-b-2c2c791a', False)
    """
    kept = _UNSAFE.sub("-", text.lower()).strip("-")[:_LETTERS]
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{kept}-{digest}" if kept else digest


def name(text: str) -> str:
    """A condition or metric as part of an anchor: itself when it is harmless, else its slug.

    Example:
        >>> name("recall@5"), name("required_call_recall"), name("a b")
        ('recall-5', 'required_call_recall', 'a-b-c8687a08')
    """
    plain = text.replace("@", "-")
    return plain if re.fullmatch(r"[A-Za-z0-9_-]{1,60}", plain) else slug(text)


class Anchors:
    """The anchors of one block; those of the second and later blocks begin with its number."""

    def __init__(self, block: int) -> None:
        self._prefix = "" if block == 0 else f"b{block + 1}-"

    def section(self, key: str) -> str:
        """A part of a section."""
        return f"{self._prefix}{key}"

    def condition(self, condition: str) -> str:
        """A row of the heat map."""
        return f"{self._prefix}c-{name(condition)}"

    def metric(self, metric: str) -> str:
        """The first row of a metric in the effect table."""
        return f"{self._prefix}m-{name(metric)}"

    def cell(self, condition: str, metric: str) -> str:
        """A row of the effect table."""
        return f"{self._prefix}cell-{name(condition)}-{name(metric)}"

    def item(self, item: str) -> str:
        """A row of the item table."""
        return f"{self._prefix}t-{slug(item)}"

    def pair(self, item: str, condition: str) -> str:
        """A drill-down."""
        return f"{self._prefix}i-{slug(item)}--{name(condition)}"

    def note(self, letter: str) -> str:
        """A footnote."""
        return f"{self._prefix}note-{letter}"
