"""Perfect, past and present exchanged: eWAVE 99, 100, 101 and 109 before the verb."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from variants.features import Edit, Feature, Found, before, delete, replace
from variants.inflect import inflect
from variants.parsed import Parsed, Token
from variants.sentences import (
    asks,
    be_for,
    do_for,
    has_word,
    have_for,
    is_statement,
    subject,
    yes_no_question,
)
from variants.words import word_set

_HAVE = ("have", "has", "'ve", "\u2019ve")
_DONE = word_set(
    """send sign reply receive book pay finish forward approve cancel ship deliver complete
    submit agree"""
)
_PAST = re.compile(
    r"\b(?:yesterday|last|past|ago|(?:mon|tues|wednes|thurs|fri|satur|sun)day|"
    r"january|february|march|april|june|july|august|september|october|november|december)\b",
    re.IGNORECASE,
)


def past_for_perfect(parsed: Parsed) -> Iterator[Found]:
    """Puts the simple past for a perfect that does not go on."""
    for have, verb, noun in _perfects(parsed):
        if _goes_on(parsed, verb) or parsed.child(verb, "auxpass") or verb.tag == "VBG":
            continue
        if have.index < noun.index:
            form = verb.lemma
            edits: tuple[Edit, ...] = (replace(have, "did"), replace(verb, form))
        else:
            past = inflect(verb.lemma, "VBD")
            if past is None:
                continue
            edits = (delete(parsed, have), replace(verb, past))
        yield Found(verb.index, edits)


def perfect_for_past(parsed: Parsed) -> Iterator[Found]:
    """Puts the perfect for a past with its time, and for the past that a question dates."""
    for verb in parsed.tokens:
        noun = subject(parsed, verb)
        form = inflect(verb.lemma, "VBN")
        if noun is None or form is None or parsed.child(verb, "neg"):
            continue
        if verb.lemma in ("be", "have", "do"):
            continue
        sentence = parsed.sentence_of(verb)
        dated = any(t.protected and _PAST.search(t.text) for t in sentence)
        helpers = parsed.children(verb, "aux", "auxpass")
        if len(helpers) == 1 and helpers[0].lower == "did" and helpers[0].index < noun.index:
            if dated or has_word(sentence, "when"):
                have = replace(helpers[0], have_for(parsed, noun))
                yield Found(verb.index, (have, replace(verb, form)))
        elif not helpers and verb.tag == "VBD" and dated and noun.index < verb.index:
            word = have_for(parsed, noun)
            yield Found(verb.index, (Edit(verb.start, verb.end, f"{word} {form}"),))


def present_for_perfect(parsed: Parsed) -> Iterator[Found]:
    """Puts the present for a perfect that goes on: since, for, how long."""
    for have, verb, noun in _perfects(parsed):
        if not _goes_on(parsed, verb) or parsed.child(verb, "auxpass"):
            continue
        been = next((t for t in parsed.children(verb, "aux") if t.lower == "been"), None)
        if been is not None and verb.tag == "VBG":
            yield Found(verb.index, (_said(have, be_for(parsed, noun)), delete(parsed, been)))
        elif have.index < noun.index:
            edits = (replace(have, do_for(parsed, noun)), replace(verb, verb.lemma))
            yield Found(verb.index, edits)
        elif verb.lemma != "be":
            tag = "VBZ" if have_for(parsed, noun) == "has" else "VBP"
            form = inflect(verb.lemma, tag)
            if form is not None:
                yield Found(verb.index, (delete(parsed, have), replace(verb, form)))


def already_before_verb(parsed: Parsed) -> Iterator[Found]:
    """Puts already before the verb of a clause about something done."""
    for sentence in parsed.sentences():
        verb = parsed.root(sentence)
        asked = yes_no_question(parsed, sentence)
        did = asked is not None and asked.auxiliary[0].lower == "did"
        stated = is_statement(parsed, sentence) and not asks(sentence) and verb.tag == "VBD"
        if verb.lemma not in _DONE or parsed.child(verb, "neg", "conj", "advcl", "auxpass"):
            continue
        if (stated or did) and not has_word(sentence, "yet", "already"):
            yield Found(verb.index, (before(verb, "already"),))


def _perfects(parsed: Parsed) -> Iterator[tuple[Token, Token, Token]]:
    """Present have, its verb and the verb's subject, without negation."""
    for have in parsed.tokens:
        verb = parsed.head(have)
        noun = subject(parsed, verb)
        if have.dep != "aux" or have.lower not in _HAVE or noun is None:
            continue
        # The tagger gives VBD for many a participle in a question.
        if verb.tag in ("VBN", "VBD", "VBG") and not parsed.child(verb, "neg"):
            yield have, verb, noun


def _goes_on(parsed: Parsed, verb: Token) -> bool:
    sentence = parsed.sentence_of(verb)
    lasting = any(p.lower in ("since", "for") for p in parsed.children(verb, "prep"))
    asked = any(one.lower == "how" and two.lower == "long" for one, two in pairwise(sentence))
    return lasting or asked or (has_word(sentence, "since") and has_word(sentence, "been"))


def _said(have: Token, word: str) -> Edit:
    """Have replaced by a word of its own, also where it leans on its subject."""
    if have.text[0] in "'\u2019":
        return Edit(have.start, have.end, " " + word)
    return replace(have, word)


PAST_FOR_PERFECT = Feature(
    99,
    "past for perfect",
    past_for_perfect,
    {"singapore": "B", "black_south_african": "B", "nigerian": "C"},
    (
        ("Has Kay sent the file yet?", "Did Kay send the file yet?"),
        ("I have already paid it.", "I already paid it."),
    ),
)
PERFECT_FOR_PAST = Feature(
    100,
    "perfect for past",
    perfect_for_past,
    {"indian": "A", "singapore": "B", "black_south_african": "C"},
    (
        ("Kay sent it on Monday.", "Kay has sent it on Monday."),
        ("When did he call?", "When has he called?"),
    ),
)
PRESENT_FOR_PERFECT = Feature(
    101,
    "present for a continuing perfect",
    present_for_perfect,
    {"indian": "B", "singapore": "B", "black_south_african": "B", "nigerian": "B"},
    (
        ("I have known Kay since 1999.", "I know Kay since 1999."),
        ("How long has he worked on it?", "How long does he work on it?"),
    ),
)
ALREADY_BEFORE = Feature(
    109,
    "already as a completive",
    already_before_verb,
    {"indian": "C", "black_south_african": "C", "nigerian": "B"},
    (
        ("Kay sent the contract.", "Kay already sent the contract."),
        ("Did they sign it?", "Did they already sign it?"),
    ),
    guard="asserts completion",
)
