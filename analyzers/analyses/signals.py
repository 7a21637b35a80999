"""signals: what goes on between request and outcome."""

from __future__ import annotations

from collections.abc import Iterable

from analyzers.analysis import ANALYSES, Evidence, line_of
from analyzers.base import METRICS
from analyzers.panel import Field, Panel

SIGNALS = (
    "recall@5",
    "recall_any@5",
    "no_retrieval",
    "no_call",
    "read_without_write",
    "failed_to_act",
    "asked_back",
    "required_call_recall",
    "in_turn_call_recall",
    "call_precision",
    "missed_calls",
    "unsupported_actions",
    "failed_actions",
    "incorrect_action_rate",
    "unwanted_side_effects",
    "over_trigger",
    "bad_planning",
    "bad_call",
    "early_calls",
    "late_calls",
    "input_tokens",
    "output_tokens",
    "spans",
)


@ANALYSES.add("signals")
def signals(evidence: Evidence) -> Iterable[Panel]:
    """Every intermediate signal by condition: completeness beside unsupported action, and cost.

    Source:
        Lost in the Request, sections 5.2 and 5.4 and its table of intermediate signals.
    """
    for study in evidence.studies:
        comparison = study.comparison
        lines = []
        for name in SIGNALS:
            unit = METRICS.get(name).unit
            effects = [comparison.effect(name, condition) for condition in comparison.conditions]
            known = [effect for effect in effects if effect is not None and effect.n]
            for effect in known if any(e.moved for e in known) else ():
                lines.append(line_of(effect, unit))
        if lines:
            yield Panel(
                "signals",
                f"Signals on the way: {study.title}",
                (
                    Field("metric", "signal"),
                    Field("condition", "condition"),
                    Field("base", "base", "level"),
                    Field("variant", "value", "level"),
                    Field("difference", "diff", "change"),
                    Field("low", "95 % interval", "interval"),
                    Field("p", "p", "p"),
                    Field("n", "n", "count"),
                    Field("mark", ""),
                ),
                tuple(lines),
                ("signals that no condition changes are left out",),
            )
