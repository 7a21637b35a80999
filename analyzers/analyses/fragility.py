"""fragility: how often each condition breaks what was right, and mends what was wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from analyzers.analysis import ANALYSES, Evidence
from analyzers.item_table import item_table
from analyzers.panel import Field, Panel


@ANALYSES.add("fragility")
def fragility(evidence: Evidence) -> Iterable[Panel]:
    """Broken, mended and persistently wrong items by condition; items by how often they break.

    Source:
        Lost in the Request, appendix (error and fragility profiles, tables 8 and 9).
    """
    for study in evidence.studies:
        comparison = study.comparison
        table = item_table(
            study.block.rows, baseline=comparison.baseline, conditions=comparison.conditions
        )
        lines = []
        for name in table.conditions:
            pairs = [
                (line.base.value, line.cells[name].value)
                for line in table.lines
                if line.base.value is not None and line.cells[name].value is not None
            ]
            right = sum(base == 1 for base, _ in pairs)
            broken = sum(base == 1 and (value or 0) < 1 for base, value in pairs)
            if pairs:
                lines.append(
                    {
                        "condition": name,
                        "broken_rate": broken / right if right else None,
                        "broken": broken,
                        "right": right,
                        "mended": sum((base or 0) < 1 and value == 1 for base, value in pairs),
                        "persistent": sum(
                            (base or 0) < 1 and (value or 0) < 1 for base, value in pairs
                        ),
                        "n": len(pairs),
                    }
                )
        if not lines:
            continue
        yield Panel(
            "fragility.conditions",
            f"Fragility by condition, {table.outcome}: {study.title}",
            (
                Field("condition", "condition"),
                Field("broken_rate", "broken of right", "level"),
                Field("broken", "broken", "count"),
                Field("right", "right in base", "count"),
                Field("mended", "mended", "count"),
                Field("persistent", "wrong in both", "count"),
                Field("n", "n", "count"),
            ),
            tuple(lines),
        )
        often = Counter(line.broken for line in table.lines if line.base.value is not None)
        yield Panel(
            "fragility.items",
            f"Items by the number of conditions that break them: {study.title}",
            (Field("conditions", "conditions", "count"), Field("items", "items", "count")),
            tuple({"conditions": number, "items": often[number]} for number in sorted(often)),
        )
