"""The words and numbers of a text, in forms that can be compared."""

from __future__ import annotations

import re
import unicodedata

_TOKEN = re.compile(
    r"\d{4}-\d{2}-\d{2}"
    r"|\d{1,2}:\d{2}(?!\d)"
    r"|\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d,]*\d)"
    r"|\d+(?:\.\d+)?"
    r"|[^\W\d_]+\d[^\W_]*"
    r"|[^\W\d_]+(?:'[^\W\d_]+)*"
)
ARTICLES = frozenset({"a", "an", "the"})


def tokens(text: str) -> list[str]:
    """The words and numbers of a text, each number in one form.

    No grouping commas, no trailing zeros, the euro sign as a word, no articles.

    Example:
        >>> tokens("The total is €20,412.00.")
        ['total', 'is', 'eur', '20412']
    """
    folded = unicodedata.normalize("NFKC", text).casefold().replace("\u2019", "'")
    folded = re.sub(r"€", " eur ", folded)
    folded = re.sub(r"\b([ap])\.m\b\.?", r"\1m", folded)
    folded = re.sub(r"(?<=\d)(st|nd|rd|th)\b", "", folded)
    folded = re.sub(r"\beuros?\b", "eur", folded)
    return [_plain(t) for t in _TOKEN.findall(folded) if t not in ARTICLES]


def _plain(token: str) -> str:
    if not token[0].isdigit() or "-" in token or ":" in token:
        return token.removesuffix("'s")
    token = token.replace(",", "")
    return token.rstrip("0").rstrip(".") if "." in token else token
