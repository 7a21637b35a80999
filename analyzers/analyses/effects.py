"""effects: condition x benchmark, each with its own outcome."""

from __future__ import annotations

from collections.abc import Iterable

from analyzers.analysis import ANALYSES, Evidence
from analyzers.panel import Field, Panel
from tracer.records import Json


@ANALYSES.add("effects")
def effects(evidence: Evidence) -> Iterable[Panel]:
    """The effect of every condition on the outcome of every suite, side by side.

    Source:
        Lost in the Request, table 2. Suites measure different things, so columns are never added.
    """
    studies = [study for study in evidence.studies if study.outcome]
    names = list(dict.fromkeys(c for study in studies for c in study.comparison.conditions))
    fields = [Field("condition", "condition")]
    for number, study in enumerate(studies):
        fields += [Field(f"d{number}", study.title, "change"), Field(f"m{number}", "")]
        fields += [Field(f"n{number}", "n", "count")]
    lines = []
    for name in names:
        line: dict[str, Json] = {"condition": name}
        for number, study in enumerate(studies):
            effect = study.comparison.effect(study.outcome, name)
            line[f"d{number}"] = None if effect is None else effect.difference
            line[f"m{number}"] = "" if effect is None else effect.mark
            line[f"n{number}"] = None if effect is None else effect.n
        lines.append(line)
    notes = tuple(f"{study.title}: {study.outcome}" for study in studies)
    yield Panel(
        "effects", "Effect on the outcome by suite (points)", tuple(fields), tuple(lines), notes
    )
