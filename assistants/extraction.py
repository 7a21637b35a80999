"""The sentence of some documents that is nearest to a question, or the value in it."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from assistants import literals
from assistants.words import STOP_WORDS, content_words, words
from tracer.records import Passage

ABSTAIN = "The mails do not say it."
ENOUGH = 0.34
"""Least share of the question's weight that a sentence must carry. Ours: below a third, most
nearest sentences only share the customer's name with the question."""
TYPED_BONUS = 0.1
"""Added for a value of the kind asked for."""
RANK_BONUS = 0.05
"""Added to the share for the best-ranked document, half of it for the second, and so on."""

NEWEST_BONUS = 0.08
"""Added for the document with the latest date: when mails disagree, the latest counts."""

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9\"'(])|\n+")
_QUOTE_MARKS = re.compile(r"^(?:> ?)+|^On .{5,80} wrote:$", re.MULTILINE)
_ISO = re.compile(r"\b\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2})?")
_HEAD = 400
"""Characters of a document in which its own date is looked for."""
_WRAPPED = re.compile(r"(?<=\S{2}[^\n]{38})\n(?=[A-Za-z0-9(])(?![A-Z][\w-]*: )")
_HEADERS = re.compile(r"\A(?:[A-Z][\w-]*: [^\n]*\n)+")
"""The head of a mail: it says who and when, and never holds the answer to a question."""
_PARTS = re.compile(
    r",?\s+and\s+(?=(?:by|on|at|in|to|for)?\s*(?:what|which|when|how|who|where)\b)", re.IGNORECASE
)

_TYPES: tuple[tuple[re.Pattern[str], tuple[re.Pattern[str], ...]], ...] = tuple(
    (re.compile(asked, re.IGNORECASE), spans)
    for asked, spans in (
        (
            r"\bwhat time\b|\bat what hour\b|\bwhen this (?:morning|afternoon|evening)\b",
            (literals.TIME,),
        ),
        (
            r"\b(?:what|which) (?:day|date)\b",
            (literals.DATE, literals.RELATIVE_DAY),
        ),
        (r"\bwhen\b", (literals.DATE, literals.RELATIVE_DAY, literals.TIME)),
        (
            r"\bhow much\b|\bwhat\b.*\b(?:cost|costs|price|pay|pays|amount|budget|rent|fee)\b",
            (literals.AMOUNT,),
        ),
        (r"\bhow many\b", (re.compile(r"(?<![\w.,:/-])\d[\d,]*(?![\w:-])(?: [a-z]+)?"),)),
        (r"\b(?:e-?mail )?address\b.*\bof\b|\bwhat is\b.*\be-?mail\b", (literals.ADDRESS,)),
        (r"^\s*who(?:m|se)?\b", (literals.NAME,)),
    )
)
"""Kind of question to the shapes its answer may have, the first that occurs is taken."""


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    stems: frozenset[str]
    bonus: float
    """For the rank and the date of its document."""


def extract(question: str, passages: Sequence[Passage]) -> str:
    """The value asked for, the sentence it should stand in, or a plain abstention.

    A question of two parts gets two answers, with a semicolon between them.

    Example:
        >>> extract("When does load two leave?", [Passage("m", 1.0, "Load two leaves 2 February.")])
        '2 February'
    """
    sentences = _sentences(passages)
    if not sentences:
        return ABSTAIN
    weights = _idf(sentences)
    parts = [part for part in _PARTS.split(question) if content_words(part)]
    found = [_best(part, sentences, weights) for part in parts]
    return "; ".join(dict.fromkeys(text for text in found if text)) or ABSTAIN


def excerpts(question: str, passages: Sequence[Passage], *, budget_words: int) -> list[Passage]:
    """The passages cut down to the sentences nearest to the question, in their own order.

    For readers with a few hundred tokens to spare, which would else see little but mail heads.

    Args:
        question: What is asked.
        passages: Best first.
        budget_words: Most words in all.

    Example:
        >>> mail = Passage("m", 1.0, "The sun shines. The boat leaves at noon.")
        >>> excerpts("When does the boat leave?", [mail], budget_words=6)[0].text
        'The boat leaves at noon.'
    """
    split = [split_sentences(passage.text or "") for passage in passages]
    asked = set(content_words(question))
    weights = _idf(_sentences(passages))
    order = sorted(
        ((rank, place) for rank, texts in enumerate(split) for place in range(len(texts))),
        key=lambda at: (-_shared(asked, split[at[0]][at[1]], weights), at),
    )
    kept: set[tuple[int, int]] = set()
    left = budget_words
    for rank, place in order:
        size = len(split[rank][place].split())
        if size <= left:
            kept.add((rank, place))
            left -= size
    return [
        replace(
            passage,
            text=" ".join(text for place, text in enumerate(texts) if (rank, place) in kept),
        )
        for rank, (passage, texts) in enumerate(zip(passages, split, strict=True))
        if any((rank, place) in kept for place in range(len(texts)))
    ]


def _shared(asked: set[str], text: str, weights: Mapping[str, float]) -> float:
    return sum(weights[stem] for stem in asked & set(content_words(text)))


def _sentences(passages: Sequence[Passage]) -> list[_Sentence]:
    dates = [_date(passage.text or "") for passage in passages]
    order = sorted(set(dates))
    found = []
    for rank, (passage, date) in enumerate(zip(passages, dates, strict=True)):
        newest = order.index(date) / (len(order) - 1) if len(order) > 1 else 0.0
        bonus = RANK_BONUS / (1 + rank) + NEWEST_BONUS * newest
        found += [
            _Sentence(text, frozenset(content_words(text)), bonus)
            for text in split_sentences(passage.text or "")
        ]
    return found


def _date(text: str) -> str:
    """The first date in a document's head, as text that sorts; empty when there is none."""
    match = _ISO.search(text[:_HEAD])
    return match.group(0) if match else ""


def _best(question: str, sentences: Sequence[_Sentence], weights: Mapping[str, float]) -> str:
    """The answer to one question; empty when no sentence is near enough."""
    asked = set(content_words(question))
    unknown = math.log(len(sentences) + 1)
    whole = sum(weights.get(stem, unknown) for stem in asked)
    shape = next((spans for words_, spans in _TYPES if words_.search(question)), ())

    def merit(sentence: _Sentence) -> tuple[float, int]:
        share = sum(weights[stem] for stem in asked & sentence.stems) / whole
        # A sentence that holds a value of the kind asked for is worth more than its words.
        typed = TYPED_BONUS if share and _values(shape, sentence.text, question) else 0.0
        return share + typed + sentence.bonus, -len(sentence.stems)

    best = max(sentences, key=merit)
    if merit(best)[0] < ENOUGH:
        return ""
    values = _values(shape, best.text, question)
    # One value is the answer; among several only the whole sentence tells which is which.
    return values[0] if len(values) == 1 else best.text


def split_sentences(text: str) -> list[str]:
    """Sentences and lines that hold at least one word; lines that were only wrapped are joined.

    Example:
        >>> split_sentences("One. Two!  Three")
        ['One.', 'Two!', 'Three']
    """
    joined = _WRAPPED.sub(" ", _QUOTE_MARKS.sub("", _HEADERS.sub("", text)))
    return [piece.strip() for piece in _SENTENCE_END.split(joined) if words(piece)]


def _idf(sentences: Sequence[_Sentence]) -> dict[str, float]:
    seen = Counter(stem for sentence in sentences for stem in sentence.stems)
    return {stem: math.log((len(sentences) + 1) / count) for stem, count in seen.items()}


def _values(shapes: Sequence[re.Pattern[str]], text: str, question: str) -> list[str]:
    """Different spans of the first shape that occurs, without those the question names itself."""
    known = question.lower()
    for shape in shapes:
        found = [match.group(0).strip(" ,.") for match in shape.finditer(text)]
        new = [v for v in found if v.lower() not in known and v.lower() not in STOP_WORDS]
        if new:
            return list(dict.fromkeys(new))
    return []
