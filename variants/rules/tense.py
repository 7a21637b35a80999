"""Tense and aspect: eWAVE 108, 109, 113, 114, 129, 132 and 159."""

from __future__ import annotations

import re
from collections.abc import Iterator

from variants.features import Edit, Feature, Found, after, delete, replace
from variants.inflect import inflect
from variants.parsed import Parsed, Token
from variants.sentences import SUBJECTS, is_statement, subject, yes_no_question
from variants.words import word_set

_EXPERIENCE = frozenset(
    {"see", "meet", "hear", "visit", "try", "use", "read", "attend", "speak", "talk", "work"}
)
_REPORTING = frozenset(
    {"say", "tell", "notice", "think", "hear", "report", "mention", "write", "explain"}
)
_DONE = word_set(
    """send sign reply receive book pay finish forward approve cancel ship deliver complete
    submit agree"""
)
_PAST = re.compile(
    r"\b(?:yesterday|last|past|ago|(?:mon|tues|wednes|thurs|fri|satur|sun)day|"
    r"january|february|march|april|june|july|august|september|october|november|december)\b",
    re.IGNORECASE,
)


def ever_for_experience(parsed: Parsed) -> Iterator[Found]:
    """Turns "have you seen" into "you ever saw" where the verb is one of experience."""
    for sentence in parsed.sentences():
        inversion = yes_no_question(parsed, sentence)
        if inversion is None or inversion.auxiliary[0].lemma != "have":
            continue
        verb = inversion.verb
        dated = any(t.protected and _PAST.search(t.text) for t in sentence)
        if verb.lemma not in _EXPERIENCE or dated or _has(sentence, "yet", "already", "ever"):
            continue
        form = inflect(verb.lemma, "VBD")
        if form is not None and len(inversion.auxiliary) == 1:
            taken = delete(parsed, inversion.auxiliary[0])
            yield Found(verb.index, (taken, Edit(verb.start, verb.end, f"ever {form}")))


def already_completive(parsed: Parsed) -> Iterator[Found]:
    """Ends a clause about something done with `already`."""
    for sentence in parsed.sentences():
        verb = parsed.root(sentence)
        asked = yes_no_question(parsed, sentence)
        did = asked is not None and asked.auxiliary[0].lower == "did"
        if verb.lemma not in _DONE or not (verb.tag == "VBD" or did):
            continue
        stated = is_statement(parsed, sentence)
        if parsed.child(verb, "neg", "conj", "advcl") or _has(sentence, "yet", "already"):
            continue
        words = [token for token in sentence if token.dep != "punct"]
        if stated or did:
            yield Found(verb.index, (after(words[-1], "already"),))


def loose_sequence(parsed: Parsed) -> Iterator[Found]:
    """Puts the simple past in the place of a past perfect below a verb of saying."""
    for token in parsed.tokens:
        verb = parsed.head(token)
        if token.lower != "had" or token.dep != "aux" or verb.tag != "VBN" or verb.dep != "ccomp":
            continue
        matrix = parsed.head(verb)
        form = inflect(verb.lemma, "VBD")
        if (
            matrix.lemma in _REPORTING
            and matrix.tag == "VBD"
            and form
            and not parsed.child(verb, "auxpass")
        ):
            yield Found(verb.index, (delete(parsed, token), replace(verb, form)))


def go_future(parsed: Parsed) -> Iterator[Found]:
    """Puts go in the place of will where it is no request."""
    for token in parsed.tokens:
        verb = parsed.head(token)
        if token.dep != "aux" or token.lower not in ("will", "'ll", "\u2019ll") or verb.tag != "VB":
            continue
        noun = subject(parsed, verb)
        if (
            noun is None
            or noun.index > token.index
            or noun.lower == "you"
            or noun.tag.startswith("W")
        ):
            continue
        if verb.lemma != "be" and not parsed.child(verb, "neg"):
            text = "go" if token.lower == "will" else " go"
            yield Found(verb.index, (Edit(token.start, token.end, text),))


def bare_irregular_past(parsed: Parsed) -> Iterator[Found]:
    """Puts the base form for an irregular past that a time expression keeps in the past."""
    yield from _bare_past(parsed, regular=False)


def bare_regular_past(parsed: Parsed) -> Iterator[Found]:
    """Puts the base form for a past in -ed that a time expression keeps in the past."""
    yield from _bare_past(parsed, regular=True)


def never_for_did_not(parsed: Parsed) -> Iterator[Found]:
    """Puts never and the past in the place of did not."""
    for token in parsed.tokens:
        verb = parsed.head(token)
        negation = parsed.next(token)
        if token.lower != "did" or token.dep != "aux" or negation is None or negation.dep != "neg":
            continue
        form = inflect(verb.lemma, "VBD")
        noun = parsed.child(verb, *SUBJECTS)
        if form is None or noun is None or noun.index > token.index:
            continue
        yield Found(verb.index, (Edit(token.start, negation.end, "never"), replace(verb, form)))


def _bare_past(parsed: Parsed, *, regular: bool) -> Iterator[Found]:
    for verb in parsed.tokens:
        if (
            verb.tag != "VBD"
            or verb.dep not in ("ROOT", "conj")
            or verb.lemma in ("be", "have", "do")
        ):
            continue
        if verb.lower.endswith("ed") is not regular or verb.lower == verb.lemma:
            continue
        if any(t.protected and _PAST.search(t.text) for t in parsed.sentence_of(verb)):
            yield Found(verb.index, (replace(verb, verb.lemma),))


def _has(sentence: list[Token], *words: str) -> bool:
    return any(token.lower in words for token in sentence)


EVER = Feature(
    108,
    "ever for experience",
    ever_for_experience,
    {"singapore": "A"},
    (
        ("Have you seen the memo?", "You ever saw the memo?"),
        ("Has Kay met the client?", "Kay ever met the client?"),
    ),
)
ALREADY = Feature(
    109,
    "already as a completive",
    already_completive,
    {"singapore": "A"},
    (
        ("Kay sent the contract.", "Kay sent the contract already."),
        ("Did they sign it?", "Did they sign it already?"),
    ),
    guard="asserts completion",
)
LOOSE_TENSES = Feature(
    113,
    "loose sequence of tenses",
    loose_sequence,
    {"indian": "A", "singapore": "A", "black_south_african": "B"},
    (
        ("Kay said that she had sent it.", "Kay said that she sent it."),
        ("Jeff noticed that the price had moved.", "Jeff noticed that the price moved."),
    ),
    guard="tense",
)
GO_FUTURE = Feature(
    114,
    "go-future",
    go_future,
    {"singapore": "A", "black_south_african": "C"},
    (
        ("He will call tomorrow.", "He go call tomorrow."),
        ("They will send the draft.", "They go send the draft."),
    ),
)
BARE_IRREGULAR_PAST = Feature(
    129,
    "unmarked past of an irregular verb",
    bare_irregular_past,
    {"indian": "C", "singapore": "B", "black_south_african": "C"},
    (
        ("Kay sent it yesterday.", "Kay send it yesterday."),
        ("He wrote twice last week.", "He write twice last week."),
    ),
    guard="tense",
)
BARE_REGULAR_PAST = Feature(
    132,
    "unmarked regular past",
    bare_regular_past,
    {"indian": "C", "singapore": "A", "black_south_african": "C"},
    (
        ("Kay called on Monday.", "Kay call on Monday."),
        ("They signed it last week.", "They sign it last week."),
    ),
    guard="tense",
)
NEVER = Feature(
    159,
    "never as past negator",
    never_for_did_not,
    {"singapore": "B", "black_south_african": "C"},
    (
        ("Kay did not reply.", "Kay never replied."),
        ("I did not get the file.", "I never got the file."),
    ),
    guard="scope",
)
