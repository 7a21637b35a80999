"""What a metric and a statistic are, and where they are filed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from tracer.records import Trace
from tracer.registry import Registry

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Stage: TypeAlias = Literal["retrieval", "answer", "call", "act", "outcome", "cost"]
Score: TypeAlias = Callable[[Trace], float | None]
Parts: TypeAlias = Callable[[Trace], tuple[float, float] | None]


@dataclass(frozen=True, slots=True)
class Metric:
    """One number a trace."""

    name: str
    score: Score
    """None where the metric does not apply or cannot be known; never 0 for that."""
    stage: Stage
    better: Literal["higher", "lower", "neither"]
    binary: bool = False
    """True when a single run scores 0 or 1, so that exact McNemar applies."""
    unit: str = "share"
    """`share` in [0, 1], or the unit: tokens, ms, spans, calls."""
    undefined: str = "not available"
    """Why a graded trace has no value, as a footnote says it: `no gold write`."""
    parts: Parts | None = None
    """Numerator and denominator of the value, for the micro figure that sums both over traces."""


METRICS: Registry[Metric] = Registry("metric", "analyzers.metrics")


def metric(
    name: str,
    *,
    stage: Stage,
    better: Literal["higher", "lower", "neither"],
    binary: bool = False,
    unit: str = "share",
    undefined: str = "not available",
    parts: Parts | None = None,
) -> Callable[[Score], Score]:
    """A decorator that files a function from a trace to a number, or None, as a metric."""

    def file(score: Score) -> Score:
        METRICS.add(name)(Metric(name, score, stage, better, binary, unit, undefined, parts))
        return score

    return file


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """One condition beside the base in one metric, item by item; runs are averaged already."""

    base: npt.NDArray[np.float64]
    variant: npt.NDArray[np.float64]
    clusters: Sequence[str]
    """The cluster of each item; its own id where it has none."""
    binary: bool
    """Every item ran once and scores 0 or 1."""
    resamples: int = 10_000
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Finding:
    """What a statistic says of a sample."""

    difference: float
    """Variant minus base, as the statistic sees it: over items, or over clusters."""
    low: float | None = None
    high: float | None = None
    p: float | None = None


Statistic: TypeAlias = Callable[[Sample], Finding | None]
"""None where it does not apply: McNemar to means, an interval to one item."""

STATISTICS: Registry[Statistic] = Registry("statistic", "analyzers.statistics")
