"""Degree and adverbs: eWAVE 78, 80, 86, 221 and 222."""

from __future__ import annotations

from collections.abc import Iterator

from variants.features import Edit, Feature, Found, before, delete, replace
from variants.parsed import Parsed, Token
from variants.words import word_set

_IRREGULAR = word_set("more most less least better best worse worst further farther later latest")
_FLAT = {
    "quickly": "quick",
    "slowly": "slow",
    "badly": "bad",
    "really": "real",
    "carefully": "careful",
    "urgently": "urgent",
}


def double_comparative(parsed: Parsed) -> Iterator[Found]:
    """Puts more or most before an adjective that is compared by its ending."""
    for token in parsed.tokens:
        if _is_compared(parsed, token) and token.lower not in ("more", "most", "less", "least"):
            yield Found(token.index, (before(token, _degree(token)),))


def analytic_comparison(parsed: Parsed) -> Iterator[Found]:
    """Puts more or most and the plain adjective for one that is compared by its ending.

    "Latest" stays: "most late" would say that something is overdue.
    """
    for token in parsed.tokens:
        plain = token.lemma
        short = len(plain) <= 7 and plain != token.lower
        if _is_compared(parsed, token) and short and token.lower not in _IRREGULAR:
            yield Found(token.index, (Edit(token.start, token.end, f"{_degree(token)} {plain}"),))


def unmarked_degree(parsed: Parsed) -> Iterator[Found]:
    """Leaves out more and most before an adjective."""
    for token in parsed.tokens:
        adjective = parsed.next(token)
        if token.tag in ("RBR", "RBS") and adjective is not None and adjective.tag == "JJ":
            yield Found(adjective.index, (delete(parsed, token),))


def flat_adverb(parsed: Parsed) -> Iterator[Found]:
    """Puts the adjective for an adverb in -ly that belongs to a verb."""
    for token in parsed.tokens:
        if token.lower in _FLAT and parsed.head(token).tag.startswith("VB"):
            yield Found(token.index, (replace(token, _FLAT[token.lower]),))


def too_for_very(parsed: Parsed) -> Iterator[Found]:
    """Puts too for very, and too much where the adjective has a complement."""
    for token in parsed.tokens:
        adjective = parsed.next(token)
        if token.lower not in ("very", "really") or adjective is None or adjective.tag != "JJ":
            continue
        complement = any(
            t.index > adjective.index for t in parsed.children(adjective, "prep", "ccomp", "xcomp")
        )
        yield Found(adjective.index, (replace(token, "too much" if complement else "too"),))


def _is_compared(parsed: Parsed, token: Token) -> bool:
    previous = parsed.previous(token)
    marked = previous is not None and previous.lower in ("more", "most")
    return token.tag in ("JJR", "JJS") and not token.protected and not marked


def _degree(token: Token) -> str:
    return "more" if token.tag == "JJR" else "most"


DOUBLE_COMPARATIVE = Feature(
    78,
    "double comparative",
    double_comparative,
    {"indian": "B", "singapore": "B", "black_south_african": "B", "nigerian": "C"},
    (
        ("Is there a newer version?", "Is there a more newer version?"),
        ("Who gave the lowest bid?", "Who gave the most lowest bid?"),
    ),
)
ANALYTIC_COMPARISON = Feature(
    80,
    "analytic comparison",
    analytic_comparison,
    {"indian": "B", "singapore": "B", "black_south_african": "B"},
    (
        ("Is it cheaper?", "Is it more cheap?"),
        ("Which is the earliest email?", "Which is the most early email?"),
    ),
)
UNMARKED_DEGREE = Feature(
    86,
    "unmarked degree",
    unmarked_degree,
    {"indian": "C", "black_south_african": "A"},
    (
        (
            "It was the most useful memo he ever sent.",
            "It was the useful memo he ever sent.",
        ),
        ("He is the most careful of all.", "He is the careful of all."),
    ),
    guard="degree",
)
FLAT_ADVERB = Feature(
    221,
    "flat adverb",
    flat_adverb,
    {"indian": "C", "singapore": "C", "black_south_african": "B", "nigerian": "A"},
    (
        ("Send it quickly.", "Send it quick."),
        ("Check it carefully.", "Check it careful."),
    ),
)
TOO_FOR_VERY = Feature(
    222,
    "too / too much for very",
    too_for_very,
    {"indian": "A", "black_south_african": "B", "nigerian": "A"},
    (
        ("It is very important.", "It is too important."),
        ("I am very happy with it.", "I am too much happy with it."),
    ),
    guard="degree",
)
