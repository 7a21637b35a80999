"""verbosity: does more padding around the request cost more?"""

from __future__ import annotations

from collections.abc import Iterable

from analyzers.analysis import ANALYSES, Evidence, line_of
from analyzers.padding import by_quartile
from analyzers.panel import EFFECT_FIELDS, Field, Panel

_METRICS = ("recall@5", "answer_accuracy", "required_call_recall", "success")


@ANALYSES.add("verbosity")
def verbosity(evidence: Evidence) -> Iterable[Panel]:
    """Every condition by quartile of padding: words of the wording over words of the original.

    Quartiles are by rank with equal counts, ties by item.

    Source:
        Lost in the Request, section 4.2.1; words separated by blanks, and ranks: ours.
    """
    for study in evidence.studies:
        names = [name for name in _METRICS if name in study.comparison.metrics]
        for name in names:
            lines = []
            for effect, low, high in by_quartile(study, name):
                lines.append(
                    line_of(effect, quartile=effect.group, padding=f"{low:.2f} to {high:.2f}")
                )
            if any(line["n"] for line in lines):
                yield Panel(
                    "verbosity",
                    f"{name} by padding quartile: {study.title}",
                    (
                        Field("condition", "condition"),
                        Field("quartile", "quartile"),
                        Field("padding", "words / words"),
                        *EFFECT_FIELDS,
                    ),
                    tuple(lines),
                    ("quartile 1 is the least padded quarter of the items, by rank",),
                )
