"""curves: Recall@k for k = 5, 10, 20, 100."""

from __future__ import annotations

from collections.abc import Iterable

from analyzers.analysis import ANALYSES, Evidence, Study
from analyzers.panel import Field, Panel
from analyzers.ranking import CURVE
from analyzers.statistics.relative import relative_drop
from tracer.records import Json

FAMILIES = ("recall", "hit_by_answer")


@ANALYSES.add("curves")
def curves(evidence: Evidence) -> Iterable[Panel]:
    """Base, value, paired difference and relative drop at each k, by condition.

    Source:
        Out of Style, tables 8 to 11 and section 5.1; the sign of the drop, which its tables leave
        out, is kept: positive is a loss.
    """
    for study in evidence.studies:
        for family in FAMILIES:
            lines = tuple(curve_lines(study, family))
            if lines:
                yield Panel(
                    "curves",
                    f"{family}@k: {study.title}",
                    (
                        Field("condition", "condition"),
                        Field("k", "k", "count"),
                        Field("base", "base", "level"),
                        Field("variant", "value", "level"),
                        Field("difference", "diff", "change"),
                        Field("low", "95 % interval", "interval"),
                        Field("drop", "drop %", "percent"),
                        Field("n", "n", "count"),
                        Field("mark", ""),
                    ),
                    lines,
                    _notes(study),
                )


def curve_lines(study: Study, family: str) -> Iterable[dict[str, Json]]:
    """The points of the curves of one metric, one line a condition and k."""
    for condition in study.comparison.conditions:
        for k in CURVE:
            effect = study.comparison.effect(f"{family}@{k}", condition)
            if effect is None or effect.base is None or effect.variant is None:
                continue
            yield {
                "condition": condition,
                "k": k,
                "base": effect.base,
                "variant": effect.variant,
                "difference": effect.difference,
                "low": effect.low,
                "low_high": effect.high,
                "drop": relative_drop(effect.base, effect.variant),
                "n": effect.n,
                "mark": effect.mark,
            }


def longest_list(study: Study) -> int:
    """Documents in the longest list that a reader was shown."""
    return max((fact.listed or 0 for fact in study.block.notes.facts), default=0)


def _notes(study: Study) -> tuple[str, ...]:
    longest = longest_list(study)
    if longest >= max(CURVE):
        return ()
    return (f"lists end at {longest} documents: larger k add nothing (run --top-k)",)
