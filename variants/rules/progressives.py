"""The progressive in wider use: eWAVE 88 and 89."""

from __future__ import annotations

from collections.abc import Iterator

from variants.features import Edit, Feature, Found, before, replace
from variants.inflect import inflect
from variants.parsed import Parsed, Token
from variants.sentences import be_for, subject
from variants.words import word_set

_STATIVE = word_set("want need know have like understand think see belong contain")
_FREQUENT = word_set("always usually often weekly daily monthly frequently")
_PRESENT = ("VBP", "VBZ")


def stative_progressive(parsed: Parsed) -> Iterator[Found]:
    """Puts be and -ing for the present or past of a verb of state; a plain do becomes be."""
    for verb in parsed.tokens:
        noun = subject(parsed, verb)
        form = inflect(verb.lemma, "VBG") if verb.lemma in _STATIVE else None
        if noun is None or form is None or parsed.child(verb, "neg", "auxpass"):
            continue
        # "I have to send it" is about an obligation and "I think so" about no object.
        if verb.lemma == "have" and parsed.child(verb, "dobj") is None:
            continue
        helpers = parsed.children(verb, "aux")
        if len(helpers) == 1 and helpers[0].lower in ("do", "does", "did"):
            if helpers[0].index < noun.index < verb.index:
                past = helpers[0].lower == "did"
                be = replace(helpers[0], be_for(parsed, noun, past=past))
                yield Found(verb.index, (be, replace(verb, form)))
        elif not helpers and verb.tag in (*_PRESENT, "VBD") and noun.index < verb.index:
            be_word = be_for(parsed, noun, past=verb.tag == "VBD")
            yield Found(verb.index, (Edit(verb.start, verb.end, f"{be_word} {form}"),))


def habitual_progressive(parsed: Parsed) -> Iterator[Found]:
    """Puts be and -ing for the present of a verb with an adverb of frequency."""
    for verb in parsed.tokens:
        noun = subject(parsed, verb)
        if verb.tag not in _PRESENT or verb.lemma == "be" or noun is None:
            continue
        adverb = next((t for t in parsed.children(verb, "advmod") if t.lower in _FREQUENT), None)
        form = inflect(verb.lemma, "VBG")
        plain = not parsed.child(verb, "aux", "auxpass", "neg") and noun.index < verb.index
        if (adverb is None and not _every_day(parsed, verb)) or form is None or not plain:
            continue
        between = adverb is not None and noun.index < adverb.index < verb.index
        place = adverb if adverb is not None and between else verb
        word = be_for(parsed, noun)
        if place is verb:
            yield Found(verb.index, (Edit(verb.start, verb.end, f"{word} {form}"),))
        else:
            yield Found(verb.index, (before(place, word), replace(verb, form)))


def _every_day(parsed: Parsed, verb: Token) -> bool:
    return any(
        any(word.lower == "every" for word in parsed.children(time))
        for time in parsed.children(verb, "npadvmod")
    )


STATIVE_PROGRESSIVE = Feature(
    88,
    "progressive with a stative verb",
    stative_progressive,
    {"indian": "A", "singapore": "C", "black_south_african": "A", "nigerian": "B"},
    (
        ("I want the final numbers.", "I am wanting the final numbers."),
        ("Who knows the address?", "Who is knowing the address?"),
    ),
)
HABITUAL_PROGRESSIVE = Feature(
    89,
    "progressive for a habit",
    habitual_progressive,
    {"indian": "A", "singapore": "C", "black_south_african": "A", "nigerian": "B"},
    (
        ("Kay always sends the report late.", "Kay is always sending the report late."),
        ("Who usually approves invoices?", "Who is usually approving invoices?"),
    ),
)
