"""What a metric is, and where metrics are filed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from tracer.records import Trace
from tracer.registry import Registry

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
