"""What verbs take, and negation: eWAVE 45, 154, 207, 208 and 209."""

from __future__ import annotations

from collections.abc import Iterator

from variants.features import Edit, Feature, Finder, Found, after, before, delete, replace
from variants.parsed import Parsed, Token
from variants.words import word_set

_COMMENTS = word_set("make say mention explain discuss note put see show write state describe")
_WISHES = word_set("want ask request advise")
_BARE = word_set("allow want enable permit ask")
_CAUSES = word_set("make let see")
_SUBJECT_FORM = {
    "me": "I",
    "him": "he",
    "her": "she",
    "us": "we",
    "them": "they",
    "you": "you",
    "it": "it",
}
_NEGATIVE = {
    "any": "no",
    "anyone": "nobody",
    "anybody": "nobody",
    "anything": "nothing",
    "ever": "never",
}


def extra_it(parsed: Parsed) -> Iterator[Found]:
    """Puts it into a comment with as: "as I made it clear", "as it is the case"."""
    for mark in parsed.tokens:
        verb = parsed.head(mark)
        previous, following = parsed.previous(mark), parsed.next(mark)
        if mark.lower != "as" or mark.dep not in ("mark", "advmod") or verb.dep != "advcl":
            continue
        if following is None or (previous is not None and previous.text != ","):
            continue
        if following is verb and verb.lemma == "be":
            yield Found(verb.index, (before(verb, "it"),))
        elif verb.lemma in _COMMENTS and not parsed.child(verb, "dobj", "auxpass"):
            yield Found(verb.index, (after(verb, "it"),))


def negative_concord(parsed: Parsed) -> Iterator[Found]:
    """Puts a negative word for each any-word below a negated verb."""
    for negation in parsed.tokens:
        verb = parsed.head(negation)
        if negation.dep != "neg" or negation.lower == "never":
            continue
        for token in parsed.subtree(verb):
            if token.index > negation.index and token.lower in _NEGATIVE:
                yield Found(token.index, (replace(token, _NEGATIVE[token.lower]),))


def that_clause(parsed: Parsed) -> Iterator[Found]:
    """Puts that and should for a noun phrase and to after a verb of wishing.

    In a command ("ask Kay to call") the noun phrase is the one to be asked, so it stays.
    """
    for to in parsed.tokens:
        inner = parsed.head(to)
        verb = parsed.head(inner)
        if to.lower != "to" or to.dep != "aux" or verb.lemma not in _WISHES:
            continue
        if inner.dep not in ("ccomp", "xcomp") or parsed.child(inner, "neg"):
            continue
        if verb.tag == "VB" and verb.lemma != "want":
            continue
        noun = parsed.child(inner, "nsubj") or parsed.child(verb, "dobj")
        if noun is None or not verb.index < noun.index < to.index:
            continue
        phrase = parsed.subtree(noun)
        if phrase[0].index != verb.index + 1 or phrase[-1].index != to.index - 1:
            continue
        form = _SUBJECT_FORM.get(noun.lower)
        if noun.tag == "PRP" and form is not None:
            subject = Edit(noun.start, noun.end, f"that {form}")
        else:
            subject = before(phrase[0], "that")
        yield Found(inner.index, (subject, replace(to, "should")))


def bare_infinitive(parsed: Parsed) -> Iterator[Found]:
    """Leaves out to after allow, want, enable, permit and ask."""
    for to in parsed.tokens:
        inner = parsed.head(to)
        if to.lower != "to" or to.dep != "aux" or inner.dep not in ("xcomp", "ccomp"):
            continue
        if parsed.head(inner).lemma in _BARE and inner.index == to.index + 1:
            yield Found(inner.index, (delete(parsed, to),))


def extra_to(*, modals: bool) -> Finder:
    """A rule that puts to before a bare infinitive, after must and should only with `modals`."""

    def find(parsed: Parsed) -> Iterator[Found]:
        for verb in parsed.tokens:
            if verb.tag not in ("VB", "VBP") or parsed.child(verb, "neg") or _finite(parsed, verb):
                continue
            below = verb.dep in ("ccomp", "xcomp") and parsed.head(verb).lemma in _CAUSES
            helpers = parsed.children(verb, "aux")
            bare = below and not helpers and parsed.head(verb).index < verb.index
            if bare or (modals and _after_modal(helpers, verb)):
                yield Found(verb.index, (before(verb, "to"),))

    return find


def _finite(parsed: Parsed, verb: Token) -> bool:
    """Whether a clause has a conjunction or a subject of its own, as in "see if they exist"."""
    nouns = parsed.children(verb, "nsubj")
    joined = parsed.child(verb, "mark") is not None
    return verb.dep in ("ccomp", "xcomp") and (
        joined or any(noun.lower in ("i", "he", "she", "we", "they") for noun in nouns)
    )


def _after_modal(helpers: list[Token], verb: Token) -> bool:
    return (
        len(helpers) == 1
        and helpers[0].lower in ("must", "should")
        and helpers[0].index == verb.index - 1
    )


EXTRA_IT = Feature(
    45,
    "extra it in as-clauses and before clausal objects",
    extra_it,
    {"indian": "A", "singapore": "C", "black_south_african": "A", "nigerian": "C"},
    (
        (
            "As I made clear before, Kay approved it.",
            "As I made it clear before, Kay approved it.",
        ),
        (
            "As is the case in Houston, the bid is late.",
            "As it is the case in Houston, the bid is late.",
        ),
    ),
)
NEGATIVE_CONCORD = Feature(
    154,
    "negative concord",
    negative_concord,
    {"indian": "C", "black_south_african": "B"},
    (
        ("I did not get any reply.", "I did not get no reply."),
        ("He does not have anything.", "He does not have nothing."),
    ),
    guard="polarity",
)
THAT_CLAUSE = Feature(
    207,
    "that-clause for an infinitive",
    that_clause,
    {"indian": "B", "black_south_african": "C"},
    (
        ("I want you to call Kay.", "I want that you should call Kay."),
        ("He asked me to sign.", "He asked that I should sign."),
    ),
)
BARE_INFINITIVE = Feature(
    208,
    "no to before an infinitive",
    bare_infinitive,
    {"singapore": "B", "nigerian": "A"},
    (
        ("Allow him to see the bid.", "Allow him see the bid."),
        ("He wants to see the bid.", "He wants see the bid."),
    ),
)
EXTRA_TO = Feature(
    209,
    "extra to",
    extra_to(modals=False),
    {"indian": "B"},
    (
        ("Let me know the date.", "Let me to know the date."),
        ("It made him call Kay.", "It made him to call Kay."),
    ),
)
EXTRA_TO_MODALS = Feature(
    209,
    "extra to",
    extra_to(modals=True),
    {"black_south_african": "A", "nigerian": "A"},
    (
        ("Let me know the date.", "Let me to know the date."),
        ("We must sign it.", "We must to sign it."),
    ),
)
