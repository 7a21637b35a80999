"""Section 4 and 5 of the HTML report: every effect with interval, tests and counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from analyzers.base import METRICS, Metric
from analyzers.effect import Effect, Level
from analyzers.report.anchors import Anchors
from analyzers.report.grid import Footnotes
from analyzers.report.html_heat import minus
from analyzers.report.material import Material
from analyzers.report.names import shown_name
from analyzers.report.numbers import DASH, change, count, interval, level, probability
from analyzers.report.tables import STAGES


@dataclass(frozen=True, slots=True)
class Field:
    """One cell: what is shown, and what it is sorted by."""

    text: str
    key: str = ""
    """Full precision; empty for what does not exist, which sorts last."""


@dataclass(frozen=True, slots=True)
class EffectRow:
    """One condition in one metric."""

    anchor: str
    metric_anchor: str
    """Set on the first row of each metric."""
    metric: str
    unit: str
    condition: str
    reference: bool
    mark: str
    letters: tuple[tuple[str, str], ...]
    """Footnote letters and their anchors."""
    fields: tuple[Field, ...]


HEADS = (
    ("base", "mean of the base over the same items"),
    ("value", "mean under the condition"),
    ("diff", "value minus base"),
    ("low", "lower end of the 95 % interval of the difference"),
    ("high", "upper end of the 95 % interval of the difference"),
    (
        "b/c",
        f"right only in the base / only in the condition; {DASH} where runs score no 0 or 1",
    ),
    ("p", "not adjusted"),
    ("Holm", "adjusted by Holm over the family"),
    ("BH", "adjusted by Benjamini and Hochberg over the family"),
    ("clust", f"p of the exact sign-flip test over clusters; {DASH} where items have none"),
    ("micro", f"all items summed, then divided; {DASH} where a metric is no ratio"),
    ("undef.", "items without a value on at least one side"),
    ("missing", "items of the base that the condition lacks"),
    ("n", "items compared"),
)
"""Heads of the numeric columns and what each means."""


def metrics_shown(material: Material) -> list[Metric]:
    """The report's metrics, then what the runs cost where that is known."""
    report = material.report
    known = {found.metric for found in report.comparison.levels if found.n}
    names = [*report.metrics]
    names += [
        name
        for name in report.comparison.metrics
        if name not in names and METRICS.get(name).stage == "cost" and name in known
    ]
    return sorted((METRICS.get(name) for name in names), key=lambda one: STAGES.index(one.stage))


def effect_rows(material: Material, anchors: Anchors, notes: Footnotes) -> list[EffectRow]:
    """The effect table in the order of stages and conditions.

    Args:
        material: The block.
        anchors: Names of places.
        notes: Letters for remarks; new ones are added.
    """
    comparison = material.report.comparison
    out = []
    for metric in metrics_shown(material):
        first = True
        for condition in comparison.conditions:
            effect = comparison.effect(metric.name, condition)
            if effect is None:
                continue
            out.append(_row(material, metric, effect, anchors, notes, first=first))
            first = False
    return out


def _row(
    material: Material,
    metric: Metric,
    effect: Effect,
    anchors: Anchors,
    notes: Footnotes,
    *,
    first: bool,
) -> EffectRow:
    letters = [notes.letter(words) for words in _remarks(effect)]
    return EffectRow(
        anchors.cell(effect.condition, metric.name),
        anchors.metric(metric.name) if first else "",
        metric.name,
        "" if metric.unit == "share" else metric.unit,
        shown_name(effect.condition),
        effect.condition in material.report.subject.references,
        effect.mark,
        tuple((letter, anchors.note(letter)) for letter in letters),
        tuple(_fields(metric, effect)),
    )


def _remarks(effect: Effect) -> list[str]:
    out = []
    if effect.difference is None:
        out.append(reason(effect))
    if effect.interval_disagrees:
        out.append("interval and p disagree about zero; the mark follows p")
    if effect.clusters_disagree:
        out.append("the exact sign-flip test over clusters falls on the other side of .05 than p")
    if effect.n_short:
        out.append("some items have fewer runs than the others; means are over those there")
    return out


def reason(effect: Effect) -> str:
    """Why there is no difference."""
    if not effect.n and not effect.n_undefined:
        return "no item in common with the base"
    return max(
        effect.reasons, key=lambda words: effect.reasons[words], default="no value on one side"
    )


def _fields(metric: Metric, effect: Effect) -> list[Field]:
    unit = metric.unit
    few = "~" if effect.few else ""
    both = DASH if effect.b is None else f"{effect.b}/{effect.c}"
    ends = interval(effect.low, effect.high, unit)
    low, _, high = ends.strip("[]").partition(", ")
    return [
        Field(level(effect.base, unit), _key(effect.base)),
        Field(level(effect.variant, unit), _key(effect.variant)),
        Field(minus(change(effect.difference, unit)), _key(effect.difference)),
        Field(minus(low), _key(effect.low)),
        Field(minus(high or DASH) + few if effect.high is not None else DASH, _key(effect.high)),
        Field(both, "" if effect.b is None else str(effect.b - (effect.c or 0))),
        Field(probability(effect.p), _key(effect.p)),
        Field(probability(effect.holm), _key(effect.holm)),
        Field(probability(effect.bh), _key(effect.bh)),
        Field(probability(effect.p_cluster), _key(effect.p_cluster)),
        Field(level(effect.micro_variant, unit), _key(effect.micro_variant)),
        Field(count(effect.n_undefined), str(effect.n_undefined)),
        Field(count(effect.n_missing), str(effect.n_missing)),
        Field(count(effect.n), str(effect.n)),
    ]


def _key(value: float | None) -> str:
    return "" if value is None else repr(value)


@dataclass(frozen=True, slots=True)
class LevelRow:
    """One mean, where there is nothing to compare with."""

    metric: str
    unit: str
    value: Field
    n: str
    undefined: str
    letter: str
    note: str


def level_rows(material: Material, anchors: Anchors, notes: Footnotes) -> list[LevelRow]:
    """Means of the only condition."""
    comparison = material.report.comparison
    names = [metric.name for metric in metrics_shown(material)]
    condition = next((name for name, number in comparison.items.items() if number), "")
    found = [one for one in comparison.levels if one.metric in names]
    if condition:
        found = [one for one in found if one.condition == condition]
    return [
        _level_row(one, anchors, notes)
        for one in sorted(found, key=lambda one: names.index(one.metric))
    ]


def _level_row(one: Level, anchors: Anchors, notes: Footnotes) -> LevelRow:
    unit = METRICS.get(one.metric).unit
    letter = ""
    if one.value is None:
        letter = notes.letter(
            max(one.reasons, key=lambda words: one.reasons[words], default="no values")
        )
    return LevelRow(
        one.metric,
        "%" if unit == "share" else unit,
        Field(minus(level(one.value, unit)), _key(one.value)),
        count(one.n),
        count(one.n_undefined),
        letter,
        anchors.note(letter) if letter else "",
    )


def notes_of(notes: Footnotes, anchors: Anchors) -> list[tuple[str, str, str]]:
    """Anchor, letter and words of all remarks."""
    out = []
    for line in notes.lines():
        letter, _, words = line.partition("  ")
        out.append((anchors.note(letter), letter, words))
    return out


def below_lines(material: Material, metrics: Sequence[Metric]) -> list[tuple[str, tuple[str, ...]]]:
    """What stands below each metric's table in the terminal: detectable size, what is left out."""
    lines = {grid.key: grid.below for grid in material.report.grids}
    return [(one.name, lines[one.name]) for one in metrics if lines.get(one.name)]
