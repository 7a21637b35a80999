"""From traces to a long table with one row a trace and metric."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from analyzers.base import METRICS, Metric
from analyzers.redacted import REDACTED, hides_value
from analyzers.scoring import DEFAULT, Scoring
from tracer.records import Trace

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("run", "suite", "item", "cluster", "condition", "replicate", "metric", "value")


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """One value of one trace."""

    run: str
    suite: str
    item: str
    cluster: str
    condition: str
    replicate: int
    metric: str
    value: float | None
    reason: str = ""
    """Why there is no value."""
    numerator: float | None = None
    """For micro figures, where the metric has them."""
    denominator: float | None = None


def score(
    traces: Iterable[Trace],
    metrics: Sequence[str] | None = None,
    scoring: Scoring = DEFAULT,
) -> list[ScoreRow]:
    """One row for every trace and metric; each trace is read once and let go.

    Args:
        traces: Finished runs, graded or not.
        metrics: Names; all by default.
        scoring: How answers are compared, and what tokens cost.

    Raises:
        UnknownNameError: There is no such metric; the nearest names are offered.
    """
    chosen = [scoring.metric(name) for name in metrics or METRICS.names()]
    return [_row(trace, metric) for trace in traces for metric in chosen]


def _row(trace: Trace, metric: Metric) -> ScoreRow:
    request = trace.request
    value = metric.score(trace)
    parts = None if metric.parts is None else metric.parts(trace)
    return ScoreRow(
        run=trace.run,
        suite=request.suite,
        item=request.item,
        cluster=request.cluster,
        condition=request.condition,
        replicate=request.replicate,
        metric=metric.name,
        value=value,
        reason="" if value is not None else why_none(trace, metric),
        numerator=None if parts is None else parts[0],
        denominator=None if parts is None else parts[1],
    )


NOT_GRADED = "not graded: no gold for these traces (stagetrace grade adds it)"
GRADER_BROKE = "the grader broke"


def why_none(trace: Trace, metric: Metric) -> str:
    """Why the metric has no value for this trace, as a footnote says it."""
    if metric.stage != "cost":
        if trace.outcome is None:
            return NOT_GRADED
        if trace.outcome.grader_error is not None:
            return GRADER_BROKE
        if hides_value(trace, metric):
            return REDACTED
    return metric.undefined


def to_frame(rows: Iterable[ScoreRow]) -> pd.DataFrame:
    """The rows as a long pandas table; a missing value is NaN, never 0."""
    import pandas as pd

    table = [
        (r.run, r.suite, r.item, r.cluster, r.condition, r.replicate, r.metric, r.value)
        for r in rows
    ]
    return pd.DataFrame(table, columns=list(COLUMNS)).astype({"value": "float64"})


def from_frame(frame: pd.DataFrame) -> list[ScoreRow]:
    """The rows of a long table, such as `to_frame` gives; NaN becomes None.

    Raises:
        ValueError: A column is missing.
    """
    missing = [name for name in COLUMNS if name not in frame.columns]
    if missing:
        raise ValueError(f"score table: columns {missing!r} are missing; it needs {COLUMNS!r}")
    return [
        ScoreRow(run, suite, item, cluster, condition, int(replicate), metric, _known(value))
        for run, suite, item, cluster, condition, replicate, metric, value in frame[
            list(COLUMNS)
        ].itertuples(index=False, name=None)
    ]


def _known(value: float) -> float | None:
    return None if value is None or value != value else float(value)
