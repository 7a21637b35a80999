"""Words of a text, brought to a plain form, and the ones that carry no meaning of their own."""

from __future__ import annotations

import re

_WORD = re.compile(r"[a-z0-9]+(?:[-.'][a-z0-9]+)*")


def word_set(text: str) -> frozenset[str]:
    """The words of a table written as text, parted by blanks."""
    return frozenset(text.split())


_PLURAL = (("sses", "ss"), ("ss", "ss"), ("ies", "y"), ("es", "e"), ("s", ""))
_VERBAL = (("ing", ""), ("ed", ""))

STOP_WORDS = word_set(
    """a about above after again all also am an and any are as at be because been before being
    below between both but by can cannot could did do does doing down during each else even
    ever few for from further get give given got had has have having he her here hers him
    his how i if in into is it its itself just kindly let like may me might more most much
    must my myself no nor not now of off on once one only or other our ours out over own per
    please really same she should so some still such tell than thank thanks that the their
    theirs them then there these they thing this those through to too under until up us very
    want was we were what when where whether which while who whom whose why will wish with
    would you your yours"""
)
"""English words that say little by themselves: ours, kept short so that no name is lost."""


def words(text: str) -> list[str]:
    """Lower-case words and numbers, in order.

    Example:
        >>> words("PO-562: it's EUR 4.10")
        ['po-562', "it's", 'eur', '4.10']
    """
    return _WORD.findall(text.lower())


def content_words(text: str) -> list[str]:
    """The words that are no stop words, without English endings, in order.

    Example:
        >>> content_words("When were the meetings moved?")
        ['meet', 'mov']
    """
    return [stem(word) for word in words(text) if word not in STOP_WORDS]


def stem(word: str) -> str:
    """The word without the commonest English endings, so that forms of one word meet.

    Example:
        >>> stem("deliveries"), stem("delivery"), stem("delivered"), stem("s")
        ('deliveri', 'deliveri', 'deliver', 's')
    """
    word = word.removesuffix("'s").removesuffix("s'")
    if any(letter.isdigit() for letter in word) or len(word) <= 3:
        return word
    for endings in (_PLURAL, _VERBAL):
        for ending, kept in endings:
            if word.endswith(ending) and len(word) - len(ending) >= 3:
                word = word[: len(word) - len(ending)] + kept
                break
    if len(word) > 3 and word.endswith("e"):
        word = word[:-1]
    if len(word) > 4 and word[-1] == word[-2] and word[-1] not in "ls":
        word = word[:-1]
    return word[:-1] + "i" if word.endswith("y") else word
