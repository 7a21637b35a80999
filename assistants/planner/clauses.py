"""A request cut into clauses, one order or question each."""

from __future__ import annotations

import re
from dataclasses import dataclass

from assistants.literals import QUOTED
from assistants.planner.vocabulary import (
    DEFINITE,
    DETERMINERS,
    INDEFINITE,
    LEADERS,
    NEGATIONS,
    PARTED,
    PHRASES,
    QUESTION_WORDS,
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
    places = _before_colon(tokens, [n for n in range(len(tokens)) if _orders(tokens, n)])
    places = places or _loose(tokens)
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


def _before_colon(tokens: list[tuple[int, str]], places: list[int]) -> list[int]:
    """The orders before a colon: what follows it is what the last of them is about."""
    colon = next((n for n, (_, token) in enumerate(tokens) if token == ":"), len(tokens))
    return [place for place in places if place < colon] or places


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
    rest = " ".join(token for _, token in tokens[place + 1 :])
    for verbs, further, action in PARTED:
        if word in verbs.split() and re.search(rf"\b(?:{further})\b", rest):
            return [action]
    return _narrowed(actions_of(word), rest.split())


def _narrowed(actions: list[str], rest: list[str]) -> list[str]:
    """Of several meanings of a verb those that the next word leaves."""
    following = rest[0] if rest else ""
    if len(actions) < 2:
        return actions
    if {"read", "send"} <= set(actions):
        # "Tell me which" asks; "tell Ann that" sends.
        return ["read"] if following in QUESTION_WORDS | {"me", "us"} else ["send"]
    if "create" in actions and following in INDEFINITE:
        return ["create"]
    if following in DEFINITE or not {"read", "create"} <= set(actions):
        without = [action for action in actions if action != "create"]
        return without if following in DEFINITE else actions
    # "Give me the number" asks; "give Ann a task" makes.
    return ["read"] if following in ("me", "us") else ["create"]


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
        own = before in ("shall", "will") and place > 1 and tokens[place - 2][1] in ("i", "we")
        if plain and not own and _actions(tokens, place) and before not in DETERMINERS:
            return [place]
    return []


def _negated(tokens: list[tuple[int, str]], place: int) -> bool:
    return any(word in NEGATIONS for _, word in tokens[max(0, place - 3) : place])
