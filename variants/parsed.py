"""A parsed request as plain records: rules need no parser and run from stored parses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from tracer.records import Json


@dataclass(frozen=True, slots=True)
class Token:
    """One word, or one protected span, in a request."""

    index: int
    start: int
    end: int
    text: str
    lemma: str
    tag: str
    """Penn Treebank tag."""
    dep: str
    """Label of the arc to the head in spaCy's English scheme; `ROOT` for a sentence's head."""
    head: int
    """Index of the head; its own index for a root."""
    sentence: int
    protected: bool = False

    @property
    def lower(self) -> str:
        """The word in lower case."""
        return self.text.lower()


@dataclass(frozen=True, slots=True)
class Parsed:
    """A request with its tokens in order."""

    text: str
    tokens: tuple[Token, ...]

    def head(self, token: Token) -> Token:
        """The token that `token` hangs on."""
        return self.tokens[token.head]

    def children(self, token: Token, *deps: str) -> list[Token]:
        """The direct dependents in order, of these labels when any are named."""
        return [
            other
            for other in self.tokens
            if other.head == token.index
            and other.index != token.index
            and (not deps or other.dep in deps)
        ]

    def child(self, token: Token, *deps: str) -> Token | None:
        """The first dependent of one of these labels."""
        return next(iter(self.children(token, *deps)), None)

    def subtree(self, token: Token) -> list[Token]:
        """The token with all that hangs below it, in order."""
        below = {token.index}
        grown = True
        while grown:
            more = {t.index for t in self.tokens if t.head in below} - below
            below |= more
            grown = bool(more)
        return [self.tokens[index] for index in sorted(below)]

    def sentences(self) -> list[list[Token]]:
        """The tokens sentence by sentence."""
        groups: dict[int, list[Token]] = {}
        for token in self.tokens:
            groups.setdefault(token.sentence, []).append(token)
        return list(groups.values())

    def sentence_of(self, token: Token) -> list[Token]:
        """The tokens of the sentence that `token` stands in."""
        return [other for other in self.tokens if other.sentence == token.sentence]

    def next(self, token: Token) -> Token | None:
        """The token after this one in the same sentence."""
        return self._beside(token, 1)

    def previous(self, token: Token) -> Token | None:
        """The token before this one in the same sentence."""
        return self._beside(token, -1)

    def root(self, sentence: list[Token]) -> Token:
        """The head of a sentence."""
        return next((token for token in sentence if token.dep == "ROOT"), sentence[0])

    def _beside(self, token: Token, step: int) -> Token | None:
        index = token.index + step
        if not 0 <= index < len(self.tokens) or self.tokens[index].sentence != token.sentence:
            return None
        return self.tokens[index]


def to_json(parsed: Parsed) -> Json:
    """The parse as JSON values, to be stored beside tests."""
    return {
        "text": parsed.text,
        "tokens": [list(asdict(token).values()) for token in parsed.tokens],
    }


def from_json(document: Mapping[str, Json]) -> Parsed:
    """The parse that `to_json` stored.

    Example:
        >>> parse = Parsed("Go", (Token(0, 0, 2, "Go", "go", "VB", "ROOT", 0, 0),))
        >>> from_json(to_json(parse)) == parse
        True
    """
    return Parsed(document["text"], tuple(Token(*fields) for fields in document["tokens"]))
