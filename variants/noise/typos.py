"""Typos: letters added, left out or replaced, one word in five."""

from __future__ import annotations

import hashlib
import random
import re
import string
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from tracer.registry import missing_extra
from variants.protect import merge, occurrences, protected_spans, texts, touches

Protect: TypeAlias = Literal["literals", "none"]

_OPERATIONS = ("add", "delete", "substitute")
_REDRAWS = 20


@dataclass(frozen=True, slots=True)
class _Word:
    """A word's letters as clusters of what a reader sees as one, with their place in the text."""

    start: int
    clusters: tuple[str, ...]

    @property
    def end(self) -> int:
        return self.start + sum(map(len, self.clusters))


def typos(
    text: str,
    *,
    item: str,
    seed: int = 0,
    probability: float = 0.2,
    protect: Protect = "literals",
    given: Iterable[str] = (),
) -> str | None:
    """The text with typos, never equal to `text`; None when no word may be touched.

    A probability of 0 asks for nothing, so it gives the text as it is.

    Args:
        text: A request.
        item: Id of the task; with the seed it fixes the draws, whatever else was drawn before.
        seed: Start of the draws.
        probability: Chance of a word to be hit, once at most.
        protect: `literals` leaves operative literals alone, `none` hits them as the paper does.
        given: Literals that the task names.

    Source:
        Out of Style, section 3.1: one of three operations with probability 0.2 a word. Uniform
        operations and places, kept case, protected literals and the forced edit are ours: an
        unprotected id or address would measure a wrong argument, not a reader.
    """
    if probability == 0.0:
        return text
    spans = protected_spans(text, given) if protect == "literals" else ()
    words = [word for word in _words(text) if not touches(word.start, word.end, spans)]
    if not words:
        return None
    kept = texts(text, merge(spans))
    for attempt in range(_REDRAWS):
        rng = _rng(seed, item, attempt)
        hit = [word for word in words if rng.random() < probability]
        damaged = _rewrite(text, [(word, _damage(word, rng)) for word in hit])
        if damaged != text and _same_literals(text, damaged, kept):
            return damaged
    longest = max(words, key=lambda word: (len(word.clusters), -word.start))
    for attempt in range(_REDRAWS, 2 * _REDRAWS):
        damaged = _rewrite(text, [(longest, _damage(longest, _rng(seed, item, attempt)))])
        if _same_literals(text, damaged, kept):
            return damaged
    return None


def _rng(seed: int, item: str, attempt: int) -> random.Random:
    key = f"{seed}|{item}|typos|{attempt}".encode(errors="surrogatepass")
    return random.Random(int.from_bytes(hashlib.sha256(key).digest()))


def released_typos(text: str, *, item: str, seed: int = 0, probability: float = 0.2) -> str:
    """The text as the second paper's script damages it, under a seed; it may come back unchanged.

    Tokens are cut in the manner of a treebank and joined by single blanks, so a blank stands
    before punctuation. Purely alphabetic tokens alone are hit; the new letter may be the old one.

    Args:
        text: A request.
        item: Id of the task.
        seed: Start of the draws; the script has none.
        probability: Chance of a token to be hit.

    Source:
        Out of Style, code release at 9da5447, query_rewriting/grammar_conversion.py.

    Example:
        >>> released_typos("Don't go, Kay.", item="x", probability=0.0)
        "Do n't go , Kay ."
    """
    rng = _rng(seed, item, 0)
    tokens = [
        _released(token, rng) if token.isalpha() and rng.random() < probability else token
        for token in _treebank(text)
    ]
    return " ".join(tokens)


def _treebank(text: str) -> list[str]:
    spaced = re.sub(r"([,:])(?!\d)|([;@#$%&?!()\[\]{}<>\"])", r" \g<0> ", text)
    spaced = re.sub(r"\.(?=[\"')\s]*$)", " . ", spaced)
    spaced = re.sub(r"(?i)(\w)(n't|'(?:s|m|d|re|ve|ll))\b", r"\1 \2", spaced)
    return spaced.split()


def _released(token: str, rng: random.Random) -> str:
    operation = rng.choice(("add", "substitute", "remove"))
    place = rng.randrange(len(token) + (operation == "add"))
    letter = rng.choice(string.ascii_lowercase)
    if operation == "add":
        return token[:place] + letter + token[place:]
    if len(token) < 2:
        return token
    return token[:place] + (letter if operation == "substitute" else "") + token[place + 1 :]


def _words(text: str) -> list[_Word]:
    """Each white-space word from its first to its last letter; words without are left out."""
    try:
        import regex
    except ImportError as error:
        raise missing_extra("regex", "variants", "making typos") from error
    words = []
    for match in regex.finditer(r"\S+", text):
        core = regex.search(r"\p{L}(?:.*\p{L})?\p{M}*", match.group(), regex.DOTALL)
        if core is not None:
            clusters = tuple(regex.findall(r"\X", core.group()))
            words.append(_Word(match.start() + core.start(), clusters))
    return words


def _damage(word: _Word, rng: random.Random) -> str:
    clusters = list(word.clusters)
    allowed = _OPERATIONS if len(clusters) > 1 else ("add", "substitute")
    operation = rng.choice(allowed)
    if operation == "add":
        place = rng.randrange(len(clusters) + 1)
        clusters.insert(place, rng.choice(string.ascii_lowercase))
    elif operation == "delete":
        del clusters[rng.randrange(len(clusters))]
    else:
        place = rng.randrange(len(clusters))
        old = clusters[place]
        new = rng.choice([letter for letter in string.ascii_lowercase if letter != old.lower()])
        clusters[place] = new.upper() if old.isupper() else new
    return "".join(clusters)


def _rewrite(text: str, replaced: list[tuple[_Word, str]]) -> str:
    for word, new in reversed(replaced):
        text = text[: word.start] + new + text[word.end :]
    return text


def _same_literals(base: str, damaged: str, kept: tuple[str, ...]) -> bool:
    """Whether no literal vanished or came into being, as "one" would from "on"."""
    return all(
        len(occurrences(base, literal, case=True)) == len(occurrences(damaged, literal, case=True))
        for literal in kept
    )
