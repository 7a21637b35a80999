"""verbs: does the wording keep the request's verb, and where?"""

from __future__ import annotations

from collections.abc import Iterable

from analyzers.analysis import ANALYSES, Evidence
from analyzers.panel import Field, Panel
from analyzers.verbs import retention_of


@ANALYSES.add("verbs")
def verbs(evidence: Evidence) -> Iterable[Panel]:
    """Shares of wordings whose main verb is the request's, has it elsewhere, or lost it.

    Source:
        Lost in the Request, section 5.1.
    """
    for study in evidence.studies:
        slots = study.block.notes.slots
        lines = []
        for condition in study.comparison.conditions:
            own = [slot for (_, name), slot in slots.items() if name == condition]
            found = retention_of(own)
            if found.n or found.unknown:
                lines.append(
                    {
                        "condition": condition,
                        "retained": found.retained,
                        "subordinate": found.subordinate,
                        "lost": found.lost,
                        "n": found.n,
                        "unknown": found.unknown,
                        "no_verb": found.no_verb,
                    }
                )
        if lines:
            yield Panel(
                "verbs",
                f"What becomes of the request's verb: {study.title}",
                (
                    Field("condition", "condition"),
                    Field("retained", "main verb", "level"),
                    Field("subordinate", "elsewhere", "level"),
                    Field("lost", "lost", "level"),
                    Field("n", "n", "count"),
                    Field("unknown", "not parsed", "count"),
                    Field("no_verb", "no verb", "count"),
                ),
                tuple(lines),
                ("wordings that were not parsed and requests without a verb are in no share",),
            )
