"""Whether an answer says what the key asks for."""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Iterable, Mapping

from sandboxes.office.accepted import expand
from tracer.records import Json

MATCHER = "part_match: number_safe"
_TOKEN = re.compile(
    r"\d{4}-\d{2}-\d{2}"
    r"|\d{1,2}:\d{2}(?!\d)"
    r"|\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d,]*\d)"
    r"|\d+(?:\.\d+)?"
    r"|[^\W\d_]+\d[^\W_]*"
    r"|[^\W\d_]+(?:'[^\W\d_]+)*"
)
_ARTICLES = {"a", "an", "the"}
_PUNCTUATION = str.maketrans("", "", string.punctuation)


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
    return [_plain(t) for t in _TOKEN.findall(folded) if t not in _ARTICLES]


def _plain(token: str) -> str:
    if not token[0].isdigit() or "-" in token or ":" in token:
        return token.removesuffix("'s")
    token = token.replace(",", "")
    return token.rstrip("0").rstrip(".") if "." in token else token


def holds(text: str, form: str) -> bool:
    """Whether the tokens of `form` stand in `text` as one run.

    Source:
        Ours: plain containment takes "EUR 62,000" for "EUR 62.00" and "19 March" for "9 March".

    Example:
        >>> holds("They pay EUR 62,000.", "EUR 62"), holds("62.00 EUR each", "62 EUR")
        (False, True)
    """
    wanted, have = tokens(form), tokens(text)
    size = len(wanted)
    return bool(size) and any(have[i : i + size] == wanted for i in range(len(have) - size + 1))


def part_held(answer: str, part: Mapping[str, Json]) -> bool:
    """Whether an answer holds an accepted form of one part and nothing the part rejects."""
    if any(re.search(pattern, answer) for pattern in part["reject"]):
        return False
    return any(holds(answer, form) for line in part["accept"] for form in expand(line))


def part_held_plainly(answer: str, part: Mapping[str, Json]) -> bool:
    """As `part_held` by plain containment after normalisation: answer match as published.

    Source:
        Out of Style, section 4.3.
    """
    if any(re.search(pattern, answer) for pattern in part["reject"]):
        return False
    text = normalised(answer)
    return any(normalised(form) in text for line in part["accept"] for form in expand(line))


def normalised(text: str) -> str:
    """Lower case without ASCII punctuation and articles, blanks collapsed.

    Example:
        >>> normalised("The total: 20,412.00")
        'total 2041200'
    """
    words = text.lower().translate(_PUNCTUATION).split()
    return " ".join(word for word in words if word not in _ARTICLES)


def abstains(answer: str, phrases: Iterable[str], parts: Iterable[Mapping[str, Json]]) -> bool:
    """Whether an answer says that the mails do not tell, and names no value all the same."""
    if any(re.search(pattern, answer) for part in parts for pattern in part["reject"]):
        return False
    return any(holds(answer, phrase) for phrase in phrases)
