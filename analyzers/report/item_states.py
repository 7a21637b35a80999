"""How each item fared in each condition: right or broken, and at which stage harm came first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from analyzers.base import METRICS
from analyzers.pairing import mean_of
from analyzers.report.material import Material
from analyzers.report.tables import STAGES
from analyzers.score_table import Table

Kind: TypeAlias = Literal["", "both", "induced", "mended"]
"""Neither, broken in the base too, broken by the wording, right only in the wording."""

VERDICTS = ("success", "answer_accuracy")
"""What says that an item is right; the first of which it has a value."""
_ENOUGH = 1e-12


@dataclass(frozen=True, slots=True)
class State:
    """One item in one condition."""

    value: float | None
    """Mean verdict over the runs; None when nobody can tell."""
    runs: int = 0
    failed: bool = False
    stage: str = ""
    """The first stage at which a metric is worse than in the base; empty where none is."""
    kind: Kind = ""
    differing: int = 0
    """Runs whose verdict differs from the same run of the base."""
    first_run: int = 0
    """The first of them, counted from 0; else the first that both conditions have."""

    @property
    def glyph(self) -> str:
        """The sign of the item table."""
        if self.failed and not self.runs:
            return "✕"
        if self.value is None:
            return "\u2013"
        return "●" if self.value >= 1 else "○" if self.value <= 0 else "◐"

    @property
    def words(self) -> str:
        """The sign in words."""
        if self.failed and not self.runs:
            return "failed"
        if not self.runs:
            return "not run"
        if self.value is None:
            return "no verdict"
        if self.value >= 1:
            return f"right, harm at {self.stage}" if self.stage else "right"
        at = f" at {self.stage}" if self.stage else ""
        return f"broken{at}" if self.value <= 0 else f"broken in some runs{at}"

    @property
    def broken(self) -> bool:
        """Whether any run went wrong."""
        return self.value is not None and self.value < 1

    @property
    def differs(self) -> bool:
        """Whether the base fared otherwise: another verdict, or harm at some stage."""
        return self.kind in ("induced", "mended") or bool(self.stage) or self.differing > 0


@dataclass(frozen=True, slots=True)
class Item:
    """One item over all conditions."""

    item: str
    base: State
    states: Mapping[str, State] = field(default_factory=dict)
    """By condition, the base left out."""

    @property
    def broken(self) -> int:
        """Conditions in which it is broken."""
        return sum(state.broken for state in self.states.values())

    @property
    def stage(self) -> str:
        """The earliest stage of harm over all conditions."""
        stages = {state.stage for state in self.states.values()}
        return next((stage for stage in STAGES if stage in stages), "")

    @property
    def kinds(self) -> list[str]:
        """The kinds that occur, for the filter."""
        return sorted({state.kind for state in self.states.values() if state.kind})


def items_of(material: Material) -> list[Item]:
    """All items, those broken under most conditions first, then by id.

    Harm is looked for in the metrics that the report shows, stage by stage.
    """
    comparison = material.report.comparison
    table = Table.of(material.rows)
    verdicts = _verdicts(material)
    metrics = [
        name
        for name in _by_stage(material.report.metrics)
        if METRICS.get(name).better != "neither" and name in table.values
    ]
    known = {row.item for row in material.rows} | {item for item, _ in material.failed}
    items = []
    for item in sorted(known):
        base = _state(item, comparison.baseline, verdicts, material.failed)
        states = {}
        for condition in comparison.conditions:
            state = _state(item, condition, verdicts, material.failed)
            runs = (
                verdicts.get((item, comparison.baseline), {}),
                verdicts.get((item, condition), {}),
            )
            stage = _first_harm(table, metrics, item, comparison.baseline, condition)
            states[condition] = _against(base, state, stage, *runs)
        items.append(Item(item, base, states))
    return sorted(items, key=lambda one: (-one.broken, one.item))


def _by_stage(metrics: Iterable[str]) -> list[str]:
    found = [name for name in metrics if METRICS.get(name).stage != "cost"]
    return sorted(found, key=lambda name: STAGES.index(METRICS.get(name).stage))


def _verdicts(material: Material) -> dict[tuple[str, str], dict[int, float | None]]:
    """Item and condition to the verdict of each run; a run without one has None."""
    out: dict[tuple[str, str], dict[int, float | None]] = {}
    ranks: dict[tuple[str, str, int], int] = {}
    for row in material.rows:
        runs = out.setdefault((row.item, row.condition), {})
        runs.setdefault(row.replicate, None)
        if row.metric not in VERDICTS or row.value is None:
            continue
        rank, key = VERDICTS.index(row.metric), (row.item, row.condition, row.replicate)
        if rank <= ranks.get(key, len(VERDICTS)):
            ranks[key] = rank
            runs[row.replicate] = row.value
    return out


def _state(
    item: str,
    condition: str,
    verdicts: Mapping[tuple[str, str], Mapping[int, float | None]],
    failed: frozenset[tuple[str, str]],
) -> State:
    runs = verdicts.get((item, condition), {})
    value = mean_of(list(runs.values()))
    return State(value, len(runs), failed=(item, condition) in failed)


def _against(
    base: State,
    state: State,
    stage: str,
    base_runs: Mapping[int, float | None],
    runs: Mapping[int, float | None],
) -> State:
    common = sorted(base_runs.keys() & runs.keys())
    differing = [
        run
        for run in common
        if None not in (base_runs[run], runs[run]) and base_runs[run] != runs[run]
    ]
    kind: Kind = ""
    if base.value is not None and state.value is not None:
        if state.value < base.value - _ENOUGH:
            kind = "induced"
        elif state.value > base.value + _ENOUGH:
            kind = "mended"
        elif state.broken:
            kind = "both"
    return State(
        state.value,
        state.runs,
        state.failed,
        stage,
        kind,
        len(differing),
        (differing or common or [0])[0],
    )


def _first_harm(
    table: Table, metrics: Sequence[str], item: str, baseline: str, condition: str
) -> str:
    for name in metrics:
        of = table.values[name]
        base = mean_of(of.get(baseline, {}).get(item, ()))
        variant = mean_of(of.get(condition, {}).get(item, ()))
        if base is None or variant is None:
            continue
        metric = METRICS.get(name)
        worse = base - variant if metric.better == "higher" else variant - base
        if worse > _ENOUGH:
            return metric.stage
    return ""
