"""Plurals: eWAVE 49, 57 and 58."""

from __future__ import annotations

from collections.abc import Iterator

from variants.features import Feature, Found, replace
from variants.parsed import Parsed, Token
from variants.words import word_set

_VOICED = {
    "shelves": "shelfs",
    "halves": "halfs",
    "leaves": "leafs",
    "knives": "knifes",
    "wives": "wifes",
    "lives": "lifes",
}
_PEOPLE = word_set(
    """trader manager customer client colleague lawyer auditor engineer analyst student friend
    guest speaker contractor supplier employee director partner teacher worker visitor driver
    agent owner user"""
)
_PLURAL_WORDS = frozenset({"many", "several", "few", "these", "those", "both"})
_PLURAL_VERBS = frozenset({"are", "were", "have", "do"})


def unvoiced_plural(parsed: Parsed) -> Iterator[Found]:
    """Puts -fs in the place of -ves."""
    for token in parsed.tokens:
        if token.tag == "NNS" and token.lower in _VOICED:
            yield Found(token.index, (replace(token, _VOICED[token.lower]),))


def bare_plural_of_people(parsed: Parsed) -> Iterator[Found]:
    """Leaves out the plural ending of a noun for people that another word shows to be plural."""
    yield from _bare_plural(parsed, people=True)


def bare_plural_of_things(parsed: Parsed) -> Iterator[Found]:
    """Leaves out the plural ending of another noun that another word shows to be plural."""
    yield from _bare_plural(parsed, people=False)


def _bare_plural(parsed: Parsed, *, people: bool) -> Iterator[Found]:
    for noun in parsed.tokens:
        if noun.tag != "NNS" or (noun.lemma in _PEOPLE) is not people or noun.lower == noun.lemma:
            continue
        if (
            noun.lower.endswith("s")
            and not noun.lower.endswith("ves")
            and _plural_shown(parsed, noun)
        ):
            yield Found(noun.index, (replace(noun, noun.lemma),))


def _plural_shown(parsed: Parsed, noun: Token) -> bool:
    around = parsed.children(noun, "det", "amod", "nummod", "predet")
    if any(token.lower in ("all", "every", "each") for token in around):
        return False
    if any(token.lower in _PLURAL_WORDS or token.dep == "nummod" for token in around):
        return True
    verb = parsed.head(noun)
    if noun.dep not in ("nsubj", "nsubjpass"):
        return False
    finite = [verb, *parsed.children(verb, "aux", "auxpass")]
    return any(token.lower in _PLURAL_VERBS or token.tag == "VBP" for token in finite)


UNVOICED_PLURAL = Feature(
    49,
    "plural of -f nouns without voicing",
    unvoiced_plural,
    {"indian": "A", "singapore": "A", "black_south_african": "B", "nigerian": "B"},
    (
        ("Which shelves are free?", "Which shelfs are free?"),
        ("Send both halves of the deck.", "Send both halfs of the deck."),
    ),
)
BARE_PLURAL_PEOPLE = Feature(
    57,
    "optional plural, human nouns",
    bare_plural_of_people,
    {"indian": "C", "singapore": "A"},
    (
        ("The traders want the curve.", "The trader want the curve."),
        ("Ask these managers about it.", "Ask these manager about it."),
    ),
    guard="number",
)
BARE_PLURAL_THINGS = Feature(
    58,
    "optional plural, other nouns",
    bare_plural_of_things,
    {"indian": "C", "singapore": "A"},
    (
        ("Where are the invoices?", "Where are the invoice?"),
        ("Send those slides to Kay.", "Send those slide to Kay."),
    ),
    guard="number",
)
