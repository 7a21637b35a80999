"""read_without_write: looked, and then did not act."""

from __future__ import annotations

from analyzers.base import metric
from analyzers.call_counts import counts_of
from tracer.records import Trace


@metric(
    "read_without_write",
    stage="call",
    better="lower",
    binary=True,
    undefined="no gold write",
)
def read_without_write(trace: Trace) -> float | None:
    """1.0 when a write was wanted and only reads were made; None when no write was wanted.

    Source:
        Lost in the Request, section 5; the denominator is ours: items whose gold has a write.
    """
    counts = counts_of(trace)
    return None if counts is None else counts.read_without_write()
