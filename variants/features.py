"""What a dialect feature is: where it may change a parsed text, who uses it, and its examples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from tracer.registry import Registry
from variants.parsed import Parsed, Token

EWAVE = "eWAVE 3.0 (ewave-atlas.org, ed. Kortmann, Lunkenheimer and Ehret, CC BY 3.0)"
"""Where numbers, names and attestations come from; the rules and their closed lists are ours."""
ATTESTED = ("A", "B", "C")
"""Pervasive; neither pervasive nor extremely rare; extremely rare."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A replacement of the characters from `start` to `end` of the base text."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Found:
    """One place where a feature applies: edits that stand or fall together."""

    anchor: int
    """Index of the noun or verb that the place belongs to, for exclusions."""
    edits: tuple[Edit, ...]

    @property
    def start(self) -> int:
        """Where the first edit begins."""
        return min(edit.start for edit in self.edits)


Finder: TypeAlias = Callable[[Parsed], Iterable[Found]]


@dataclass(frozen=True, slots=True)
class Feature:
    """A documented feature of varieties of English, with a rule that realises it."""

    ewave: int
    name: str
    find: Finder
    attested: Mapping[str, str]
    """Variety to eWAVE's letter; a variety that is not named does not use it."""
    examples: tuple[tuple[str, str], ...]
    """Base and result of this rule alone; each is a test."""
    guard: str = ""
    """What the rule can change beside the wording; empty for the safe tier."""

    @property
    def tier(self) -> str:
        """`safe`, or `guarded` when a reader must say that the intent is still the same."""
        return "guarded" if self.guard else "safe"

    @property
    def source(self) -> str:
        """The feature's place in the atlas."""
        return f"eWAVE 3.0, feature {self.ewave} (CC BY 3.0)"


@dataclass(frozen=True, slots=True)
class Dialect:
    """A variety of English as the list of its features, preferred ones first."""

    name: str
    variety: str
    """Name in eWAVE."""
    features: tuple[Feature, ...]

    def __post_init__(self) -> None:
        for feature in self.features:
            letter = feature.attested.get(self.name, "D")
            if letter not in ATTESTED:
                raise ValueError(
                    f"dialect {self.name!r}: feature {feature.ewave} is rated {letter} for it; "
                    "leave it out"
                )

    def letter(self, feature: Feature) -> str:
        """How strongly the variety uses a feature: A, B or C."""
        return feature.attested[self.name]


DIALECTS: Registry[Dialect] = Registry("dialect", "variants.dialects")


def delete(parsed: Parsed, token: Token) -> Edit:
    """The edit that takes a word out with one blank beside it.

    Example:
        >>> word = Token(0, 0, 3, "the", "the", "DT", "det", 1, 0)
        >>> delete(Parsed("the bid", (word,)), word)
        Edit(start=0, end=4, text='')
    """
    text, start, end = parsed.text, token.start, token.end
    if start and not text[start - 1].isspace():
        return Edit(start, end, "")
    if text[end : end + 1] == " ":
        return Edit(start, end + 1, "")
    if start and text[start - 1] == " ":
        return Edit(start - 1, end, "")
    return Edit(start, end, "")


def replace(token: Token, text: str) -> Edit:
    """The edit that puts another word in the place of a token; a capital first letter stays one."""
    if token.text[:1].isupper() and text:
        text = text[0].upper() + text[1:]
    return Edit(token.start, token.end, text)


def before(token: Token, word: str) -> Edit:
    """The edit that puts a word before a token."""
    return Edit(token.start, token.start, word + " ")


def after(token: Token, word: str) -> Edit:
    """The edit that puts a word after a token."""
    return Edit(token.end, token.end, " " + word)
