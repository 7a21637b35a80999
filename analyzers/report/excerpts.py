"""Long texts cut with their size, and the words in which two texts differ."""

from __future__ import annotations

import json
import re
from difflib import SequenceMatcher
from typing import Literal, TypeAlias

from analyzers.report.numbers import count
from tracer.printable import printable
from tracer.records import Json

TEXT = 2_000
"""Letters of a request, an answer or an argument that are shown."""
RESULT = 300
"""Letters of a tool's result."""

Piece: TypeAlias = tuple[Literal["", "ins", "del"], str]
_WORDS = re.compile(r"\w+\s*|[^\w\s]+\s*|\s+")
_MOST_WORDS = 600


def excerpt(text: str, letters: int = TEXT) -> str:
    """The text, or its beginning and how much is cut.

    Example:
        >>> excerpt("abcdef", 4)
        'abcd… (cut: 2 characters)'
    """
    if len(text) <= letters:
        return printable(text, one_line=False)
    kept = printable(text[:letters], one_line=False)
    return f"{kept}… (cut: {count(len(text) - letters)} characters)"


def value_text(value: Json, letters: int = TEXT) -> str:
    """A value as JSON, cut."""
    return excerpt(json.dumps(value, ensure_ascii=False, default=str), letters)


def changed_words(base: str, variant: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Both texts in pieces; what the other lacks is marked.

    Very long texts are given whole, without marks.

    Example:
        >>> changed_words("Move the mail", "Move that mail")[1]
        (('', 'Move '), ('ins', 'that '), ('', 'mail'))
    """
    left, right = _WORDS.findall(excerpt(base)), _WORDS.findall(excerpt(variant))
    if max(len(left), len(right)) > 2 * _MOST_WORDS:
        return (("", "".join(left)),), (("", "".join(right)),)
    before: list[Piece] = []
    after: list[Piece] = []
    # White space goes with the word before it and does not make it another word.
    keys = [word.strip() for word in left], [word.strip() for word in right]
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, *keys, autojunk=False).get_opcodes():
        same = tag == "equal"
        if i1 < i2:
            before.append(("" if same else "del", "".join(left[i1:i2])))
        if j1 < j2:
            after.append(("" if same else "ins", "".join(right[j1:j2])))
    return tuple(before), tuple(after)
