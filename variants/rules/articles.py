"""Articles: eWAVE 62 and 63."""

from __future__ import annotations

from collections.abc import Iterator

from variants.features import Feature, Found, delete
from variants.parsed import Parsed, Token
from variants.words import word_set

_UNIQUE = word_set(
    """last first next latest same only other rest following moment previous second third most least
    very whole"""
)
_FIXED = word_set(
    """few lot bit little while couple dozen hundred thousand
    million minute moment second number day week month year"""
)


def drop_the(parsed: Parsed) -> Iterator[Found]:
    """Leaves out `the`, but not where a superlative or an ordinal hangs on it."""
    for token in parsed.tokens:
        noun = parsed.head(token)
        if token.lower != "the" or token.dep != "det" or noun.index <= token.index:
            continue
        phrase = _between(parsed, token, noun)
        unique = any(t.lower.split()[0] in _UNIQUE or t.tag in ("JJS", "RBS") for t in phrase)
        if unique or any(t.text[0].isdigit() for t in phrase):
            continue
        yield Found(noun.index, (delete(parsed, token),))


def drop_a(parsed: Parsed) -> Iterator[Found]:
    """Leaves out `a` and `an` before a singular count noun, but not in amounts and rates."""
    for token in parsed.tokens:
        noun = parsed.head(token)
        if token.lower not in ("a", "an") or token.dep != "det" or noun.index <= token.index:
            continue
        phrase = _between(parsed, token, noun)
        if noun.tag != "NN" or any(t.lower in _FIXED or t.text[0].isdigit() for t in phrase):
            continue
        yield Found(noun.index, (delete(parsed, token),))


def _between(parsed: Parsed, determiner: Token, noun: Token) -> tuple[Token, ...]:
    return parsed.tokens[determiner.index + 1 : noun.index + 1]


ZERO_THE = Feature(
    62,
    "zero article for the",
    drop_the,
    {"indian": "A", "singapore": "A", "black_south_african": "C", "nigerian": "A"},
    (
        ("When is the meeting with the auditors?", "When is meeting with auditors?"),
        ("Forward the contract to Kay.", "Forward contract to Kay."),
    ),
)
ZERO_A = Feature(
    63,
    "zero article for a/an",
    drop_a,
    {"indian": "A", "singapore": "A", "black_south_african": "C"},
    (
        ("Send a reply to Kay.", "Send reply to Kay."),
        ("Is there a deadline for the bid?", "Is there deadline for the bid?"),
    ),
)
