"""Whether an answer says what the key asks for."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Mapping

from sandboxes.office.accepted import expand
from sandboxes.tokens import ARTICLES, tokens
from tracer.records import Json

MATCHER = "part_match: number_safe"
_PUNCTUATION = str.maketrans("", "", string.punctuation)


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
    return " ".join(word for word in words if word not in ARTICLES)


def abstains(answer: str, phrases: Iterable[str], parts: Iterable[Mapping[str, Json]]) -> bool:
    """Whether an answer says that the mails do not tell, and names no value all the same."""
    if any(re.search(pattern, answer) for part in parts for pattern in part["reject"]):
        return False
    return any(holds(answer, phrase) for phrase in phrases)
