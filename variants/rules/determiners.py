"""Determiners put in or exchanged: eWAVE 59, 60, 64 and 65."""

from __future__ import annotations

from collections.abc import Iterator

from variants.features import Edit, Feature, Found, before, replace
from variants.parsed import Parsed, Token
from variants.words import word_set

_BARE = word_set("management legal education nature finance lunch office")
_MASS = word_set(
    "advice feedback information equipment correspondence software research staff progress news"
)
_FIXED = word_set("few lot bit little while couple dozen hundred thousand number day week")
_DETERMINERS = ("det", "poss", "predet", "nummod")
_POSSESSIVES = {"my": "this", "mine": "this"}


def double_determiner(parsed: Parsed) -> Iterator[Found]:
    """Puts a demonstrative before a possessive pronoun: this for the writer's own, else that."""
    for token in parsed.tokens:
        noun = parsed.head(token)
        if token.tag != "PRP$" or token.dep != "poss" or token.protected:
            continue
        if noun.index <= token.index or len(parsed.children(noun, *_DETERMINERS)) > 1:
            continue
        word = _POSSESSIVES.get(token.lower, "that")
        if noun.tag in ("NNS", "NNPS"):
            word = {"this": "these", "that": "those"}[word]
        yield Found(noun.index, (_before(parsed, token, word),))


def definite_for_indefinite(parsed: Parsed) -> Iterator[Found]:
    """Puts the for a/an before a noun that is described closer and was dealt with in the past.

    A thing that is still to be made ("send a reply") keeps its article: "the reply" would be
    another one.
    """
    for token in parsed.tokens:
        noun = parsed.head(token)
        if token.lower not in ("a", "an") or token.dep != "det" or noun.tag != "NN":
            continue
        verb = parsed.head(noun)
        past = verb.tag == "VBD" or (
            verb.tag == "VBN" and any(t.lemma == "have" for t in parsed.children(verb, "aux"))
        )
        closer = parsed.child(noun, "relcl", "prep", "amod") is not None
        right = any(t.dep == "prep" and t.index > noun.index for t in parsed.children(verb))
        if past and (closer or right) and noun.lower not in _FIXED and noun.dep == "dobj":
            yield Found(noun.index, (replace(token, "the"),))


def the_for_zero(parsed: Parsed) -> Iterator[Found]:
    """Puts the before a bare noun for an institution or an abstract thing."""
    for noun in parsed.tokens:
        if noun.lower not in _BARE or noun.protected or parsed.children(noun):
            continue
        if noun.dep in ("nsubj", "nsubjpass", "pobj"):
            yield Found(noun.index, (_before(parsed, noun, "the"),))


def a_for_zero(parsed: Parsed) -> Iterator[Found]:
    """Puts a before a number after about, and before a mass noun with an adjective."""
    for noun in parsed.tokens:
        amount = parsed.child(noun, "nummod")
        near = parsed.previous(amount) if amount is not None else None
        if amount is not None and near is not None and near.lower in ("about", "around"):
            yield Found(noun.index, (before(amount, "a"),))
        adjective = parsed.child(noun, "amod")
        bare = not parsed.children(noun, *_DETERMINERS, "compound")
        if noun.lower not in _MASS or adjective is None or not bare:
            continue
        if adjective.tag == "JJ" and parsed.next(adjective) is noun:
            yield Found(noun.index, (_before(parsed, adjective, "a"),))


def _before(parsed: Parsed, token: Token, word: str) -> Edit:
    """The insertion before a word; the capital of a sentence's first word goes to the new one."""
    opens = parsed.previous(token) is None and token.text[:1].isupper() and not token.protected
    if not opens:
        return before(token, word)
    lower = token.text[0].lower() + token.text[1:]
    return Edit(token.start, token.end, f"{word.capitalize()} {lower}")


DOUBLE_DETERMINER = Feature(
    59,
    "double determiner",
    double_determiner,
    {"indian": "A", "black_south_african": "B", "nigerian": "A"},
    (
        ("Where is my report?", "Where is this my report?"),
        ("Forward our proposal to Jeff.", "Forward that our proposal to Jeff."),
    ),
)
DEFINITE_FOR_INDEFINITE = Feature(
    60,
    "definite for indefinite",
    definite_for_indefinite,
    {"indian": "A", "black_south_african": "B"},
    (
        ("He booked a room in Houston.", "He booked the room in Houston."),
        ("Kay wrote a note about tariffs.", "Kay wrote the note about tariffs."),
    ),
)
THE_FOR_ZERO = Feature(
    64,
    "the for zero",
    the_for_zero,
    {"indian": "A", "black_south_african": "C"},
    (
        ("Legal approved the draft.", "The legal approved the draft."),
        ("What did management say?", "What did the management say?"),
    ),
)
A_FOR_ZERO = Feature(
    65,
    "a where the standard has zero",
    a_for_zero,
    {"black_south_african": "B"},
    (
        ("I need about three files.", "I need about a three files."),
        ("She gave good advice.", "She gave a good advice."),
    ),
)
