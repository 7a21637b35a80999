"""What a block of tables is about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Subject:
    """The facts of the title lines; traces that differ down to `model_source` are never merged."""

    suite: str
    assistant: str = ""
    model: str = ""
    mode: str = ""
    data_version: str = ""
    schema_hash: str = ""
    retriever: str = ""
    model_source: str = ""
    baseline_program: bool = False
    """The model is a program and no language model."""
    seed: int | None = None
    runs: tuple[str, ...] = ()
    """Paths as given on the command line."""
    gold_scope: str = ""
    """Which calls the suite's gold lists: `all` or `writes`."""
    answer_matcher: str = ""
    scoring: str = ""
    """How answers are compared; empty where no answer is."""
    prices: str = ""
    """Price list and currency of `cost`."""
    spans_made: int | None = None
    spans_stored: int | None = None
    failed: Mapping[str, int] = field(default_factory=dict)
    """Condition to the number of runs that broke and have no score."""
    rejected: Mapping[str, int] = field(default_factory=dict)
    """Condition to the number of items without an admitted wording."""
    interrupted: Mapping[str, int] = field(default_factory=dict)
    references: frozenset[str] = frozenset()
    """Conditions that are reference poles: the control for any rewriting at all."""
