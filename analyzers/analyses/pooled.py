"""pooled: the dialects taken together, item by item."""

from __future__ import annotations

from collections.abc import Iterable

from analyzers.analysis import ANALYSES, Evidence, line_of
from analyzers.base import METRICS
from analyzers.panel import EFFECT_FIELDS, Field, Panel

_METRICS = ("recall@5", "answer_accuracy", "required_call_recall", "no_call", "call_f1", "success")


@ANALYSES.add("pooled")
def pooled(evidence: Evidence) -> Iterable[Panel]:
    """Mean over the dialects of an item's outcome, then a paired bootstrap over items.

    Source:
        Lost in the Request, section 4.2.1; the estimator is ours, because the paper does not say.
        McNemar does not apply to means.
    """
    for study in evidence.studies:
        names = study.dialects()
        metrics = [name for name in _METRICS if name in study.comparison.metrics]
        found = study.pooled(dict.fromkeys(names, "pooled dialect"), metrics) if names else []
        lines = tuple(line_of(e, METRICS.get(e.metric).unit) for e in found if e.n)
        if lines:
            yield Panel(
                "pooled",
                f"Pooled dialects ({len(names)}): {study.title}",
                (Field("metric", "metric"), *EFFECT_FIELDS),
                lines,
                (
                    "pooled over " + ", ".join(names),
                    "only items that were run in all of them; p from the bootstrap",
                ),
            )
