"""A request cut into clauses, one order or question each."""

from __future__ import annotations

import re
from dataclasses import dataclass

from assistants.literals import QUOTED
from assistants.planner.vocabulary import (
    DETERMINERS,
    LEADERS,
    NEGATIONS,
    PHRASES,
    actions_of,
)

_TOKEN = re.compile(r"[A-Za-z][\w'\u2019.@+-]*|\d[\w.,:/-]*|[^\s\w]")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+")


@dataclass(frozen=True, slots=True)
class Clause:
    """One order or question of a request."""

    verb: str
    """Lower case; empty when there is no order and no question in it."""
    actions: tuple[str, ...]
    text: str
    """From the verb to the next order or the end of the sentence."""
    sentence: str
    """The whole sentence it stands in."""
    negated: bool = False
    question: bool = False


def clauses(request: str) -> list[Clause]:
    """The clauses of a request, in order.

    Example:
        >>> [(c.verb, c.text) for c in clauses("Please find Ann's mail and forward it to Bo.")]
        [('find', "find Ann's mail and"), ('forward', 'forward it to Bo.')]
    """
    found: list[Clause] = []
    for sentence in _sentences(request):
        found += _of_sentence(sentence)
    return found


def _sentences(request: str) -> list[str]:
    """Sentences; quoted text never ends one."""
    masked = QUOTED.sub(lambda match: "\u0001" * len(match.group(0)), request)
    pieces, start = [], 0
    for match in _SENTENCE.finditer(masked):
        pieces.append(request[start : match.start()])
        start = match.end()
    return [piece.strip() for piece in [*pieces, request[start:]] if piece.strip()]


def _of_sentence(sentence: str) -> list[Clause]:
    masked = _mask(sentence)
    tokens = [(match.start(), match.group(0).lower()) for match in _TOKEN.finditer(masked)]
    places = [n for n in range(len(tokens)) if _orders(tokens, n)] or _loose(tokens)
    question = sentence.rstrip().endswith("?")
    if not places:
        return [Clause("", ("read",) if question else (), sentence, sentence, question=question)]
    ends = [tokens[place][0] for place in places[1:]] + [len(sentence)]
    return [
        Clause(
            tokens[place][1],
            tuple(_actions(tokens, place)),
            _reach(sentence, tokens, place, end),
            sentence,
            negated=_negated(tokens, place),
            question=question,
        )
        for place, end in zip(places, ends, strict=True)
    ]


def _reach(sentence: str, tokens: list[tuple[int, str]], place: int, end: int) -> str:
    """What a verb governs: the text after it; in "... to be deleted" the text before it as well."""
    after = sentence[tokens[place][0] : end].strip()
    # The capital of a sentence's first word would make a name of it.
    after = after[:1].lower() + after[1:]
    if place > 1 and tokens[place - 1][1] == "be":
        return f"{tokens[place][1]} {sentence[: tokens[place][0]]} {after}"
    return after


def _mask(sentence: str) -> str:
    """The sentence with quoted text blanked and verbs of several words joined, length kept."""
    masked = QUOTED.sub(lambda match: " " * len(match.group(0)), sentence)
    for phrase in PHRASES:
        masked = re.sub(rf"\b{phrase}\b", phrase.replace(" ", "_"), masked, flags=re.IGNORECASE)
    return masked


def _actions(tokens: list[tuple[int, str]], place: int) -> list[str]:
    word = tokens[place][1]
    if word.replace("_", " ") in PHRASES:
        return [PHRASES[word.replace("_", " ")]]
    if word == "let":
        return ["send"] if any(t == "know" for _, t in tokens[place + 1 : place + 6]) else []
    return actions_of(word)


def _orders(tokens: list[tuple[int, str]], place: int) -> bool:
    """Whether the token is a verb where orders stand: at the start, or after a leading word."""
    if not _actions(tokens, place):
        return False
    before = tokens[place - 1][1] if place else ","
    passive = before == "be" and place > 1 and tokens[place - 2][1] == "to"
    return passive or before in LEADERS or before in {",", ":", "-"}


def _loose(tokens: list[tuple[int, str]]) -> list[int]:
    """The first verb in plain form that does not follow a determiner, if there is one."""
    for place, (_, word) in enumerate(tokens):
        plain = not word.endswith(("ed", "ing", "s"))
        before = tokens[place - 1][1] if place else ""
        if plain and _actions(tokens, place) and before not in DETERMINERS:
            return [place]
    return []


def _negated(tokens: list[tuple[int, str]], place: int) -> bool:
    return any(word in NEGATIONS for _, word in tokens[max(0, place - 3) : place])
