"""Operative literals: spans that no rewriting may touch, since arguments and answers hang on them.

Nothing is ever put in their place; the spans are kept beside the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from variants.base import Span

_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?"
    r"|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)"
)
_WEEKDAY = r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_DATE = rf"(?:{_DAY}\s+(?:of\s+)?{_MONTH}|{_MONTH}\s+{_DAY})(?:,?\s+\d{{4}})?"
_UNIT = (
    r"(?:second|minute|hour|day|week|weekend|month|quarter|year|night|morning|afternoon|evening)s?"
)
_COUNT = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety "
    "hundred thousand million dozen half once twice first second third fourth fifth sixth seventh "
    "eighth ninth tenth"
)

_PATTERNS: dict[str, re.Pattern[str]] = {
    "address": re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
    "link": re.compile(r"(?:https?://|www\.)[^\s<>\"']*[^\s<>\"'.,;:!?)]"),
    "file": re.compile(r"\b[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,4}[0-9]?\b(?!@)"),
    # A token with a digit in it is a number, a time or an id: 3, 10:30, 2,300.50, SO-3318.
    "number": re.compile(r"(?:[^\W\d_]+[-_/])*[^\W\d_]*\d\w*(?:[-./:,_]\w*\d\w*)*%?"),
    "money": re.compile(
        r"[$€£¥]\s?\d[\d.,]*\d?(?:\s?(?:k|m|bn|thousand|million|billion)\b)?"
        r"|\d[\d.,]*\s?(?:dollars|euros|pounds|cents|USD|EUR|GBP|percent|per cent)\b",
        re.IGNORECASE,
    ),
    "count": re.compile(rf"\b(?:{'|'.join(_COUNT.split())})\b", re.IGNORECASE),
    "date": re.compile(
        rf"(?:\b(?:(?:last|next|this|past)\s+)?{_WEEKDAY}\b(?:,?\s+{_DATE})?)"
        rf"|\b{_DATE}|\b{_MONTH}\s+\d{{4}}\b"
        # Month names that are common words count only with a capital letter.
        r"|\b(?-i:January|February|March|April|May|June|July|August|September|October|November"
        r"|December)\b",
        re.IGNORECASE,
    ),
    "time": re.compile(
        r"\b\d{1,2}(?::\d{2})?\s?(?:a\.m\.|p\.m\.|am\b|pm\b|o'clock\b)"
        r"|\b(?:today|tomorrow|yesterday|tonight|noon|midnight)\b"
        rf"|\b(?:last|next|this|past|coming)\s+(?:\w+\s+)?{_UNIT}\b",
        re.IGNORECASE,
    ),
}
_OPENERS = {"'": "'", '"': '"', "\u2018": "\u2019", "“": "”", "«": "»"}
# Words with a capital that are no names even in the middle of a sentence.
_NO_NAME = frozenset({"i", "hi", "hey", "hello", "dear", "ok", "please", "thanks"})
_CAPITALISED = re.compile(
    r"(?<![\w'\u2019])[A-Z][\w-]*(?:['\u2019](?!s\b|m\b|ve\b|d\b|ll\b|re\b)[\w-]+)*"
)
_SENTENCE_START = re.compile(r"(?:^|[.!?:]['\"\u2019”)]*\s|\n)\s*['\"\u2018“(]*$")


@dataclass(frozen=True, slots=True)
class Literal:
    """One operative literal in a text."""

    kind: str
    """address, link, file, number, money, count, date, time, quote, name or given."""
    start: int
    end: int


def literals(text: str, given: Iterable[str] = ()) -> list[Literal]:
    """The operative literals of a text by place; they may overlap.

    Args:
        text: A request.
        given: Literals that the task names, such as people and values of its gold calls. They are
            found wherever they stand as whole words, whatever their case.

    Source:
        Lost in the Request, section 2.2 masks operative literals; the patterns are ours.
    """
    named = [Literal("given", *span) for literal in given for span in occurrences(text, literal)]
    found = [
        Literal(kind, *match.span())
        for kind, pattern in _PATTERNS.items()
        for match in pattern.finditer(text)
    ]
    found += named
    found += [Literal("quote", *span) for span in _quotes(text, [(n.start, n.end) for n in named])]
    found += [Literal("name", *span) for span in _names(text)]
    return sorted(found, key=lambda literal: (literal.start, literal.end, literal.kind))


def protected_spans(text: str, given: Iterable[str] = ()) -> tuple[Span, ...]:
    """The literals of a text as spans that neither overlap nor touch, in order.

    Example:
        >>> text = "Forward SO-3318 to kay@corp.example by 10:30"
        >>> [text[start:end] for start, end in protected_spans(text)]
        ['SO-3318', 'kay@corp.example', '10:30']
    """
    return merge((literal.start, literal.end) for literal in literals(text, given))


def merge(spans: Iterable[Span]) -> tuple[Span, ...]:
    """The spans in order, those that overlap made one.

    Example:
        >>> merge([(4, 9), (0, 2), (6, 12)])
        ((0, 2), (4, 12))
    """
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        elif end > start:
            merged.append((start, end))
    return tuple(merged)


def touches(start: int, end: int, spans: Sequence[Span]) -> bool:
    """Whether an edit reaches into a span; an insertion at a border does not."""
    if start == end:
        return any(low < start < high for low, high in spans)
    return any(start < high and low < end for low, high in spans)


def occurrences(text: str, literal: str, *, case: bool = False) -> list[Span]:
    """Where a literal stands in a text as whole words.

    Example:
        >>> occurrences("one phone, One bill", "one")
        [(0, 3), (11, 14)]
    """
    if not literal.strip():
        return []
    before = r"(?<!\w)" if _wordy(literal[0]) else ""
    after = r"(?!\w)" if _wordy(literal[-1]) else ""
    flags = 0 if case else re.IGNORECASE
    return [m.span() for m in re.finditer(before + re.escape(literal) + after, text, flags)]


def texts(text: str, spans: Iterable[Span]) -> tuple[str, ...]:
    """The distinct texts of spans in the order of their first place."""
    return tuple(dict.fromkeys(text[start:end] for start, end in spans))


def lost(
    base: str, candidate: str, literal_texts: Iterable[str], *, case: bool = True
) -> list[str]:
    """The literals that stand in the candidate less often than in the base, byte for byte."""
    return [
        literal
        for literal in literal_texts
        if len(occurrences(candidate, literal, case=case))
        < len(occurrences(base, literal, case=case))
    ]


def _wordy(character: str) -> bool:
    return character.isalnum() or character == "_"


def _quotes(text: str, given: Sequence[Span]) -> Iterator[Span]:
    """Quoted strings with their marks, the outermost where they are nested.

    A mark opens after a blank and closes before a blank or punctuation, so an apostrophe inside a
    word is neither. A string that never closes ends with the given literal at its start, else with
    the text: what belongs to it cannot be known.
    """
    position = 0
    while position < len(text):
        mark = text[position]
        if mark not in _OPENERS or not _opens(text, position):
            position += 1
            continue
        end = _closing(text, position, mark, _OPENERS[mark])
        if end is None:
            inside = [high for low, high in given if low == position + 1]
            end = max(inside, default=len(text))
        yield position, end
        position = end


def _closing(text: str, start: int, opener: str, closer: str) -> int | None:
    depth = 0
    for position in range(start, len(text)):
        if text[position] == opener and _opens(text, position):
            depth += 1
        elif text[position] == closer and _closes(text, position):
            depth -= 1
            if depth == 0:
                return position + 1
    return None


def _opens(text: str, position: int) -> bool:
    before = text[position - 1] if position else " "
    after = text[position + 1] if position + 1 < len(text) else " "
    return (before.isspace() or before in "([{:=-") and not after.isspace()


def _closes(text: str, position: int) -> bool:
    before = text[position - 1] if position else " "
    after = text[position + 1] if position + 1 < len(text) else " "
    return not before.isspace() and not _wordy(after)


def _names(text: str) -> Iterator[Span]:
    """Runs of capitalised words, without a word that begins a sentence: people, firms, projects."""
    run: Span | None = None
    for match in _CAPITALISED.finditer(text):
        if match.group().lower() in _NO_NAME or _SENTENCE_START.search(text, 0, match.start()):
            continue
        if run and text[run[1] : match.start()] == " ":
            run = (run[0], match.end())
            continue
        if run:
            yield run
        run = match.span()
    if run:
        yield run
