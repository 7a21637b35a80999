"""A reader that is a program: the sentence nearest to the question, or the value in it."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from assistants import literals
from assistants.base import MODELS
from assistants.words import content_words, words
from tracer.protocols import ChatModel
from tracer.records import Message, ModelSource, Passage, Reply, Tool

ABSTAIN = "The mails do not say it."
ENOUGH = 0.34
"""Least share of the question's weight that a sentence must carry. Ours: below a third, most
nearest sentences only share the customer's name with the question."""
RANK_BONUS = 0.05
"""Added to the share for the best-ranked document, half of it for the second, and so on."""

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9\"'(])|\n+")

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
        (r"\bhow many\b", (re.compile(r"(?<![\w.,/-])\d[\d,]*(?![\w-])(?: [a-z]+)?"),)),
        (r"\b(?:e-?mail )?address\b.*\bof\b|\bwhat is\b.*\be-?mail\b", (literals.ADDRESS,)),
        (r"^\s*who(?:m|se)?\b", (literals.NAME,)),
    )
)
"""Kind of question to the shapes its answer may have, the first that occurs is taken."""


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    stems: frozenset[str]
    rank: int


@MODELS.add("extractive")
def extractive(argument: str) -> ChatModel:
    """A deterministic reader that copies out of the documents shown to it."""
    if argument:
        raise ValueError(f"model 'extractive' takes nothing after the colon, got {argument!r}")
    return Extractive()


class Extractive:
    """Picks the sentence that shares the most weight with the question.

    Source:
        Ours: a lower bound for readers, named a baseline program wherever it is shown.
    """

    name = "extractive"
    source = ModelSource("stagetrace", "built in", baseline=True)

    def chat(self, messages: Sequence[Message], tools: Sequence[Tool] = ()) -> Reply:
        """The answer to the last user message from the documents that stand with it."""
        question = next((m for m in reversed(messages) if m.role == "user"), Message("user"))
        text = extract(question.content, question.documents)
        return Reply(
            Message("assistant", text),
            input_tokens=sum(len(words(m.content)) for m in messages)
            + sum(len(words(p.text or "")) for p in question.documents),
            output_tokens=len(words(text)),
        )


def extract(question: str, passages: Sequence[Passage]) -> str:
    """The value asked for, the sentence it should stand in, or a plain abstention.

    Example:
        >>> extract("When does load two leave?", [Passage("m", 1.0, "Load two leaves 2 February.")])
        '2 February'
    """
    sentences = [
        _Sentence(text, frozenset(content_words(text)), rank)
        for rank, passage in enumerate(passages)
        for text in split_sentences(passage.text or "")
    ]
    asked = set(content_words(question))
    if not sentences or not asked:
        return ABSTAIN
    weights = _idf(sentences)
    whole = sum(weights.get(stem, math.log(len(sentences) + 1)) for stem in asked)
    shapes = _shapes(question)

    def merit(sentence: _Sentence) -> tuple[float, int]:
        share = sum(weights[stem] for stem in asked & sentence.stems) / whole
        # A sentence that holds a value of the kind asked for is worth more than its words.
        typed = (
            0.1 if share and any(_values(shape, sentence.text, question) for shape in shapes) else 0
        )
        return share + typed + RANK_BONUS / (1 + sentence.rank), -len(sentence.stems)

    best = max(sentences, key=merit)
    if merit(best)[0] < ENOUGH:
        return ABSTAIN
    for shape in shapes:
        values = _values(shape, best.text, question)
        if values:
            # One value is the answer; among several only the whole sentence tells which is which.
            return values[0] if len(values) == 1 else best.text
    return best.text


def split_sentences(text: str) -> list[str]:
    """Sentences and lines that hold at least one word.

    Example:
        >>> split_sentences("One. Two!  Three")
        ['One.', 'Two!', 'Three']
    """
    return [piece.strip() for piece in _SENTENCE_END.split(text) if words(piece)]


def _idf(sentences: Sequence[_Sentence]) -> dict[str, float]:
    seen = Counter(stem for sentence in sentences for stem in sentence.stems)
    return {stem: math.log((len(sentences) + 1) / count) for stem, count in seen.items()}


def _shapes(question: str) -> tuple[re.Pattern[str], ...]:
    return next((spans for asked, spans in _TYPES if asked.search(question)), ())


def _values(shape: re.Pattern[str], text: str, question: str) -> list[str]:
    """Different spans of the shape, in order, without those that the question names itself."""
    found = [match.group(0).strip(" ,.") for match in shape.finditer(text)]
    known = question.lower()
    return list(dict.fromkeys(value for value in found if value.lower() not in known))
