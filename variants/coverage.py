"""How much of a suite a dialect reaches: requests with a feature, features a request and a word."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tracer.records import Task
from variants.base import Span
from variants.features import DIALECTS, Dialect
from variants.parse import parse
from variants.parsed import Parsed
from variants.protect import protected_spans
from variants.transduce import Tier, transduce

TIERS: tuple[Tier, ...] = ("safe", "safe+guarded")


@dataclass(frozen=True, slots=True)
class Coverage:
    """What one dialect changes in a set of requests at density 1."""

    dialect: str
    tier: Tier
    requests: int
    reached: int
    """Requests with at least one feature."""
    features: int
    words: int
    """White-space words of all requests."""

    @property
    def share(self) -> float:
        """Reached requests over all requests."""
        return self.reached / self.requests if self.requests else 0.0

    @property
    def a_request(self) -> float:
        """Features over requests."""
        return self.features / self.requests if self.requests else 0.0

    @property
    def a_word(self) -> float:
        """Features over words."""
        return self.features / self.words if self.words else 0.0


def coverage(tasks: Iterable[Task], dialects: Iterable[str] = ()) -> list[Coverage]:
    """One row a dialect and tier, over the first turns of the tasks.

    Args:
        tasks: The items of a suite.
        dialects: Names of dialects; none means all.

    Source:
        Ours: Lost in the Request evaluates density 1 and gives no feature counts.
    """
    parsed: list[tuple[str, Parsed, tuple[Span, ...]]] = []
    for task in tasks:
        spans = protected_spans(task.text, task.protected)
        parsed.append((task.item, parse(task.text, spans), spans))
    return [
        _row(parsed, DIALECTS.get(name), tier)
        for name in dialects or DIALECTS.names()
        for tier in TIERS
    ]


def coverage_table(rows: Iterable[Coverage]) -> str:
    """The rows as a Markdown table, for the documentation."""
    lines = [
        "| dialect | tier | requests | with a feature | features a request | features a word |",
        "|---|---|---|---|---|---|",
    ]
    for row in rows:
        cells = [row.dialect, row.tier, str(row.requests), f"{100 * row.share:.1f} %"]
        cells += [f"{row.a_request:.2f}", f"{row.a_word:.3f}"]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _row(
    parsed: Iterable[tuple[str, Parsed, tuple[Span, ...]]], dialect: Dialect, tier: Tier
) -> Coverage:
    requests = reached = features = words = 0
    for item, one, spans in parsed:
        made = transduce(one, dialect, item=item, protected=spans, tier=tier)
        requests += 1
        reached += bool(made.applied)
        features += len(made.applied)
        words += len(one.text.split())
    return Coverage(dialect.name, tier, requests, reached, features, words)
