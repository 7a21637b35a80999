"""Applies the features of a dialect to a parsed request: collect, sieve, draw, realise, repair."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from variants.base import FeatureUse, Span
from variants.features import ATTESTED, Dialect, Edit, Feature
from variants.parsed import Parsed
from variants.protect import occurrences, texts, touches

Tier: TypeAlias = Literal["safe", "safe+guarded"]

EXCLUSIONS: tuple[frozenset[int], ...] = tuple(
    frozenset(numbers)
    for numbers in (
        {227, 228, 229},
        {174, 176, 177, 178, 229},
        {88, 89, 101, 170},
        {99, 100, 109},
        {60, 62, 63, 64, 65},
        {7, 8},
        {42, 45},
        {43, 44, 46, 47},
        {214, 215},
        # Ours: a dropped "it" needs its "is", and an -ing form that lost be keeps its subject.
        {46, 47, 176, 177, 178},
        {43, 174},
    )
)
"""Features of which one anchor takes at most one."""
ONCE_A_REQUEST = frozenset({165, 166})
"""Features of which a request takes at most one use."""
WEIGHTS = {"A": 1.0, "B": 0.6, "C": 0.3}
"""Multi-VALUE's chances by attestation, for comparison with it."""


@dataclass(frozen=True, slots=True)
class Applied:
    """One use of a feature in a text: edits that stand or fall together."""

    feature: Feature
    anchor: int
    start: int
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Transduced:
    """A request in a dialect."""

    text: str
    applied: tuple[Applied, ...]

    @property
    def uses(self) -> tuple[FeatureUse, ...]:
        """The features that were realised, with their places in the base."""
        spans: dict[int, list[Span]] = {}
        for use in self.applied:
            low = min(edit.start for edit in use.edits)
            high = max(edit.end for edit in use.edits)
            spans.setdefault(use.feature.ewave, []).append((low, high))
        return tuple(
            FeatureUse(number, len(places), tuple(places))
            for number, places in sorted(spans.items())
        )


def transduce(
    parsed: Parsed,
    dialect: Dialect,
    *,
    item: str,
    protected: Sequence[Span] = (),
    seed: int = 0,
    density: float = 1.0,
    tier: Tier = "safe",
    weights: Literal["equal", "attestation"] = "equal",
) -> Transduced:
    """A parsed request in a dialect.

    Args:
        parsed: The request, parsed with the same `protected`.
        dialect: The features to apply.
        item: Id of the task; with the seed it decides which places a density below 1 takes.
        protected: Spans that no edit may reach into.
        seed: Start of the draws.
        density: Share of the places that are changed, 0 to 1. 0 gives the base text; what a density
            changes, every higher one changes too.
        tier: `safe` for rules that change the wording alone; `safe+guarded` where a rater looks at
            the intent.
        weights: `attestation` makes rare features rarer.

    Raises:
        ValueError: The density is not between 0 and 1.

    Source:
        Lost in the Request, section 2.1.2: documented features, operative literals masked, density
        1 as the worst case. Order of conflicts, meaning of a lower density and tiers are ours.
    """
    if not 0.0 <= density <= 1.0:
        raise ValueError(f"transduce: density {density!r} is not between 0 and 1")
    chances = WEIGHTS if weights == "attestation" else dict.fromkeys(ATTESTED, 1.0)
    # All eligible places go through the sieve before the draw: drawing first would let a lower
    # density free a losing edit, which a higher one would then not hold.
    kept = sieve(collect(parsed, dialect, protected, tier), dialect)
    drawn = [
        use
        for use in kept
        if _draw(seed, item, use) < density * chances[dialect.letter(use.feature)]
    ]
    return Transduced(realise(parsed, drawn, protected), tuple(sorted(drawn, key=_place)))


def collect(
    parsed: Parsed, dialect: Dialect, protected: Sequence[Span], tier: Tier
) -> list[Applied]:
    """Every place of every listed feature whose edits keep out of protected spans."""
    literal_texts = texts(parsed.text, protected)
    found: list[Applied] = []
    for feature in dialect.features:
        if tier == "safe" and feature.guard:
            continue
        for place in feature.find(parsed):
            if any(touches(edit.start, edit.end, protected) for edit in place.edits):
                continue
            if any(occurrences(edit.text, text) for edit in place.edits for text in literal_texts):
                continue
            found.append(Applied(feature, place.anchor, place.start, place.edits))
    return found


def sieve(found: Iterable[Applied], dialect: Dialect) -> list[Applied]:
    """The places that stand together, by attestation, place in the list, place in the text."""
    rank = {feature.ewave: place for place, feature in enumerate(dialect.features)}
    ordered = sorted(
        found, key=lambda use: (dialect.letter(use.feature), rank[use.feature.ewave], use.start)
    )
    taken: list[Applied] = []
    for use in ordered:
        if not any(_overlap(use, other) or _excluded(use, other) for other in taken):
            taken.append(use)
    return taken


def realise(parsed: Parsed, uses: Iterable[Applied], protected: Sequence[Span]) -> str:
    """The text with the edits made in one pass from left to right, and its surface repaired."""
    edits = sorted(
        (edit for use in uses for edit in use.edits), key=lambda edit: (edit.start, edit.end)
    )
    if not edits:
        return parsed.text
    starts = {sentence[0].start for sentence in parsed.sentences()}
    pieces = _pieces(parsed.text, edits, protected, starts)
    return _repair(pieces)


@dataclass(frozen=True, slots=True)
class _Piece:
    text: str
    protected: bool = False
    opens: bool = False
    """Whether the next letter begins a sentence that had a capital in the base."""
    edited: bool = False


def _pieces(
    text: str, edits: Sequence[Edit], protected: Sequence[Span], starts: set[int]
) -> list[_Piece]:
    """The base cut at edits, protected spans and sentence starts, the edits in their places."""
    cuts = {0, len(text), *starts}
    for low, high in protected:
        cuts |= {low, high}
    for edit in edits:
        cuts |= {edit.start, edit.end}
    bounds = sorted(cuts)
    removed = [edit for edit in edits if edit.end > edit.start]
    pieces: list[_Piece] = []
    for low, high in zip(bounds, [*bounds[1:], len(text)], strict=True):
        if low in starts and text[low : low + 1].isupper():
            pieces.append(_Piece("", opens=True))
        pieces += [_Piece(edit.text, edited=True) for edit in edits if edit.start == low]
        if low < high and not any(edit.start <= low < edit.end for edit in removed):
            inside = any(start <= low < end for start, end in protected)
            pieces.append(_Piece(text[low:high], protected=inside))
    return pieces


def _repair(pieces: Sequence[_Piece]) -> str:
    """The pieces joined: capitals at sentence starts, a or an by sound, no stray blanks."""
    out = ""
    capital = False
    near_edit = False
    for piece in pieces:
        capital = capital or piece.opens
        words = piece.text
        if not words:
            near_edit = near_edit or piece.edited
            continue
        if not piece.protected:
            if words[0] == " " and (not out or out[-1] == " "):
                words = words[1:]
            if words[:1] in (",", ".", "?", "!", ";"):
                out = out.rstrip(" ")
            if capital and words:
                words = words[0].upper() + words[1:]
        if words:
            if near_edit or piece.edited:
                out = _agree(out, words)
            capital = False
            near_edit = piece.edited
            out += words
    return out


def _agree(out: str, following: str) -> str:
    """The text so far with its last article made to fit the word that now follows it."""
    article = re.search(r"\b([Aa])n? $", out)
    if article is None or not following[0].isalpha():
        return out
    fitting = article.group(1) + ("n " if following[0].lower() in "aeiou" else " ")
    return out[: article.start()] + fitting


def _draw(seed: int, item: str, use: Applied) -> float:
    key = f"{seed}|{item}|{use.feature.ewave}|{use.start}".encode(errors="surrogatepass")
    return int.from_bytes(hashlib.sha256(key).digest()) / 2**256


def _place(use: Applied) -> tuple[int, int]:
    return use.start, use.feature.ewave


def _excluded(use: Applied, other: Applied) -> bool:
    numbers = {use.feature.ewave, other.feature.ewave}
    if numbers <= ONCE_A_REQUEST:
        return True
    return use.anchor == other.anchor and any(
        len(numbers & group) == 2 or (len(numbers) == 1 and numbers <= group)
        for group in EXCLUSIONS
    )


def _overlap(use: Applied, other: Applied) -> bool:
    return any(_clash(one, two) for one in use.edits for two in other.edits)


def _clash(one: Edit, two: Edit) -> bool:
    if one.start == one.end and two.start == two.end:
        return one.start == two.start
    if one.start == one.end or two.start == two.end:
        inner, outer = (one, two) if one.start == one.end else (two, one)
        return outer.start < inner.start < outer.end
    return one.start < two.end and two.start < one.end
