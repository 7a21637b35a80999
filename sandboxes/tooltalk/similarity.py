"""How alike two texts are: a number that comes from outside, and a record of every comparison."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Protocol, cast

from tracer.records import Comparison, Json

if TYPE_CHECKING:
    from tracer.protocols import Embedder


class Similarity(Protocol):
    """Likeness of two texts: 1.0 for equal ones, lower for others."""

    def __call__(self, first: str, second: str) -> float:
        """The likeness."""
        ...


EQUAL_TEXTS = "equal texts"
"""Name of the similarity that stands in where none is handed in."""


def equal_texts(first: str, second: str) -> float:
    """1.0 for equal texts, else 0.0."""
    return float(first == second)


class EmbedderSimilarity:
    """Cosine of the vectors of two texts; each text is embedded once.

    Args:
        embedder: Makes the vectors.
    """

    def __init__(self, embedder: Embedder) -> None:
        self.name = embedder.name
        self._embedder = embedder
        self._vectors: dict[str, list[float]] = {}

    def __call__(self, first: str, second: str) -> float:
        """The cosine; equal texts have 1.0 whatever the rounding, a vector of zeros has 0.0."""
        if first == second:
            return 1.0
        left, right = self._vector(first), self._vector(second)
        length = math.sqrt(math.fsum(x * x for x in left) * math.fsum(y * y for y in right))
        dot = math.fsum(x * y for x, y in zip(left, right, strict=True))
        return dot / length if length else 0.0

    def _vector(self, text: str) -> list[float]:
        if text not in self._vectors:
            self._vectors[text] = [float(value) for value in self._embedder.embed([text])[0]]
        return self._vectors[text]


def name_of(similarity: Similarity) -> str:
    """What results call a similarity: its `name`, else the name of its function or class."""
    if similarity is equal_texts:
        return EQUAL_TEXTS
    name = getattr(similarity, "name", None) or getattr(similarity, "__name__", None)
    return str(name or type(similarity).__name__)


def from_part(part: Similarity | Embedder | None) -> Similarity:
    """An embedder's cosine, a function as it is; equality where there is neither."""
    if part is None:
        return equal_texts
    if hasattr(part, "embed"):
        return EmbedderSimilarity(cast("Embedder", part))
    return part


class Texts:
    """Compares texts for a grader and keeps every score.

    Args:
        similarity: Gives the scores.
    """

    def __init__(self, similarity: Similarity) -> None:
        self._similarity = similarity
        self.comparisons: list[Comparison] = []
        self.call = self.gold = 0
        """Indexes of the pair of calls that is being compared."""

    def alike(self, first: Json, second: Json, threshold: float, argument: str) -> bool:
        """Whether the score is at least the threshold; the order is that of the published code.

        A null in the first place scores 0.0.

        Raises:
            TypeError: Something is no text; so the published grader ends.
        """
        score = 0.0 if first is None else self._score(first, second)
        self.comparisons.append(Comparison(self.call, self.gold, argument, score, threshold))
        return score >= threshold

    def _score(self, first: Json, second: Json) -> float:
        for text in (first, second):
            if not isinstance(text, str):
                raise TypeError(f"similarity needs two texts, got {text!r:.80}")
        return float(self._similarity(first, second))
