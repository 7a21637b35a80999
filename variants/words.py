"""Closed lists of words, written as running text."""

from __future__ import annotations


def word_set(text: str) -> frozenset[str]:
    """The words of a text.

    Example:
        >>> sorted(word_set("send reply"))
        ['reply', 'send']
    """
    return frozenset(text.split())
