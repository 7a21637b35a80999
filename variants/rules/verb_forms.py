"""Forms of verbs: eWAVE 128, 130, 145, 147, 158, 170 and 172."""

from __future__ import annotations

from collections.abc import Iterator

from variants.features import Feature, Found, replace
from variants.inflect import inflect
from variants.parsed import Parsed
from variants.sentences import be_for, subject

_REGULARISED = {
    "send": "sended",
    "write": "writed",
    "catch": "catched",
    "teach": "teached",
    "buy": "buyed",
    "choose": "choosed",
}
_SINGULAR_BE = {"are": "is", "were": "was"}


def regularised_past(parsed: Parsed) -> Iterator[Found]:
    """Puts the base form and -ed for an irregular past, once a sentence."""
    for sentence in parsed.sentences():
        for verb in sentence:
            if verb.tag in ("VBD", "VBN") and verb.lemma in _REGULARISED:
                yield Found(verb.index, (replace(verb, _REGULARISED[verb.lemma]),))
                break


def past_for_participle(parsed: Parsed) -> Iterator[Found]:
    """Puts the past for the participle after have and be."""
    for verb in parsed.tokens:
        helpers = parsed.children(verb, "aux", "auxpass")
        form = inflect(verb.lemma, "VBD") if verb.tag == "VBN" else None
        helped = any(token.lemma in ("have", "be", "'ve", "\u2019ve") for token in helpers)
        if helped and form and form != verb.lower and verb.lemma not in ("be", "do"):
            yield Found(verb.index, (replace(verb, form),))


def gotten(parsed: Parsed) -> Iterator[Found]:
    """Puts gotten for got after have, but not in "have got to"."""
    for verb in parsed.tokens:
        has = any(t.lemma in ("have", "'ve", "\u2019ve") for t in parsed.children(verb, "aux"))
        following = parsed.next(verb)
        obliged = following is not None and following.lower == "to"
        if verb.lower == "got" and has and not obliged:
            yield Found(verb.index, (replace(verb, "gotten"),))


def was_in_a_conditional(parsed: Parsed) -> Iterator[Found]:
    """Puts was for were after if and a singular subject."""
    for token in parsed.tokens:
        verb = token if token.dep == "advcl" else parsed.head(token)
        marks = parsed.children(verb, "mark")
        noun = subject(parsed, verb)
        if token.lower != "were" or noun is None or not any(m.lower == "if" for m in marks):
            continue
        if be_for(parsed, noun) != "are":
            yield Found(verb.index, (replace(token, "was"),))


def invariant_dont(parsed: Parsed) -> Iterator[Found]:
    """Puts don't for doesn't."""
    for token in parsed.tokens:
        following = parsed.next(token)
        short = following is not None and following.lower in ("n't", "n\u2019t")
        if token.lower == "does" and short:
            yield Found(parsed.head(token).index, (replace(token, "do"),))


def no_third_person_s(parsed: Parsed) -> Iterator[Found]:
    """Leaves out the -s of a verb in the present."""
    for verb in parsed.tokens:
        main = verb.dep not in ("aux", "auxpass") and verb.lemma != "be"
        if verb.tag == "VBZ" and main and subject(parsed, verb) is not None:
            yield Found(verb.index, (replace(verb, verb.lemma),))


def singular_existential(parsed: Parsed) -> Iterator[Found]:
    """Puts is and was beside there before a plural."""
    for there in parsed.tokens:
        verb = parsed.head(there)
        if there.lower == "there" and there.dep == "expl" and verb.lower in _SINGULAR_BE:
            yield Found(verb.index, (replace(verb, _SINGULAR_BE[verb.lower]),))


REGULARISED_PAST = Feature(
    128,
    "regularised past",
    regularised_past,
    {"indian": "C", "singapore": "B", "black_south_african": "C", "nigerian": "B"},
    (
        ("Who wrote the memo?", "Who writed the memo?"),
        ("Kay caught the error.", "Kay catched the error."),
    ),
)
PAST_FOR_PARTICIPLE = Feature(
    130,
    "past for participle",
    past_for_participle,
    {"indian": "C", "black_south_african": "C", "nigerian": "B"},
    (
        ("Has he written to Kay?", "Has he wrote to Kay?"),
        ("It was chosen in May.", "It was chose in May."),
    ),
)
GOTTEN = Feature(
    145,
    "gotten for got",
    gotten,
    {"nigerian": "A"},
    (
        ("Have we got the signed copy?", "Have we gotten the signed copy?"),
        ("He has got a reply.", "He has gotten a reply."),
    ),
)
WAS_CONDITIONAL = Feature(
    147,
    "was in a conditional",
    was_in_a_conditional,
    {"indian": "A", "singapore": "B", "black_south_african": "B"},
    (
        ("If I were late, would it matter?", "If I was late, would it matter?"),
        ("If she were here, who would ask?", "If she was here, who would ask?"),
    ),
)
INVARIANT_DONT = Feature(
    158,
    "invariant don't",
    invariant_dont,
    {"indian": "C", "singapore": "B", "black_south_african": "C", "nigerian": "C"},
    (
        ("Kay doesn't have it.", "Kay don't have it."),
        ("Why doesn't it open?", "Why don't it open?"),
    ),
)
NO_THIRD_PERSON = Feature(
    170,
    "no third-person -s",
    no_third_person_s,
    {"indian": "C", "singapore": "B", "black_south_african": "C", "nigerian": "C"},
    (
        ("Who knows the price?", "Who know the price?"),
        ("Kay wants the deck.", "Kay want the deck."),
    ),
)
SINGULAR_THERE = Feature(
    172,
    "there's with a plural",
    singular_existential,
    {"indian": "B", "black_south_african": "A"},
    (
        ("There are two files missing.", "There is two files missing."),
        ("Are there any replies?", "Is there any replies?"),
    ),
)
