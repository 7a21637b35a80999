"""Pronouns left out, put in or changed: eWAVE 14, 42, 43, 44, 46, 47 and 233."""

from __future__ import annotations

from collections.abc import Iterator

from variants.features import Edit, Feature, Found, before, delete, replace
from variants.parsed import Parsed, Token
from variants.sentences import asks, is_command, is_statement

_NEUTRAL = {"ourselves": "ourself", "themselves": "themself", "yourselves": "yourself"}
_SEEMING = frozenset({"seem", "appear", "look", "rain", "happen", "take"})
_POLITE = frozenset({"please", "kindly"})


def neutral_reflexive(parsed: Parsed) -> Iterator[Found]:
    """Puts the ending -self in the place of -selves."""
    for token in parsed.tokens:
        if token.lower in _NEUTRAL:
            yield Found(token.index, (replace(token, _NEUTRAL[token.lower]),))


def drop_object(parsed: Parsed) -> Iterator[Found]:
    """Leaves out an object `it` or `them` when an earlier clause has a noun object."""
    for token in parsed.tokens:
        verb = parsed.head(token)
        if token.lower not in ("it", "them") or token.dep != "dobj" or token.index < verb.index:
            continue
        earlier = [t for t in parsed.sentence_of(token) if t.index < verb.index]
        named = any(
            t.dep == "dobj"
            and (t.tag.startswith("NN") or t.protected)
            and parsed.head(t) is not verb
            for t in earlier
        )
        following = parsed.next(token)
        ends = following is None or following.lower == "to" or following.dep == "punct"
        if named and ends and parsed.child(verb, "ccomp", "xcomp") is None:
            yield Found(verb.index, (delete(parsed, token),))


def drop_first_person(parsed: Parsed) -> Iterator[Found]:
    """Leaves out `I` or `we` at the start of a statement."""
    for sentence in parsed.sentences():
        first, verb = sentence[0], parsed.root(sentence)
        following = parsed.next(first)
        if first.lower not in ("i", "we") or first.dep != "nsubj" or parsed.head(first) is not verb:
            continue
        if (
            is_statement(parsed, sentence)
            and following
            and not following.text.startswith(("'", "\u2019"))
        ):
            yield Found(verb.index, (delete(parsed, first),))


def drop_dummy(parsed: Parsed) -> Iterator[Found]:
    """Leaves out `it` before seem, look, appear and the like at the start of a statement."""
    for sentence in parsed.sentences():
        first, verb = sentence[0], parsed.root(sentence)
        opens = first.lower == "it" and verb.index == first.index + 1
        if opens and verb.lemma in _SEEMING and not asks(sentence):
            yield Found(verb.index, (delete(parsed, first),))


def drop_it_is(parsed: Parsed) -> Iterator[Found]:
    """Leaves out a referring `it` before `is` at the start of a statement."""
    for first, verb in _it_is(parsed):
        if not _anticipates(parsed, verb):
            yield Found(verb.index, (delete(parsed, first),))


def drop_dummy_it_is(parsed: Parsed) -> Iterator[Found]:
    """Leaves out an `it` that stands for a later clause before `is`."""
    for first, verb in _it_is(parsed):
        if _anticipates(parsed, verb):
            yield Found(verb.index, (delete(parsed, first),))


def add_you(parsed: Parsed) -> Iterator[Found]:
    """Puts `you` before a command."""
    for sentence in parsed.sentences():
        if not is_command(parsed, sentence):
            continue
        verb = parsed.root(sentence)
        previous = parsed.previous(verb)
        target = previous if previous is not None and previous.lower in _POLITE else verb
        if target.index == sentence[0].index and target.text[0].isupper():
            lower = target.text[0].lower() + target.text[1:]
            yield Found(verb.index, (Edit(target.start, target.end, "You " + lower),))
        else:
            yield Found(verb.index, (before(target, "you"),))


def _it_is(parsed: Parsed) -> Iterator[tuple[Token, Token]]:
    for sentence in parsed.sentences():
        first = sentence[0]
        verb = parsed.next(first)
        opens = first.lower == "it" and verb is not None and verb.lower == "is"
        if opens and verb is not None and verb.dep == "ROOT" and not asks(sentence):
            yield first, verb


def _anticipates(parsed: Parsed, verb: Token) -> bool:
    heads = [verb, *parsed.children(verb, "acomp", "attr")]
    return any(parsed.child(head, "ccomp", "xcomp", "csubj") for head in heads)


NEUTRAL_REFLEXIVE = Feature(
    14,
    "number-neutral reflexive",
    neutral_reflexive,
    {"indian": "B", "singapore": "A", "black_south_african": "B", "nigerian": "C"},
    (
        ("They sent it to themselves.", "They sent it to themself."),
        ("Did we copy ourselves?", "Did we copy ourself?"),
    ),
)
OBJECT_DROP = Feature(
    42,
    "object pronoun drop",
    drop_object,
    {"indian": "A", "singapore": "A", "black_south_african": "C"},
    (
        ("Find the memo and send it to Kay.", "Find the memo and send to Kay."),
        ("If you see the invoice, forward it.", "If you see the invoice, forward."),
    ),
    guard="reference",
)
SUBJECT_DROP = Feature(
    43,
    "referential subject pronoun drop",
    drop_first_person,
    {"indian": "A", "singapore": "A"},
    (
        ("I need the latest forecast.", "Need the latest forecast."),
        ("We have lost the attachment.", "Have lost the attachment."),
    ),
    guard="reference",
)
DUMMY_DROP = Feature(
    44,
    "dummy subject drop (verbs other than be)",
    drop_dummy,
    {"indian": "A", "singapore": "A"},
    (
        ("It seems the meeting moved.", "Seems the meeting moved."),
        ("It looks like he agreed.", "Looks like he agreed."),
    ),
)
IT_IS_DROP = Feature(
    46,
    "drop of referential it before is",
    drop_it_is,
    {"indian": "B", "singapore": "B", "black_south_african": "C", "nigerian": "C"},
    (
        ("It is the file from Monday.", "Is the file from Monday."),
        ("It is very urgent.", "Is very urgent."),
    ),
)
DUMMY_IT_IS_DROP = Feature(
    47,
    "drop of non-referential it before is",
    drop_dummy_it_is,
    {"indian": "B", "singapore": "B", "black_south_african": "C", "nigerian": "C"},
    (
        ("It is good that he replied.", "Is good that he replied."),
        ("It is necessary to forward this.", "Is necessary to forward this."),
    ),
)
YOU_IMPERATIVE = Feature(
    233,
    "subject in an imperative",
    add_you,
    {"singapore": "A"},
    (
        ("Send the file to Kay.", "You send the file to Kay."),
        ("Please delete the old draft.", "You please delete the old draft."),
    ),
)
