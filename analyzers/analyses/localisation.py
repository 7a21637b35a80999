"""localisation: is the document not found, or found and misread?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from analyzers.analysis import ANALYSES, Evidence, Study, line_of
from analyzers.compare import adjusted
from analyzers.effect import Effect
from analyzers.pairing import mean_of
from analyzers.panel import EFFECT_FIELDS, Field, Panel
from tracer.records import Json

RIGHT, FOUND = "answer_accuracy", "recall@5"
Values: TypeAlias = Mapping[str, Mapping[str, float | None]]
"""Condition to item to the mean over its runs."""


@ANALYSES.add("localisation")
def localisation(evidence: Evidence) -> Iterable[Panel]:
    """Retrieval failures against generation errors, and the items whose gold both sides retrieved.

    A retrieval failure has Recall@5 = 0; a generation error Recall@5 = 1 and a wrong answer. Where
    accuracy also falls over the items whose gold both sides retrieved, the loss is downstream of
    retrieval.

    Source:
        Lost in the Request, section 4.2.1.
    """
    for study in evidence.studies:
        if not {RIGHT, FOUND} <= set(study.comparison.metrics):
            continue
        recall, right = _values(study, FOUND), _values(study, RIGHT)
        baseline = study.comparison.baseline
        counted = [_counts(recall, right, baseline, name) for name in study.comparison.conditions]
        lines = [line for line in counted if line is not None]
        if not lines:
            continue
        yield Panel(
            "localisation.shares",
            f"Not found, or misread: {study.title}",
            (
                Field("condition", "condition"),
                Field("base_retrieval", "base not found", "level"),
                Field("retrieval", "not found", "level"),
                Field("base_generation", "base misread", "level"),
                Field("generation", "misread", "level"),
                Field("recall_difference", "recall", "change"),
                Field("accuracy_difference", "answer", "change"),
                Field("n", "n", "count"),
            ),
            tuple(lines),
            ("runs with a part of several gold documents are in neither share",),
        )
        both = gold_in_both(study)
        yield Panel(
            "localisation.gold_in_both",
            f"{RIGHT} where both sides retrieved the gold: {study.title}",
            (Field("condition", "condition"), *EFFECT_FIELDS),
            tuple(line_of(effect) for effect in both),
            ("a fall here is downstream of retrieval",),
        )


def gold_in_both(study: Study) -> list[Effect]:
    """Effects on the answer over the items whose Recall@5 is 1 in base and condition alike."""
    baseline = study.comparison.baseline
    recall = _values(study, FOUND)
    rows = [row for row in study.block.rows if row.metric == RIGHT]
    found = []
    for name in study.comparison.conditions:
        kept = {
            item
            for item, value in recall.get(baseline, {}).items()
            if value == 1 and recall.get(name, {}).get(item) == 1
        }
        part = [r for r in rows if r.item in kept and r.condition in (baseline, name)]
        found += study.measured(part, [name]) if part else []
    return adjusted(found)


def _values(study: Study, metric: str) -> Values:
    """Condition to item to the mean over its runs."""
    runs: dict[str, dict[str, list[float | None]]] = {}
    for row in study.block.rows:
        if row.metric == metric:
            runs.setdefault(row.condition, {}).setdefault(row.item, []).append(row.value)
    return {
        condition: {item: mean_of(values) for item, values in items.items()}
        for condition, items in runs.items()
    }


def _counts(recall: Values, right: Values, baseline: str, condition: str) -> dict[str, Json] | None:
    def complete(side: str) -> set[str]:
        return {
            item
            for item, value in recall.get(side, {}).items()
            if value is not None and right.get(side, {}).get(item) is not None
        }

    items = complete(baseline) & complete(condition)
    if not items:
        return None

    def share(side: str, fault: str) -> float:
        if fault == "retrieval":
            return sum(recall[side][item] == 0 for item in items) / len(items)
        wrong = [item for item in items if recall[side][item] == 1 and (right[side][item] or 0) < 1]
        return len(wrong) / len(items)

    def mean(of: Values, side: str) -> float:
        return sum(of[side][item] or 0.0 for item in items) / len(items)

    return {
        "condition": condition,
        "base_retrieval": share(baseline, "retrieval"),
        "retrieval": share(condition, "retrieval"),
        "base_generation": share(baseline, "generation"),
        "generation": share(condition, "generation"),
        "recall_difference": mean(recall, condition) - mean(recall, baseline),
        "accuracy_difference": mean(right, condition) - mean(right, baseline),
        "n": len(items),
    }
