"""dialects: each dialect's effect beside how many features it puts into a request."""

from __future__ import annotations

from collections.abc import Iterable

from analyzers.analysis import ANALYSES, EFFECT_FIELDS, Evidence, Field, Panel, Study, line_of
from tracer.records import Json

CREDIT = (
    "features from eWAVE 3.0 (ewave-atlas.org, ed. Kortmann, Lunkenheimer and Ehret, CC BY 3.0); "
    "rules are ours"
)


def features_a_request(study: Study, condition: str) -> tuple[float | None, float | None]:
    """Places that dialect features changed, a request on average, and the density asked for."""
    slots = [
        slot
        for (_, name), slot in study.block.notes.slots.items()
        if name == condition and slot.features is not None
    ]
    if not slots:
        return None, None
    densities = {slot.density for slot in slots}
    density = densities.pop() if len(densities) == 1 else None
    return sum(slot.features or 0 for slot in slots) / len(slots), density


def dialect_words(study: Study, condition: str) -> str:
    """How a dialect row reads: features of a variety, and no speakers of it.

    Source:
        Lost in the Request, section 2.1.2: stress tests, not samples of how people write.
    """
    name = condition.removeprefix("dialect_").partition("@")[0]
    variety = name.replace("_", " ").title()
    density = features_a_request(study, condition)[1]
    asked = "" if density is None else f", density {density:g}"
    return f"rule-based features of {variety} English{asked}, not speakers"


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
                    Field("words", "wording"),
                    Field("features", "features a request", "number"),
                    *EFFECT_FIELDS,
                ),
                tuple(lines),
                (CREDIT,),
            )
