"""Which items break: one line an item, one cell a condition, and the stage it first breaks at."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from analyzers.base import METRICS
from analyzers.pairing import mean_of
from analyzers.score import ScoreRow

Status: TypeAlias = Literal["right", "broken", "some", "missing", "failed", "unknown"]
"""All runs right, none, some of them; not run; broke without a score; no outcome to judge by."""
STAGES = ("retrieval", "answer", "call", "act", "outcome")
OUTCOMES = ("success", "answer_accuracy", "am")
"""What counts as right, in this order, whichever the suite has."""
_SLACK = 1e-12


@dataclass(frozen=True, slots=True)
class ItemCell:
    """One item in one condition."""

    status: Status
    value: float | None = None
    """Mean of the outcome over the runs."""
    stage: str = ""
    """First stage with a metric worse than in the base; empty where none is."""
    runs: int = 0


@dataclass(frozen=True, slots=True)
class ItemLine:
    """One item."""

    item: str
    base: ItemCell
    cells: Mapping[str, ItemCell]
    """By condition, without the base."""
    broken: int
    """Conditions with a lower outcome than the base."""
    mended: int
    cluster: str = ""

    @property
    def kind(self) -> str:
        """`style-induced`, `broken in base too`, `mended`, or empty where nothing broke."""
        if self.broken:
            return "style-induced"
        if self.base.status == "broken":
            return "mended" if self.mended else "broken in base too"
        return "mended" if self.mended else ""


@dataclass(frozen=True, slots=True)
class ItemTable:
    """All items of one suite."""

    outcome: str
    """The metric that says right or broken; empty when there is none."""
    baseline: str
    conditions: tuple[str, ...]
    lines: tuple[ItemLine, ...]
    """Those broken under most conditions first, then by id."""
    overlap: tuple[tuple[tuple[str, ...], int], ...] = field(default=())
    """Combinations of conditions that break the same items, with the number of items."""


def item_table(
    rows: Iterable[ScoreRow],
    *,
    baseline: str = "base",
    conditions: Sequence[str] | None = None,
    failed: Iterable[tuple[str, str]] = (),
    outcome: str = "",
) -> ItemTable:
    """The items with what became of each under every condition.

    Args:
        rows: Scores of one suite in one mode, by one assistant and model.
        baseline: The condition that the others are compared with.
        conditions: Which others and in which order; all, as they appear, by default.
        failed: Item and condition of runs that broke and have no score.
        outcome: The metric that says right or broken; the first of `OUTCOMES` that has values.
    """
    values: dict[tuple[str, str, str], list[float | None]] = defaultdict(list)
    items: dict[str, str] = {}
    found: dict[str, None] = {}
    for row in rows:
        values[row.metric, row.condition, row.item].append(row.value)
        items[row.item] = row.cluster or items.get(row.item, "")
        found[row.condition] = None
    means = {key: mean_of(runs) for key, runs in values.items()}
    chosen = outcome or next(
        (
            name
            for name in OUTCOMES
            if any(key[0] == name and value is not None for key, value in means.items())
        ),
        "",
    )
    names = [name for name in conditions or found if name != baseline]
    broke = set(failed)
    stages = _stage_metrics({key[0] for key in means})
    lines = []
    for item, cluster in items.items():
        cells = {
            name: _cell(means, values, stages, chosen, baseline, name, item, broke)
            for name in [baseline, *names]
        }
        base = cells.pop(baseline)
        moves = [_move(base, cell) for cell in cells.values()]
        lines.append(ItemLine(item, base, cells, moves.count(-1), moves.count(1), cluster))
    lines.sort(key=lambda line: (-line.broken, line.item))
    return ItemTable(chosen, baseline, tuple(names), tuple(lines), _overlap(lines))


def _stage_metrics(known: Iterable[str]) -> dict[str, list[str]]:
    """Metrics of each stage that have a better way, without those that only describe."""
    names = set(known)
    out: dict[str, list[str]] = {stage: [] for stage in STAGES}
    for name in sorted(names):
        metric = METRICS.get(name)
        if metric.stage in out and metric.better != "neither":
            out[metric.stage].append(name)
    return out


def _cell(
    means: Mapping[tuple[str, str, str], float | None],
    values: Mapping[tuple[str, str, str], Sequence[float | None]],
    stages: Mapping[str, Sequence[str]],
    outcome: str,
    baseline: str,
    condition: str,
    item: str,
    broke: set[tuple[str, str]],
) -> ItemCell:
    key = outcome, condition, item
    if key not in means:
        return ItemCell("failed" if (item, condition) in broke else "missing")
    value = means[key]
    runs = len(values[key])
    if value is None:
        return ItemCell("unknown", None, "", runs)
    status: Status = "right" if value >= 1 - _SLACK else "broken" if value <= _SLACK else "some"
    stage = ""
    before = means.get((outcome, baseline, item))
    if condition != baseline and before is not None and value < before - _SLACK:
        stage = _first_worse(means, stages, baseline, condition, item)
    return ItemCell(status, value, stage, runs)


def _first_worse(
    means: Mapping[tuple[str, str, str], float | None],
    stages: Mapping[str, Sequence[str]],
    baseline: str,
    condition: str,
    item: str,
) -> str:
    for stage, names in stages.items():
        for name in names:
            before, after = means.get((name, baseline, item)), means.get((name, condition, item))
            if before is None or after is None:
                continue
            harm = before - after if METRICS.get(name).better == "higher" else after - before
            if harm > _SLACK:
                return stage
    return "outcome"


def _move(base: ItemCell, cell: ItemCell) -> int:
    if base.value is None or cell.value is None or abs(cell.value - base.value) <= _SLACK:
        return 0
    return 1 if cell.value > base.value else -1


def _overlap(lines: Sequence[ItemLine]) -> tuple[tuple[tuple[str, ...], int], ...]:
    """Sets of conditions that break the same items, most items first."""
    counts: Counter[tuple[str, ...]] = Counter()
    for line in lines:
        names = tuple(name for name, cell in line.cells.items() if _move(line.base, cell) < 0)
        if names:
            counts[names] += 1
    return tuple(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
