"""models: the same condition in every model and system."""

from __future__ import annotations

from collections.abc import Iterable

from analyzers.analysis import ANALYSES, Evidence
from analyzers.panel import Field, Panel
from tracer.records import Json


@ANALYSES.add("models")
def models(evidence: Evidence) -> Iterable[Panel]:
    """Model x system: in how many cells a condition lowers the outcome, and clearly so.

    Source:
        Lost in the Request, table 3 and section 4.3.
    """
    studies = [study for study in evidence.studies if study.outcome]
    if len(studies) < 2:
        return
    systems = list(
        dict.fromkeys(_system(study.subject.suite, study.subject.assistant) for study in studies)
    )
    names = list(dict.fromkeys(c for study in studies for c in study.comparison.conditions))
    lines = []
    for condition in names:
        for model in dict.fromkeys(study.subject.model for study in studies):
            line: dict[str, Json] = {"condition": condition, "model": model}
            for study in studies:
                if study.subject.model != model:
                    continue
                number = systems.index(_system(study.subject.suite, study.subject.assistant))
                effect = study.comparison.effect(study.outcome, condition)
                if effect is not None:
                    line[f"d{number}"] = effect.difference
                    line[f"m{number}"] = effect.mark
                    line[f"n{number}"] = effect.n
            lines.append(line)
    fields = [Field("condition", "condition"), Field("model", "model")]
    for number, system in enumerate(systems):
        fields += [Field(f"d{number}", system, "change"), Field(f"m{number}", "")]
        fields += [Field(f"n{number}", "n", "count")]
    yield Panel(
        "models.cells",
        "Effect on the outcome by model and system (points)",
        tuple(fields),
        tuple(lines),
    )
    yield Panel(
        "models.counts",
        "In how many cells a condition lowers the outcome",
        (
            Field("condition", "condition"),
            Field("negative", "lower", "count"),
            Field("clear", "clearly lower", "count"),
            Field("cells", "cells", "count"),
        ),
        tuple(_count(lines, condition, len(systems)) for condition in names),
    )


def _system(suite: str, assistant: str) -> str:
    return f"{suite} {assistant}"


def _count(lines: Iterable[dict[str, Json]], condition: str, systems: int) -> dict[str, Json]:
    cells = [
        (line[f"d{number}"], line[f"m{number}"])
        for line in lines
        if line["condition"] == condition
        for number in range(systems)
        if line.get(f"d{number}") is not None
    ]
    lower = [mark for difference, mark in cells if difference < 0]
    return {
        "condition": condition,
        "negative": len(lower),
        "clear": sum(mark == "*" for mark in lower),
        "cells": len(cells),
    }
