"""cost: what did the run's tokens cost?"""

from __future__ import annotations

from analyzers.base import metric
from tracer.records import Trace


@metric("cost", stage="cost", better="lower", unit="currency", undefined="no prices given")
def cost(trace: Trace) -> float | None:
    """Price of the tokens of all model calls, by the list given with `--prices`; else nothing.

    Source:
        Ours: no price is built in, because prices change and differ by contract.
    """
    return None
