"""How each item fared in each condition, as signs and words, and which of its runs to look at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from analyzers.item_table import ItemCell, ItemTable, item_table
from analyzers.report.material import Material
from analyzers.report.tables import STAGES

Kind: TypeAlias = Literal["", "both", "induced", "mended"]
"""Neither, broken in the base too, broken by the wording, mended by it."""
Runs: TypeAlias = Mapping[int, float | None]
"""Run to verdict; None where nobody can tell."""

_GLYPHS = {
    "right": "●",
    "broken": "○",
    "some": "◐",
    "failed": "✕",
    "missing": "\u2013",
    "unknown": "\u2013",
}
_WORDS = {
    "right": "right",
    "broken": "broken",
    "some": "broken in some runs",
    "failed": "failed",
    "missing": "not run",
    "unknown": "no verdict",
}


@dataclass(frozen=True, slots=True)
class State:
    """One item in one condition."""

    status: str = "missing"
    runs: int = 0
    stage: str = ""
    """The first stage at which a metric is worse than in the base; empty where none is."""
    kind: Kind = ""
    differing: int = 0
    """Runs whose verdict differs from the same run of the base."""
    first_run: int = 0
    """The first of them, counted from 0; else the first that both conditions have."""

    @property
    def judged(self) -> bool:
        """Whether anybody can tell right from wrong."""
        return self.status in ("right", "broken", "some")

    @property
    def glyph(self) -> str:
        """The sign of the item table."""
        return _GLYPHS[self.status]

    @property
    def words(self) -> str:
        """The sign in words."""
        at = f" at {self.stage}" if self.stage else ""
        return _WORDS[self.status] + at

    @property
    def differs(self) -> bool:
        """Whether the base fared otherwise."""
        return self.kind in ("induced", "mended") or self.differing > 0


@dataclass(frozen=True, slots=True)
class Item:
    """One item over all conditions."""

    item: str
    base: State
    states: Mapping[str, State] = field(default_factory=dict)
    """By condition, the base left out."""
    broken: int = 0
    """Conditions with a lower outcome than the base."""

    @property
    def stage(self) -> str:
        """The earliest stage of harm over all conditions."""
        stages = {state.stage for state in self.states.values()}
        return next((stage for stage in STAGES if stage in stages), "")

    @property
    def kinds(self) -> list[str]:
        """The kinds that occur, for the filter."""
        return sorted({state.kind for state in self.states.values() if state.kind})


@dataclass(frozen=True, slots=True)
class Items:
    """All items, those broken under most conditions first, and which conditions break the same."""

    rows: tuple[Item, ...]
    table: ItemTable


def items_of(material: Material) -> Items:
    """All items of a block; where there is one condition, it stands as the base."""
    comparison = material.report.comparison
    baseline = comparison.baseline
    if not comparison.conditions:
        baseline = next((name for name, n in comparison.items.items() if n), baseline)
    found = item_table(
        material.rows,
        baseline=baseline,
        conditions=comparison.conditions,
        failed=material.failed,
    )
    verdicts = _verdicts(material, found.outcome)
    rows = [
        Item(
            line.item,
            _alone(line.base, verdicts.get((line.item, baseline), {})),
            {
                name: _beside(
                    line.base,
                    cell,
                    verdicts.get((line.item, baseline), {}),
                    verdicts.get((line.item, name), {}),
                )
                for name, cell in line.cells.items()
            },
            line.broken,
        )
        for line in found.lines
    ]
    # An item that failed in every condition has no score and still is an item.
    known = {row.item for row in rows}
    for item in sorted({item for item, _ in material.failed} - known):
        failed = {
            name: State("failed" if (item, name) in material.failed else "missing")
            for name in (baseline, *comparison.conditions)
        }
        rows.append(Item(item, failed.pop(baseline), failed))
    return Items(tuple(rows), found)


def _verdicts(material: Material, outcome: str) -> dict[tuple[str, str], dict[int, float | None]]:
    """Item and condition to the verdict of each run."""
    out: dict[tuple[str, str], dict[int, float | None]] = {}
    for row in material.rows:
        runs = out.setdefault((row.item, row.condition), {})
        if row.metric == outcome:
            runs[row.replicate] = row.value
        else:
            runs.setdefault(row.replicate, None)
    return out


def _alone(cell: ItemCell, runs: Runs) -> State:
    status = "unknown" if cell.status == "missing" and runs else cell.status
    return State(status, len(runs), first_run=min(runs, default=0))


def _beside(base: ItemCell, cell: ItemCell, base_runs: Runs, runs: Runs) -> State:
    common = sorted(base_runs.keys() & runs.keys())
    differing = [run for run in common if _differ(base_runs[run], runs[run])]
    return State(
        "unknown" if cell.status == "missing" and runs else cell.status,
        len(runs),
        cell.stage,
        _kind(base, cell),
        len(differing),
        next(iter([*differing, *common]), 0),
    )


def _differ(one: float | None, other: float | None) -> bool:
    return one is not None and other is not None and one != other


def _kind(base: ItemCell, cell: ItemCell) -> Kind:
    if base.value is None or cell.value is None:
        return ""
    if abs(cell.value - base.value) < 1e-12:
        return "both" if cell.status in ("broken", "some") else ""
    return "mended" if cell.value > base.value else "induced"
