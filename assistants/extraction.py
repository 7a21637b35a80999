"""The sentence of some documents that is nearest to a question, or the value in it."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from assistants import literals
from assistants.words import STOP_WORDS, content_words, stem, words
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
_SUBJECT = re.compile(r"^Subject: (.*)$", re.MULTILINE)
_PARTS = re.compile(
    r",?\s+(?:and|or)\s+(?=(?:say|tell|if so|also)?\s*(?:by|on|at|in|to|for)?\s*"
    r"(?:what|which|when|how|who|where|the (?:number|amount|day|date|time|name))\b)",
    re.IGNORECASE,
)

_COUNT = re.compile(
    r"(?<![\w.,:/-])(?:\d[\d,]*|" + "|".join(literals.NUMBER_WORDS) + r")(?![\w:-]|\.\d)"
)
_REFERENCE = re.compile(r"\b(?=[A-Z0-9/-]*\d)(?=[A-Z0-9/-]*[A-Z])[A-Z0-9]+(?:[-/][A-Z0-9]+)*\b")
_COUNTED = re.compile(r"\b(?:how many|the number of|count(?: of)?)\s+(?:the\s+)?", re.IGNORECASE)

_TYPES: tuple[tuple[re.Pattern[str], tuple[re.Pattern[str], ...]], ...] = tuple(
    (re.compile(asked, re.IGNORECASE), spans)
    for asked, spans in (
        (r"\bhow many\b|\bthe number of\b|^\W*count\b", (_COUNT,)),
        (
            r"\b(?:what|which) (?:time|hour)\b|\bwhen this (?:morning|afternoon|evening)\b",
            (literals.TIME,),
        ),
        (
            r"\bhow much\b"
            r"|\b(?:what|the|tell)\b.*\b(?:costs?|price|pays?|amount|rent|fee|credit)\b",
            (literals.AMOUNT,),
        ),
        (
            r"\b(?:what|which|the|our|your|its) (?:[a-z]+ )?(?:number|reference|code)\b(?! of\b)",
            (_REFERENCE,),
        ),
        (r"\b(?:what|which|the) (?:day|date)\b", (literals.DATE, literals.RELATIVE_DAY)),
        (r"\bwhen\b", (literals.DATE, literals.RELATIVE_DAY, literals.TIME)),
        (r"\b(?:e-?mail )?address\b.*\bof\b|\bwhat is\b.*\be-?mail\b", (literals.ADDRESS,)),
        (r"^\s*who(?:m|se)?\b", (literals.NAME,)),
    )
)
"""Kind of question to the shapes its answer may have, the first that occurs is taken."""
_LATEST = re.compile(
    r"\b(?:now|finally|in the end|latest|still|current|currently)\b", re.IGNORECASE
)
_AFTERNOON = re.compile(r"\bthis (?:afternoon|evening)\b", re.IGNORECASE)
_NEAR = 60
"""Characters on each side of a value in which the question's words count for it."""
_NEAR_BONUS = 0.25
_NOUN_BONUS = 0.3
"""For a number that stands before the noun it is asked of."""
_NEIGHBOURS = 0.4
"""What the words of the sentences before and after are worth."""


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    stems: frozenset[str]
    around: frozenset[str]
    """Stems of the sentences before and after it, and of its document's subject."""
    rank: float
    """For the rank of its document, in [0, 1]."""
    newness: float
    """0 for the oldest document, 1 for the latest."""


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
        texts = split_sentences(passage.text or "")
        stems = [frozenset(content_words(text)) for text in texts]
        subject = _SUBJECT.search((passage.text or "")[:_HEAD])
        topic = frozenset(content_words(subject[1])) if subject else frozenset()
        for place, text in enumerate(texts):
            around = topic.union(*stems[max(place - 1, 0) : place + 2])
            found.append(_Sentence(text, stems[place], around, 1 / (1 + rank), newest))
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
    newest = NEWEST_BONUS * (3 if _LATEST.search(question) else 1)

    def merit(sentence: _Sentence) -> float:
        share = sum(weights[stem] for stem in asked & sentence.stems)
        share += _NEIGHBOURS * sum(
            weights.get(one, 0.0) for one in asked & (sentence.around - sentence.stems)
        )
        return share / whole + RANK_BONUS * sentence.rank + newest * sentence.newness

    found = [
        (merit(sentence) + TYPED_BONUS + bonus, -len(sentence.text), value)
        for sentence in sentences
        if asked & (sentence.stems | sentence.around)
        for value, bonus in _candidates(shape, sentence.text, question, weights)
    ]
    if shape:
        best = max(found, key=lambda one: one[:2], default=(0.0, 0, ""))
        return best[2] if best[0] >= ENOUGH + TYPED_BONUS else ""
    plain = max(sentences, key=lambda sentence: (merit(sentence), -len(sentence.stems)))
    return plain.text if merit(plain) >= ENOUGH else ""


def _candidates(
    shapes: Sequence[re.Pattern[str]], text: str, question: str, weights: Mapping[str, float]
) -> list[tuple[str, float]]:
    """Values of the first shape that occurs, each with a bonus for what stands beside it."""
    asked = set(content_words(question))
    whole = sum(weights.get(stem, 0.0) for stem in asked) or 1.0
    counted = _COUNTED.search(question) if _COUNT in shapes else None
    nouns = _noun_phrase(question[counted.end() :]) if counted else []
    known = question.lower()
    for shape in shapes:
        found = []
        for match in shape.finditer(text):
            value = match.group(0).strip(" ,.")
            if value.lower() in STOP_WORDS or re.search(rf"\b{re.escape(value.lower())}\b", known):
                continue
            before, after = text[max(match.start() - _NEAR, 0) : match.start()], text[match.end() :]
            near = asked & set(content_words(before + " " + after[:_NEAR]))
            bonus = _NEAR_BONUS * sum(weights.get(stem, 0.0) for stem in near) / whole
            if nouns:
                beside = set(content_words(" ".join(words(after)[:3])))
                if not beside & {stem(noun) for noun in nouns}:
                    continue
                value, bonus = f"{value} {nouns[-1]}", bonus + _NOUN_BONUS
            if shape is literals.TIME and _AFTERNOON.search(question) and _is_morning(value):
                continue
            found.append((value, bonus))
        if found:
            return found
    return []


def _is_morning(value: str) -> bool:
    times = literals.times(value)
    return bool(times) and times[0] < "12:00"


def _noun_phrase(text: str) -> list[str]:
    """The words up to the first that carries no meaning of its own, or a name after them.

    Example:
        >>> _noun_phrase("blue lamps did they order?")
        ['blue', 'lamps']
    """
    found: list[str] = []
    for word in re.findall(r"[\w'-]+", text):
        named = word[0].isupper() and any(not other[0].isupper() for other in found)
        if word.lower() in STOP_WORDS or named or len(found) == 3:
            break
        found.append(word)
    return [word.lower() for word in found]


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
