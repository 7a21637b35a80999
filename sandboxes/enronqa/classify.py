"""What makes a question hard: reasoning depth, several questions, a context, the kind of answer.

Source:
    Lost in the Request, appendix B, names the four properties and the bins; the classifier behind
    them is not given. These rules are ours; another one is handed in by `--classifier`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from sandboxes.enronqa.wording import literals

BINS = ("simple", "3-hop", "multi-question", "context-dependent")
_HOPS = 3
_ASKING = r"(?:who|whom|whose|what|when|where|why|how|which)"
_ALSO = re.compile(rf"[,;]?\s+(?:and|or)\s+(?:also\s+)?(?:for\s+|by\s+|to\s+)?{_ASKING}\b")
_SOURCE = re.compile(r"\b(?:according to|based on|as (?:stated|mentioned) in)\b[^,?]*,?")
_LINK = re.compile(
    r"(?<!^)\b(?:who|whom|whose|which|that)\b|\b(?:after|before|while|during|until|because of)\b"
    r"|\w's\b|(?<!^)\bwhen\b"
)
_DEIXIS = re.compile(
    r"\b(?:i|me|my|mine|we|us|our|ours|today|yesterday|tomorrow|tonight|this (?:week|month|year)"
    r"|(?:this|the|that) (?:e-?mail|mail|message|note|sender|recipient|author|writer|attachment))\b"
)
_PRONOUN = re.compile(r"\b(?:he|she|they|him|her|his|their|them|it|its)\b")
_FIRST = re.compile(
    r"\b(why|whom?|whose|where|when|how (?:many|much|long|often|large|far)|how|what|which)\b"
)
_BY_WORD = {"why": "cause", "where": "place", "when": "time", "how": "manner"}
_BY_NOUN = (
    ("quantity", r"\b(?:number|amount|price|cost|total|percentage|rate|length|size)\b"),
    ("time", r"\b(?:day|date|time|year|month|week|hour|deadline)\b"),
    ("place", r"\b(?:city|place|location|room|address|country|office)\b"),
    ("cause", r"\b(?:reason|cause|purpose)\b"),
    ("person", r"\b(?:name|person|people|sender|recipient)\b"),
)
_YES_NO = re.compile(r"(?:is|are|was|were|did|does|do|has|have|had|can|could|will|would|should)\b")


@dataclass(frozen=True, slots=True)
class Label:
    """How hard a question is, and in what way."""

    hops: int
    """Pieces of the mail that have to be put together, at least 1."""
    questions: int
    """Things that are asked, at least 1."""
    context_dependent: bool
    """Whether it can only be understood by who asks, when, or of what mail."""
    reasoning: str
    """Kind of answer: time, person, quantity, ..."""

    @property
    def bin(self) -> str | None:
        """The bin of a question with at most one hard property; None where it has several."""
        deep, many = self.hops >= _HOPS, self.questions > 1
        if deep + many + self.context_dependent > 1:
            return None
        if deep or many:
            return BINS[1] if deep else BINS[2]
        return BINS[3] if self.context_dependent else BINS[0]


Classifier: TypeAlias = Callable[[str, str], Label]
"""Question and mail to label."""


def by_rules(question: str, mail: str) -> Label:
    """The label of a question by its words alone; the mail is not read.

    Example:
        >>> by_rules("When does Jo Pell arrive, and who meets her?", "").bin
        'multi-question'
    """
    plain = " ".join(question.split())
    text = _SOURCE.sub(" ", plain.lower()).strip()
    named = bool(literals(plain))
    asked = max(1, plain.count("?")) + len(_ALSO.findall(text))
    return Label(
        hops=1 + len(_LINK.findall(_ALSO.sub(" ", text))),
        questions=asked,
        context_dependent=bool(_DEIXIS.search(text)) or (not named and bool(_PRONOUN.search(text))),
        reasoning=_reasoning(text),
    )


def _reasoning(text: str) -> str:
    """Kind of answer, by the first asking word, then by the noun it asks for."""
    if _YES_NO.match(text):
        return "yes or no"
    first = _FIRST.search(text)
    word = first[1] if first else ""
    if word.startswith("who"):
        return "person"
    if word.startswith("how "):
        return "quantity"
    if word in _BY_WORD:
        return _BY_WORD[word]
    return next((kind for kind, noun in _BY_NOUN if re.search(noun, text)), "thing")
