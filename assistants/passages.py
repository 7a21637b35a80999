"""Passages of long documents, and rankings of documents out of scores and other rankings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tracer.records import Passage

OVERLAP_TOKENS = 32
"""Tokens that two neighbouring passages share, so that no sentence is only seen in halves."""
RANK_CONSTANT = 60
FUSED_DEPTH = 100
"""Documents of each ranking that is fused, whatever k is, so that the first k stay the same."""
Offsets = Callable[[str], Sequence[tuple[int, int]]]
"""Text to start and end of each of its tokens."""


def split(text: str, offsets: Offsets, most: int, overlap: int = OVERLAP_TOKENS) -> list[str]:
    r"""The text in pieces of at most `most` tokens, cut between words where it can be.

    Every character stands in a piece. A text that fits comes back as it is.

    Args:
        text: What is to be encoded.
        offsets: The encoder's tokeniser.
        most: Tokens of one piece, without the marks of start and end.
        overlap: Tokens that a piece repeats of the one before.

    Example:
        >>> import re
        >>> split("a b c d e", lambda t: [m.span() for m in re.finditer(r"\w", t)], 3, 1)
        ['a b c ', 'c d e']
    """
    tokens = offsets(text)
    if len(tokens) <= most:
        return [text]
    pieces = []
    first = 0
    while True:
        last = min(first + most, len(tokens))
        if last < len(tokens):
            last = _between_words(text, tokens, first, last)
        start = tokens[first][0] if first else 0
        pieces.append(text[start : tokens[last][0] if last < len(tokens) else len(text)])
        if last == len(tokens):
            return pieces
        after = _between_words(text, tokens, first, max(last - overlap, first + 1))
        first = after if first < after < last else last


def _between_words(text: str, tokens: Sequence[tuple[int, int]], first: int, last: int) -> int:
    """The nearest place at or before `last` where a word begins; `last` when there is none."""
    for place in range(last, first + (last - first) // 2, -1):
        if place and text[tokens[place][0] - 1].isspace():
            return place
    return last


@dataclass(frozen=True, slots=True)
class Pieces:
    """The passages of some documents, in the order of the documents' ids."""

    documents: Mapping[str, str]
    texts: list[str]
    owners: list[str]
    """Id of the document that each passage is of."""

    @classmethod
    def of(cls, documents: Mapping[str, str], cut: Callable[[str], list[str]]) -> Pieces:
        """The documents, each cut by `cut`."""
        pairs = [
            (piece, doc_id) for doc_id in sorted(documents) for piece in cut(documents[doc_id])
        ]
        return cls(documents, [text for text, _ in pairs], [owner for _, owner in pairs])

    def ranked(
        self, scores: Sequence[float], k: int, *, least: float | None = None
    ) -> list[Passage]:
        """The first `k` documents by their best passage, ties by id.

        Args:
            scores: One a passage.
            k: At most so many.
            least: Only scores above it count as found.
        """
        best: dict[str, float] = {}
        for owner, score in zip(self.owners, scores, strict=True):
            if least is None or score > least:
                best[owner] = max(score, best.get(owner, score))
        order = sorted(best, key=lambda doc_id: (-best[doc_id], doc_id))
        return [Passage(doc_id, best[doc_id], self.documents[doc_id]) for doc_id in order[:k]]


def fuse(rankings: Sequence[Sequence[Passage]]) -> list[Passage]:
    """All documents of some rankings by the sum of 1 / (60 + rank), ties by id.

    Source:
        Cormack, Clarke and Buettcher 2009, reciprocal rank fusion, with their constant of 60.

    Example:
        >>> a, b, c = (Passage(name, 1.0) for name in "abc")
        >>> [passage.doc_id for passage in fuse([[a, b], [c, b]])]
        ['b', 'a', 'c']
    """
    scores: dict[str, float] = defaultdict(float)
    texts: dict[str, str | None] = {}
    for ranking in rankings:
        for rank, passage in enumerate(ranking, start=1):
            scores[passage.doc_id] += 1.0 / (RANK_CONSTANT + rank)
            texts[passage.doc_id] = passage.text
    order = sorted(scores, key=lambda doc_id: (-scores[doc_id], doc_id))
    return [Passage(doc_id, scores[doc_id], texts[doc_id]) for doc_id in order]


def at_least_one(k: int, name: str) -> None:
    """Refuse to look for nothing.

    Raises:
        ValueError: `k` is below 1.
    """
    if k < 1:
        raise ValueError(f"{name}: k is {k}; ask for at least 1 document")
