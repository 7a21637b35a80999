"""The same comparison within each value of a label, such as the kind or length of a task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from analyzers.compare import adjusted, choose_conditions, measure
from analyzers.effect import Effect
from analyzers.score import ScoreRow
from analyzers.score_table import Table
from tracer.errors import UnknownNameError
from tracer.records import Trace
from tracer.registry import nearest


class Labels:
    """The labels of items, gathered while traces pass by."""

    def __init__(self) -> None:
        self._of_item: dict[str, dict[str, str]] = {}

    def note(self, trace: Trace) -> None:
        """Keep the labels of the trace's item; its cluster counts as one."""
        labels = self._of_item.setdefault(trace.request.item, {})
        labels.update(trace.groups)
        if trace.request.cluster:
            labels.setdefault("cluster", trace.request.cluster)

    def names(self) -> list[str]:
        """All labels that any item has."""
        return sorted({name for labels in self._of_item.values() for name in labels})

    def of(self, label: str) -> dict[str, str]:
        """Item to its value of one label; items without it are left out.

        Raises:
            UnknownNameError: No item has the label.
        """
        if label not in self.names():
            known = self.names()
            hint = nearest(label, known) if known else "these items carry no labels"
            raise UnknownNameError(f"no label {label!r} to break down by; {hint}")
        return {item: labels[label] for item, labels in self._of_item.items() if label in labels}


def breakdown(
    rows: Sequence[ScoreRow],
    labels: Mapping[str, str],
    *,
    baseline: str = "base",
    conditions: Sequence[str] | None = None,
    resamples: int = 10_000,
    seed: int = 0,
) -> list[Effect]:
    """Effects within each value of a label, in the order of values.

    Args:
        rows: Scores of one suite in one mode, by one assistant and model.
        labels: Item to value; items without one are left out.
        baseline: The condition that the others are compared with.
        conditions: Which others; all by default.
        resamples: Resamples of the bootstrap.
        seed: Start of all random streams.

    Returns:
        Effects whose adjusted p allow for all values and conditions of a metric together.
    """
    known = list(dict.fromkeys(row.condition for row in rows))
    chosen = choose_conditions(known, baseline, conditions)
    effects: list[Effect] = []
    for value in sorted(set(labels.values())):
        table = Table.of(row for row in rows if labels.get(row.item) == value)
        part = measure(table, baseline, chosen, resamples=resamples, seed=seed)
        effects += [replace(effect, group=value) for effect in part]
    return adjusted(effects)
