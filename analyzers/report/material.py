"""What the HTML report is made of: finished tables, scores by item, and facts of the runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from analyzers.effect import Effect
from analyzers.report.grid import Grid
from analyzers.report.tables import Report
from analyzers.score import ScoreRow
from tracer.records import Json


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What is known of one run folder or file beside its traces."""

    path: str
    """As given on the command line."""
    manifest: Mapping[str, Json] = field(default_factory=dict)
    """Empty for a file of traces."""
    digests: Mapping[str, str] = field(default_factory=dict)
    """File name to SHA-256."""


@dataclass(frozen=True, slots=True)
class Breakdown:
    """Effects within each value of a label or bin."""

    label: str
    effects: Sequence[Effect]
    ordered: bool = False
    """The values stand on a scale, so that a curve may be drawn over them."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Material:
    """Everything that is shown of one block."""

    report: Report
    rows: Sequence[ScoreRow]
    axes: Mapping[str, str] = field(default_factory=dict)
    """Condition to axis."""
    breakdowns: Sequence[Breakdown] = ()
    panels: Sequence[Grid] = ()
    """Finished tables of analyses."""
    failed: frozenset[tuple[str, str]] = frozenset()
    """Items and conditions of runs that broke and have no score."""
    runs: Sequence[RunFacts] = ()
    warnings: Mapping[str, int] = field(default_factory=dict)
    """What reading noted, with the number of traces."""
