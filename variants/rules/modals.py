"""Modal verbs: eWAVE 116, 119, 123 and 127."""

from __future__ import annotations

from collections.abc import Iterator

from variants.features import Edit, Feature, Found, replace
from variants.parsed import Parsed, Token
from variants.sentences import be_for, has_word, is_statement, subject, yes_no_question

_PRESENT = {"could": "can", "would": "will", "might": "may"}


def coming_to(parsed: Parsed) -> Iterator[Found]:
    """Puts "am coming to" for a future that is near: with now or soon, or "about to"."""
    for sentence in parsed.sentences():
        verb = parsed.root(sentence)
        noun = subject(parsed, verb)
        if noun is None or noun.lower == "you" or not is_statement(parsed, sentence):
            continue
        will = next((t for t in parsed.children(verb, "aux") if t.lower == "will"), None)
        near = has_word(sentence, "now", "soon") and not parsed.child(verb, "neg")
        if will is not None and near and verb.lemma != "be":
            words = f"{be_for(parsed, noun)} coming to"
            yield Found(verb.index, (Edit(will.start, will.end, words),))
        about = parsed.next(verb)
        if verb.lemma == "be" and about is not None and about.lower == "about":
            following = parsed.next(about)
            if following is not None and following.lower == "to":
                yield Found(verb.index, (replace(about, "coming"),))


def would_for_will(parsed: Parsed) -> Iterator[Found]:
    """Puts would for will, but not in a request to the reader."""
    for token in parsed.tokens:
        noun = subject(parsed, parsed.head(token))
        if token.dep != "aux" or token.lower != "will" or noun is None or noun.lower == "you":
            continue
        yield Found(parsed.head(token).index, (replace(token, "would"),))


def present_modal(parsed: Parsed) -> Iterator[Found]:
    """Puts can, will and may for could, would and might below a past verb or beside an if."""
    for token in parsed.tokens:
        verb = parsed.head(token)
        noun = subject(parsed, verb)
        if token.dep != "aux" or token.lower not in _PRESENT or noun is None:
            continue
        past = verb.dep == "ccomp" and parsed.head(verb).tag == "VBD"
        supposed = any(
            any(mark.lower == "if" for mark in parsed.children(clause, "mark"))
            for clause in parsed.children(verb, "advcl")
        )
        if past or (supposed and noun.lower != "you"):
            yield Found(verb.index, (replace(token, _PRESENT[token.lower]),))


def must_and_may(parsed: Parsed) -> Iterator[Found]:
    """Puts must for should I, and may for "is to be" before a participle."""
    for sentence in parsed.sentences():
        inversion = yes_no_question(parsed, sentence)
        verb = parsed.root(sentence)
        if inversion is not None and inversion.auxiliary[0].lower in ("should", "shall"):
            if inversion.subject_end.lower in ("i", "we"):
                yield Found(verb.index, (replace(inversion.auxiliary[0], "must"),))
            continue
        if inversion is None and verb.lemma == "be" and verb.tag in ("VBZ", "VBP"):
            yield from _is_to_be(parsed, verb)
        should = next((t for t in parsed.children(verb, "aux") if t.lower == "should"), None)
        if inversion is None and should is not None and parsed.child(verb, "auxpass"):
            yield Found(verb.index, (replace(should, "may"),))


def _is_to_be(parsed: Parsed, verb: Token) -> Iterator[Found]:
    to = parsed.next(verb)
    be = parsed.next(to) if to is not None and to.lower == "to" else None
    if to is not None and be is not None and be.lower == "be" and be.dep == "auxpass":
        yield Found(verb.index, (Edit(verb.start, be.start, "may "),))


COMING_TO = Feature(
    116,
    "come-based near future",
    coming_to,
    {"nigerian": "A"},
    (
        ("I will send the draft now.", "I am coming to send the draft now."),
        ("He is about to call.", "He is coming to call."),
    ),
)
WOULD_FOR_WILL = Feature(
    119,
    "would for will",
    would_for_will,
    {"indian": "A", "singapore": "B", "black_south_african": "C"},
    (
        ("The call will start at ten.", "The call would start at ten."),
        ("Who will chair it?", "Who would chair it?"),
    ),
    guard="modality",
)
PRESENT_MODAL = Feature(
    123,
    "present modal for past",
    present_modal,
    {"indian": "C", "singapore": "B", "black_south_african": "B"},
    (
        ("He said he could come.", "He said he can come."),
        ("I thought she would reply.", "I thought she will reply."),
    ),
)
MUST_AND_MAY = Feature(
    127,
    "modal of courtesy or obligation",
    must_and_may,
    {"indian": "B", "singapore": "B", "black_south_african": "A"},
    (
        ("Should I forward it to Kay?", "Must I forward it to Kay?"),
        ("The note is to be removed today.", "The note may be removed today."),
    ),
    guard="modality",
)
