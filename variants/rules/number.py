"""Number on nouns and demonstratives: eWAVE 48, 54, 55, 56 and 71."""

from __future__ import annotations

from collections.abc import Iterator

from variants.features import Feature, Found, delete, replace
from variants.parsed import Parsed, Token
from variants.words import word_set

_IRREGULAR = {
    "children": "childs",
    "men": "mans",
    "women": "womans",
    "feet": "foots",
    "criteria": "criterions",
    "analyses": "analysises",
}
_TITLES = word_set("head point letter bill secretary")
_MASS = word_set("information feedback advice equipment correspondence software staff research")
_MEASURED = word_set("much little less")
_QUANTIFIERS = word_set("many several few some all two three four five six seven eight nine ten")
_DEMONSTRATIVES = {"these": "this", "those": "that"}


def regular_plural(parsed: Parsed) -> Iterator[Found]:
    """Puts singular and -s in the place of an irregular plural."""
    for noun in parsed.tokens:
        if noun.lower in _IRREGULAR and noun.tag == "NNS":
            yield Found(noun.index, (replace(noun, _IRREGULAR[noun.lower]),))


def plural_at_the_end(parsed: Parsed) -> Iterator[Found]:
    """Moves the plural of "heads of department" to the end of the phrase."""
    for noun in parsed.tokens:
        link = parsed.next(noun)
        last = parsed.next(link) if link is not None and link.lower == "of" else None
        if noun.tag != "NNS" or noun.lemma not in _TITLES or last is None or last.tag != "NN":
            continue
        if not parsed.children(last) and not last.protected:
            edits = (replace(noun, noun.lemma), replace(last, last.text + "s"))
            yield Found(noun.index, edits)


def counted_mass_noun(parsed: Parsed) -> Iterator[Found]:
    """Puts the plural of a mass noun; some and any before it fall away."""
    for noun in parsed.tokens:
        if noun.lower not in _MASS or noun.tag != "NN" or noun.dep == "compound":
            continue
        around = parsed.children(noun, "det", "amod", "nummod")
        previous = parsed.previous(noun)
        measured = previous is not None and previous.lower == "of"
        if measured or any(token.lower in _MEASURED for token in around):
            continue
        dropped = tuple(delete(parsed, t) for t in around if t.lower in ("some", "any"))
        ending = "es" if noun.lower.endswith("ch") else "s"
        yield Found(noun.index, (*dropped, replace(noun, noun.text + ending)))


def singular_after_quantifier(parsed: Parsed) -> Iterator[Found]:
    """Leaves out the plural ending of a noun that a quantifier or a number shows to be plural."""
    for noun in parsed.tokens:
        if noun.tag != "NNS" or noun.protected or not noun.lower.endswith("s"):
            continue
        around = parsed.children(noun, "det", "predet", "amod", "nummod")
        counted = any(t.dep == "nummod" or t.lower in _QUANTIFIERS for t in around)
        if counted and noun.lower != noun.lemma and not noun.lower.endswith("ves"):
            yield Found(noun.index, (replace(noun, noun.lemma),))


def demonstrative_without_number(parsed: Parsed) -> Iterator[Found]:
    """Puts this and that before a plural noun."""
    for token in parsed.tokens:
        if token.lower in _DEMONSTRATIVES and token.dep == "det" and _plural(parsed, token):
            edit = replace(token, _DEMONSTRATIVES[token.lower])
            yield Found(parsed.head(token).index, (edit,))


def _plural(parsed: Parsed, determiner: Token) -> bool:
    return parsed.head(determiner).tag == "NNS"


REGULAR_PLURAL = Feature(
    48,
    "irregular plural regularised with -s",
    regular_plural,
    {"indian": "A", "singapore": "B", "black_south_african": "B", "nigerian": "B"},
    (
        ("Which women replied?", "Which womans replied?"),
        ("The men from Houston called.", "The mans from Houston called."),
    ),
)
PLURAL_AT_THE_END = Feature(
    54,
    "plural marked at the end of the phrase",
    plural_at_the_end,
    {"indian": "A", "singapore": "B", "black_south_african": "B"},
    (
        ("Which heads of department replied?", "Which head of departments replied?"),
        ("List the points of contact.", "List the point of contacts."),
    ),
)
COUNTED_MASS = Feature(
    55,
    "count use of a mass noun",
    counted_mass_noun,
    {"indian": "A", "singapore": "B", "black_south_african": "A", "nigerian": "A"},
    (
        ("Send me the information about the deal.", "Send me the informations about the deal."),
        ("How many staff are on leave?", "How many staffs are on leave?"),
    ),
)
SINGULAR_AFTER_QUANTIFIER = Feature(
    56,
    "no plural after a quantifier",
    singular_after_quantifier,
    {"indian": "B", "black_south_african": "C"},
    (
        ("List all emails from Kay.", "List all email from Kay."),
        ("Several reports were late.", "Several report were late."),
    ),
)
DEMONSTRATIVE = Feature(
    71,
    "demonstrative without number",
    demonstrative_without_number,
    {"indian": "B", "black_south_african": "B", "nigerian": "B"},
    (
        ("Forward these emails.", "Forward this emails."),
        ("Who wrote those notes?", "Who wrote that notes?"),
    ),
)
