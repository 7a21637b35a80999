"""Closed lists of words, written as running text, and the first words of a text."""

from __future__ import annotations

import re

_WORD = re.compile(r"\w+(?:['\u2019]\w+)*")


def word_set(text: str) -> frozenset[str]:
    """The words of a text.

    Example:
        >>> sorted(word_set("send reply"))
        ['reply', 'send']
    """
    return frozenset(text.split())


def opening(text: str) -> str:
    """The first two words in lower case, by which repeated beginnings are counted.

    Example:
        >>> opening("Quick one: what did Kay send?")
        'quick one'
    """
    return " ".join(word.casefold() for word in _WORD.findall(text)[:2])
