"""A report as one JSON document with full-precision shares."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict

from analyzers.base import METRICS
from analyzers.effect import Effect
from analyzers.report.tables import Report
from tracer.records import Json

FORMAT = "stagetrace.analysis/1"


def report_document(reports: Sequence[Report]) -> dict[str, Json]:
    """The document of all blocks; what does not exist is null, never 0."""
    names = sorted({name for report in reports for name in report.comparison.metrics})
    return {
        "format": FORMAT,
        "metrics": {name: _metric(name) for name in names},
        "blocks": [_block(report) for report in reports],
    }


def _metric(name: str) -> dict[str, Json]:
    metric = METRICS.get(name)
    return {
        "stage": metric.stage,
        "better": metric.better,
        "binary": metric.binary,
        "unit": metric.unit,
    }


def _block(report: Report) -> dict[str, Json]:
    subject, comparison = report.subject, report.comparison
    return {
        "subject": {**asdict(subject), "references": sorted(subject.references)},
        "baseline": comparison.baseline,
        "conditions": list(comparison.conditions),
        "items": dict(comparison.items),
        "common": dict(comparison.common),
        "runs_per_condition": comparison.runs,
        "resamples": comparison.resamples,
        "seed": comparison.seed,
        "levels": [_strict(asdict(found)) for found in comparison.levels],
        "effects": [_effect(effect) for effect in comparison.effects],
        "label": report.label or None,
        "groups": [_effect(effect) for effect in report.groups],
        "header": list(report.header),
        "verdicts": list(report.verdicts),
        "footer": list(report.footer),
        "next": list(report.next),
    }


def _effect(effect: Effect) -> dict[str, Json]:
    return {**_strict(asdict(effect)), "mark": effect.mark, "few": effect.few}


def _strict(record: dict[str, Json]) -> dict[str, Json]:
    """The record with NaN and infinities as null, which strict JSON cannot hold."""
    return {
        key: None if isinstance(value, float) and not math.isfinite(value) else value
        for key, value in record.items()
    }
