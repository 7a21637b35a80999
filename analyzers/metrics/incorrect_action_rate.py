"""incorrect_action_rate: what share of the writes was wrong?"""

from __future__ import annotations

from analyzers.base import metric
from analyzers.call_counts import counts_of
from tracer.records import Trace


def _parts(trace: Trace) -> tuple[float, float] | None:
    counts = counts_of(trace)
    return None if counts is None else (counts.unsupported, counts.writes)


@metric(
    "incorrect_action_rate",
    stage="act",
    better="lower",
    parts=_parts,
    undefined="the suite lists no gold calls",
)
def incorrect_action_rate(trace: Trace) -> float | None:
    """Unsupported writes over writes made, 0.0 when nothing was written.

    Source:
        ToolTalk's bad_action_rate; a failed write counts below the line only.
    """
    counts = counts_of(trace)
    return None if counts is None else counts.incorrect_action_rate()
