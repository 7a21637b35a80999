"""What a question's words give away: its literals, and what in it points at its mail."""

from __future__ import annotations

import re

from sandboxes.enronqa.mailbox import parts_of

_LITERAL = re.compile(
    r"\"[^\"]+\"|'[^']{3,}'(?!\w)"
    r"|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
    r"|\b\d+(?:[.,:/-]\d+)*%?"
    r"|\b[A-Z][\w-]+(?: (?:of |and )?[A-Z][\w-]+)*"
)
_OPENER = re.compile(
    r"^(?:according to|did|does|do|is|are|was|were|has|have|had|can|could|will|would|should|in|on"
    r"|at|for|with|by|from|to|what|whom?|whose|when|where|why|how|which) ",
    re.IGNORECASE,
)
"""Words that begin a question and belong to no name."""
_WORD = re.compile(r"[^\W_]{3,}")
_COMMON = re.compile(
    r"about|according|and|any|are|did|does|emails?|files?|for|from|had|has|have|how|into|its|mail"
    r"|message|not|recipients|regarding|sender|sent|subject|that|the|their|them|they|this|was|were"
    r"|what|when|where|which|who|whom|whose|why|will|with|would|you|your"
)
"""Words that name no mail."""


def literals(question: str) -> tuple[str, ...]:
    """Names, numbers, addresses and quotes that every wording must keep, in order.

    A capital at the beginning of a sentence makes no name.

    Example:
        >>> literals("What did Jo Pell say about 3 lamps?")
        ('Jo Pell', '3')
    """
    found = []
    for match in _LITERAL.finditer(question):
        before = question[: match.start()].rstrip()
        starts = not before or before[-1] in ".?!"
        text = match[0].strip("\"'")
        if starts and text[0].isalpha() and "@" not in text:
            text = _OPENER.sub("", text) if " " in text else ""
        found += [text] if text else []
    return tuple(dict.fromkeys(found))


def identifying(question: str, mail: str) -> tuple[str, ...]:
    """Words of the question that stand in the head of its mail: sender, recipients, subject.

    Source:
        Ours: most questions name sender or subject of their mail, which helps lexical retrieval; a
        wording that drops these words changes how well the mail can be found.
    """
    head = {word.casefold() for word in _WORD.findall(parts_of(mail)[0])}
    words = [word.casefold() for word in _WORD.findall(question)]
    return tuple(dict.fromkeys(w for w in words if w in head and not _COMMON.fullmatch(w)))


def kept(tokens: tuple[str, ...], text: str) -> tuple[str, ...]:
    """Those of the identifying words that a wording keeps."""
    words = {word.casefold() for word in _WORD.findall(text)}
    return tuple(token for token in tokens if token in words)
