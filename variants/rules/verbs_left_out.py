"""Be and have left out: eWAVE 174, 176, 177, 178 and 179."""

from __future__ import annotations

from collections.abc import Iterator

from variants.features import Feature, Found, delete
from variants.parsed import Parsed, Token
from variants.sentences import asks, subject, yes_no_question
from variants.words import word_set

_PRESENT = ("VBZ", "VBP")
_PLACE = frozenset({"in", "at", "on"})
_TIME = word_set(
    """monday tuesday wednesday thursday friday saturday sunday january february march april may
    june july august september october november december morning afternoon evening time noon
    midnight"""
)


def drop_be_before_ing(parsed: Parsed) -> Iterator[Found]:
    """Leaves out present be before an -ing form that has its subject or question word in front."""
    for token in parsed.tokens:
        verb = parsed.head(token)
        if (
            token.dep != "aux"
            or token.lemma != "be"
            or token.tag not in _PRESENT
            or verb.tag != "VBG"
        ):
            continue
        sentence = parsed.sentence_of(token)
        opens = token.index == sentence[0].index or _negated(parsed, token)
        if not opens and yes_no_question(parsed, sentence) is None:
            yield Found(verb.index, (delete(parsed, token),))


def drop_copula_before_noun(parsed: Parsed) -> Iterator[Found]:
    """Leaves out present be between a subject and a noun in a statement."""
    for sentence, verb in _copulas(parsed):
        noun = parsed.child(verb, "attr")
        if not asks(sentence) and noun is not None and noun.tag.startswith("NN"):
            yield Found(verb.index, (delete(parsed, verb),))


def drop_copula_before_adjective(parsed: Parsed) -> Iterator[Found]:
    """Leaves out present be before an adjective."""
    for _, verb in _copulas(parsed):
        if parsed.child(verb, "acomp") is not None:
            yield Found(verb.index, (delete(parsed, verb),))


def drop_copula_before_place(parsed: Parsed) -> Iterator[Found]:
    """Leaves out present be before a place, and after where."""
    for sentence, verb in _copulas(parsed):
        places = [p for p in parsed.children(verb, "prep") if _names_place(parsed, p)]
        where = sentence[0].lower == "where" and parsed.child(verb, "acomp", "attr") is None
        if (places and parsed.child(verb, "acomp", "attr") is None) or where:
            yield Found(verb.index, (delete(parsed, verb),))


def drop_have(parsed: Parsed) -> Iterator[Found]:
    """Leaves out the auxiliary have before a participle."""
    for token in parsed.tokens:
        verb = parsed.head(token)
        if token.dep != "aux" or token.lemma != "have" or token.tag not in _PRESENT:
            continue
        if verb.tag == "VBN" and not _negated(parsed, token) and not parsed.child(verb, "neg"):
            yield Found(verb.index, (delete(parsed, token),))


def _copulas(parsed: Parsed) -> Iterator[tuple[list[Token], Token]]:
    for sentence in parsed.sentences():
        verb = parsed.root(sentence)
        if verb.lemma != "be" or verb.tag not in _PRESENT or verb.index == sentence[0].index:
            continue
        found = subject(parsed, verb)
        if found is None or found.dep == "expl" or _negated(parsed, verb):
            continue
        if yes_no_question(parsed, sentence) is None:
            yield sentence, verb


def _names_place(parsed: Parsed, preposition: Token) -> bool:
    noun = parsed.child(preposition, "pobj")
    if noun is None or preposition.lower not in _PLACE:
        return False
    words = noun.text.lower().split()
    return not any(word in _TIME or word[0].isdigit() for word in words)


def _negated(parsed: Parsed, token: Token) -> bool:
    following = parsed.next(token)
    return following is not None and following.lower in ("n't", "n\u2019t")


ZERO_BE_PROGRESSIVE = Feature(
    174,
    "no be before a progressive",
    drop_be_before_ing,
    {"indian": "B", "singapore": "A", "black_south_african": "B", "nigerian": "A"},
    (
        ("Kay is waiting for it.", "Kay waiting for it."),
        ("What are they asking for?", "What they asking for?"),
    ),
)
ZERO_COPULA_NOUN = Feature(
    176,
    "no copula before a noun",
    drop_copula_before_noun,
    {"indian": "C", "singapore": "A"},
    (
        ("Kay is the owner.", "Kay the owner."),
        ("This is the last draft.", "This the last draft."),
    ),
)
ZERO_COPULA_ADJECTIVE = Feature(
    177,
    "no copula before an adjective",
    drop_copula_before_adjective,
    {"singapore": "A"},
    (
        ("The file is ready.", "The file ready."),
        ("Why is it late?", "Why it late?"),
    ),
)
ZERO_COPULA_PLACE = Feature(
    178,
    "no copula before a place",
    drop_copula_before_place,
    {"indian": "C", "singapore": "A"},
    (
        ("Kay is in Houston.", "Kay in Houston."),
        ("Where is the memo?", "Where the memo?"),
    ),
)
ZERO_HAVE = Feature(
    179,
    "no auxiliary have",
    drop_have,
    {"indian": "C", "singapore": "A"},
    (
        ("Kay has sent it.", "Kay sent it."),
        ("Have you seen it?", "You seen it?"),
    ),
)
