"""complexity: which kinds of item break most?"""

from __future__ import annotations

from collections.abc import Iterable

from analyzers.analysis import ANALYSES, Evidence, Study
from analyzers.item_table import ItemLine, item_table
from analyzers.panel import Field, Panel

LABELS = ("bin", "kind", "gold_length", "split", "domain")
"""Labels that say how complex an item is, whichever a suite has."""


@ANALYSES.add("complexity")
def complexity(evidence: Evidence) -> Iterable[Panel]:
    """Share of the slots right in the base that contrastive wordings break, by bin.

    Source:
        Lost in the Request, section 4.2.1 (4.26 % of 3-hop slots, 4.08 % of multi-question slots,
        1.62 % of simple ones); reference poles and dialects are counted apart.
    """
    for study in evidence.studies:
        known = study.block.labels.names()
        for label in [name for name in LABELS if name in known]:
            lines = list(_lines(study, label))
            if lines:
                yield Panel(
                    "complexity",
                    f"Slots right in the base that break, by {label}: {study.title}",
                    (
                        Field("bin", label),
                        Field("kind", "wordings"),
                        Field("broken_rate", "broken", "level"),
                        Field("broken", "broken slots", "count"),
                        Field("right", "slots right in base", "count"),
                        Field("items", "items", "count"),
                    ),
                    tuple(lines),
                )


def _lines(study: Study, label: str) -> Iterable[dict[str, object]]:
    comparison = study.comparison
    table = item_table(
        study.block.rows, baseline=comparison.baseline, conditions=comparison.conditions
    )
    of_item = study.block.labels.of(label)
    dialects = {name for name in comparison.conditions if name.startswith("dialect_")}
    references = study.subject.references
    kinds = {
        "contrastive": [c for c in comparison.conditions if c not in dialects | references],
        "dialect": [c for c in comparison.conditions if c in dialects],
        "reference": [c for c in comparison.conditions if c in references],
    }
    for value in sorted(set(of_item.values())):
        lines = [line for line in table.lines if of_item.get(line.item) == value]
        for kind, names in kinds.items():
            right, broken = broken_slots(lines, names)
            if right:
                yield {
                    "bin": value,
                    "kind": kind,
                    "broken_rate": broken / right,
                    "broken": broken,
                    "right": right,
                    "items": len(lines),
                }


def broken_slots(lines: Iterable[ItemLine], conditions: Iterable[str]) -> tuple[int, int]:
    """Slots whose item is right in the base, and how many of them are not right any more."""
    names = list(conditions)
    cells = [
        line.cells[name]
        for line in lines
        if line.base.status == "right"
        for name in names
        if line.cells[name].value is not None
    ]
    return len(cells), sum(cell.status != "right" for cell in cells)
