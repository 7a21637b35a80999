"""dialects: each dialect's effect beside how many features it puts into a request."""

from __future__ import annotations

from collections.abc import Iterable

from analyzers.about import CREDIT, dialect_words, features_a_request
from analyzers.analysis import ANALYSES, Evidence, line_of
from analyzers.panel import EFFECT_FIELDS, Field, Panel
from tracer.records import Json


@ANALYSES.add("dialects")
def dialects(evidence: Evidence) -> Iterable[Panel]:
    """Every dialect's effect on the outcome with the features a request.

    Source:
        Lost in the Request, section 5.3 and its limitations (density 1.0 is a worst case).
    """
    for study in evidence.studies:
        lines: list[dict[str, Json]] = []
        for effect in study.comparison.effects:
            if effect.metric != study.outcome or not effect.condition.startswith("dialect_"):
                continue
            features, density = features_a_request(study, effect.condition)
            lines.append(
                line_of(
                    effect,
                    words=dialect_words(study, effect.condition),
                    features=features,
                    density=density,
                )
            )
        if lines:
            yield Panel(
                "dialects",
                f"Dialects, {study.outcome}: {study.title}",
                (
                    Field("condition", "dialect"),
                    Field("features", "features a request", "number"),
                    *EFFECT_FIELDS,
                ),
                tuple(lines),
                (*(f"{line['condition']}: {line['words']}" for line in lines), CREDIT),
            )
