"""dose: does a denser dialect cost more?"""

from __future__ import annotations

from collections.abc import Iterable

from analyzers.analysis import ANALYSES, Evidence, Study, line_of
from analyzers.panel import EFFECT_FIELDS, Field, Panel
from tracer.records import Json

_METRICS = ("recall@5", "answer_accuracy", "required_call_recall", "success")


@ANALYSES.add("dose")
def dose(evidence: Evidence) -> Iterable[Panel]:
    """Effects of a dialect by the density of its features, with the features a request.

    Runs at several densities are named together: `analyze RUN_FULL RUN_HALF`. A density below 1 is
    part of the condition's name, such as `dialect_singapore@0.5`.

    Source:
        Ours: Lost in the Request names its single density, 1.0, as a limitation.
    """
    for study in evidence.studies:
        lines = tuple(dose_lines(study))
        if len({(line["dialect"], line["density"]) for line in lines}) > len(
            {line["dialect"] for line in lines}
        ):
            yield Panel(
                "dose",
                f"Dose and response: {study.title}",
                (
                    Field("metric", "metric"),
                    Field("dialect", "dialect"),
                    Field("density", "density", "number"),
                    Field("features", "features a request", "number"),
                    *EFFECT_FIELDS,
                ),
                lines,
                ("base is density 0; rule-based features, not speakers",),
            )


def dose_lines(study: Study) -> Iterable[dict[str, Json]]:
    """One line a metric, dialect and density, in the order of densities."""
    found = []
    for effect in study.comparison.effects:
        if effect.metric not in _METRICS or not effect.n:
            continue
        if not effect.condition.startswith("dialect_"):
            continue
        name, _, density = effect.condition.partition("@")
        slots = [
            slot
            for (_, condition), slot in study.block.notes.slots.items()
            if condition == effect.condition and slot.features is not None
        ]
        features = sum(slot.features or 0 for slot in slots) / len(slots) if slots else None
        found.append(
            line_of(
                effect,
                dialect=name.removeprefix("dialect_"),
                density=float(density or 1),
                features=features,
            )
        )
    return sorted(
        found, key=lambda line: (_METRICS.index(line["metric"]), line["dialect"], line["density"])
    )
