"""baselines: the base over just the items that a condition has too."""

from __future__ import annotations

from collections.abc import Iterable

from analyzers.analysis import ANALYSES, Evidence, line_of
from analyzers.panel import EFFECT_FIELDS, Field, Panel


@ANALYSES.add("baselines")
def baselines(evidence: Evidence) -> Iterable[Panel]:
    """Items in common, matched baseline, value, interval and raw p of every condition.

    Source:
        Lost in the Request, table 7.
    """
    for study in evidence.studies:
        effects = [e for e in study.comparison.effects if e.metric == study.outcome]
        if effects:
            yield Panel(
                "baselines",
                f"Matched baselines, {study.outcome}: {study.title}",
                (Field("condition", "condition"), *EFFECT_FIELDS),
                tuple(line_of(effect) for effect in effects),
            )
