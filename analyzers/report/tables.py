"""From a comparison to finished tables: overview, details, verdicts, footnotes, next commands."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from analyzers.base import METRICS, Metric
from analyzers.effect import Comparison, Effect
from analyzers.report.grid import Column, Footnotes, Grid, Tone
from analyzers.report.headers import header_lines
from analyzers.report.names import shown_name
from analyzers.report.numbers import change, count, interval, level, probability
from analyzers.report.sentences import verdicts
from analyzers.report.subject import Subject
from analyzers.score import NOT_GRADED
from tracer.printable import printable

STAGES = ("retrieval", "answer", "call", "act", "outcome", "cost")

OVERVIEW = {
    "recall@5": ("recall", "@5"),
    "answer_accuracy": ("answer", "right"),
    "required_call_recall": ("call", "recall"),
    "no_call": ("no-", "call"),
    "read_without_write": ("read-", "no-wr."),
    "incorrect_action_rate": ("wrong", "action"),
    "unwanted_side_effects": ("side", "effects"),
    "success": ("out-", "come"),
}
"""The metrics of the first table in the order of stages, with heads that fit eight columns."""

DETAILS = (
    "recall@5",
    "recall_strict@5",
    "answer_accuracy",
    "am",
    "em",
    "answer_f1",
    "required_call_recall",
    "call_precision",
    "call_f1",
    "no_call",
    "asked_back",
    "read_without_write",
    "missed_calls",
    "failed_to_act",
    "unsupported_actions",
    "incorrect_action_rate",
    "unwanted_side_effects",
    "success",
)
"""The metrics with a table of their own when none are asked for."""

FEW_ITEMS = 50
"""Below this a bootstrap over items is mildly liberal (ours, by simulation)."""
PRECISE = "~ fewer than 10 items changed: a bootstrap interval is too narrow then, its p too small"
MARKS = "* Holm-adjusted p < .05   · raw p < .05 only   \u2013 not available"


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that is printed of one block, in order."""

    subject: Subject
    comparison: Comparison
    header: tuple[str, ...]
    grids: tuple[Grid, ...]
    verdicts: tuple[str, ...]
    footnotes: tuple[str, ...]
    footer: tuple[str, ...]
    next: tuple[str, ...]
    groups: tuple[Effect, ...] = ()
    label: str = ""
    metrics: tuple[str, ...] = field(default=())


def build_report(
    subject: Subject,
    comparison: Comparison,
    *,
    metrics: Sequence[str] | None = None,
    groups: Sequence[Effect] = (),
    label: str = "",
    labels: Sequence[str] = (),
    about: Iterable[str] = (),
) -> Report:
    """The tables of one block.

    Args:
        subject: What the block is about.
        comparison: Its effects.
        metrics: Metrics to show in this order; the usual ones by default.
        groups: Effects within each value of `label`, for breakdown tables.
        label: The label they are broken down by.
        labels: Labels that the items carry, for the next commands.
        about: Lines of the footer on wordings and choices.
    """
    notes = Footnotes()
    shown = [name for name in metrics or DETAILS if name in comparison.metrics]
    first = [name for name in (metrics or OVERVIEW) if name in comparison.metrics]
    left_out = _not_of_this_suite(comparison, [*first, *shown])
    first = [name for name in first if name not in left_out]
    shown = [name for name in shown if name not in left_out]
    shares = [name for name in first if METRICS.get(name).unit == "share"]
    grids: list[Grid] = []
    if comparison.conditions:
        if shares:
            grids.append(_overview(comparison, shares, subject, notes))
        grids += [_detail(comparison, name, subject, notes) for name in shown]
        grids += [_by_label(groups, name, label, notes) for name in (first if groups else ())]
    elif shown:
        grids.append(_levels(comparison, shown, notes))
    return Report(
        subject=subject,
        comparison=comparison,
        header=header_lines(subject, comparison),
        grids=tuple(grids),
        verdicts=verdicts(comparison, shares),
        footnotes=notes.lines(),
        footer=(*_footer(subject, comparison, grids, left_out), *about),
        next=tuple(_next(subject, comparison, first, labels, label)),
        groups=tuple(groups),
        label=label,
        metrics=tuple(dict.fromkeys([*first, *shown])),
    )


def _not_of_this_suite(comparison: Comparison, metrics: Iterable[str]) -> dict[str, str]:
    """Metrics without a single value because the suite does not have them, with the reason.

    Traces that nobody graded are another matter: their columns stay, as dashes with a reason.
    """
    out: dict[str, str] = {}
    for name in dict.fromkeys(metrics):
        levels = [found for found in comparison.levels if found.metric == name]
        reasons = {reason for found in levels for reason in found.reasons}
        if not any(found.n for found in levels) and NOT_GRADED not in reasons:
            out[name] = ", ".join(sorted(reasons)) or "no values"
    return out


def _tone(metric: Metric, effect: Effect | None) -> Tone:
    if effect is None or not effect.mark or not effect.difference or metric.better == "neither":
        return ""
    return "better" if (effect.difference > 0) == (metric.better == "higher") else "worse"


def _why_dash(effect: Effect | None) -> str:
    if effect is None or (not effect.n and not effect.n_undefined):
        return "no item in common with the base"
    total = sum(effect.reasons.values())
    common = Counter(effect.reasons).most_common(1)
    reason = common[0][0] if common else "one side has no value"
    if reason == NOT_GRADED:
        return reason
    return f"not defined: {reason} ({count(total)} traces)"


def _condition_columns(names: Sequence[str], subject: Subject) -> list[Column]:
    columns = [Column(("",), tuple(shown_name(name) for name in names), left=True)]
    marks = tuple("ref" if name in subject.references else "" for name in names)
    return [*columns, Column(("",), marks, left=True)] if any(marks) else columns


def _overview(
    comparison: Comparison, metrics: Sequence[str], subject: Subject, notes: Footnotes
) -> Grid:
    columns = _condition_columns(comparison.conditions, subject)
    for name in metrics:
        metric = METRICS.get(name)
        effects = [comparison.effect(name, condition) for condition in comparison.conditions]
        columns.append(
            Column(
                OVERVIEW.get(name, (name,)),
                tuple(change(effect.difference if effect else None) for effect in effects),
                tuple(
                    effect.mark
                    if effect is not None and effect.difference is not None
                    else notes.letter(_why_dash(effect))
                    for effect in effects
                ),
                tuple(_tone(metric, effect) for effect in effects),
                name=name,
            )
        )
    return Grid("overview", "WHERE IT BREAKS (points)", tuple(columns), panels=True)


def _detail(comparison: Comparison, name: str, subject: Subject, notes: Footnotes) -> Grid:
    metric = METRICS.get(name)
    effects = [
        effect
        for condition in comparison.conditions
        if (effect := comparison.effect(name, condition)) is not None
    ]
    base = comparison.level(name, comparison.baseline)
    micro = "" if base is None or base.micro is None else f" (micro {level(base.micro)})"
    aside = f"base {level(base.value if base else None, metric.unit)}{micro}"
    if not any(effect.n for effect in effects):
        why = "; ".join(dict.fromkeys(_why_dash(effect) for effect in effects))
        return Grid(name, _title(metric), (), aside, below=(why,))
    if all(effect.n and not effect.moved for effect in effects):
        n = ", ".join(dict.fromkeys(count(effect.n) for effect in effects))
        same = f"no item changed under any condition (n {n})"
        return Grid(name, _title(metric), (), aside, below=(same, *_below(metric, effects)))
    names = _condition_columns([effect.condition for effect in effects], subject)
    return Grid(
        name,
        _title(metric),
        (*names, *_effect_columns(metric, effects, notes)),
        aside=aside,
        below=tuple(_below(metric, effects)),
    )


def _title(metric: Metric) -> str:
    unit = "" if metric.unit == "share" else f" ({metric.unit})"
    direction = {
        "higher": "higher is better",
        "lower": "lower is better",
        "neither": "neither way is better",
    }[metric.better]
    return f"{metric.name}{unit}   {direction}"


def _effect_columns(
    metric: Metric, effects: Sequence[Effect], notes: Footnotes
) -> tuple[Column, ...]:
    unit = metric.unit
    ends = [end for e in effects for end in (e.low, e.high) if end is not None]
    width = max((len(level(end, unit)) for end in ends), default=0)

    def column(head: str, cells: Iterable[str], **more: int | str | bool) -> Column:
        return Column(
            (head,),
            tuple(cells),
            leaves=int(more.get("leaves", 0)),
            wide=bool(more.get("wide", False)),
            name=str(more.get("name", "")),
        )

    columns = [
        column("base", (level(e.base, unit) for e in effects), wide=True),
        column("value", (level(e.variant, unit) for e in effects), leaves=3),
        Column(
            ("diff",),
            tuple(change(e.difference, unit) for e in effects),
            tones=tuple(_tone(metric, e) for e in effects),
        ),
        column(
            "95 % interval",
            (interval(e.low, e.high, unit, width) + ("~" if e.few else " ") for e in effects),
        ),
        column("p", (probability(e.p) for e in effects), leaves=2),
        column("Holm", (probability(e.holm) for e in effects)),
        column("BH", (probability(e.bh) for e in effects), wide=True),
    ]
    if any(e.b is not None for e in effects):
        cells = (f"{e.b}/{e.c}" if e.b is not None else "\u2013" for e in effects)
        columns.insert(4, column("b/c", cells, wide=True))
    if any(e.p_cluster is not None for e in effects):
        cells = (probability(e.p_cluster) for e in effects)
        columns.append(column("clust", cells, leaves=1, name="clust (p over clusters)"))
    if any(e.micro_variant is not None for e in effects):
        columns.append(column("micro", (level(e.micro_variant) for e in effects), wide=True))
    columns.append(column("undef.", (count(e.n_undefined) for e in effects), wide=True))
    columns.append(column("missing", (count(e.n_missing) for e in effects), wide=True))
    columns.append(column("n", (count(e.n) for e in effects), leaves=4))
    marks = tuple(" ".join(_marks(effect, notes)) for effect in effects)
    if any(marks):
        columns.append(Column(("",), marks, left=True))
    return tuple(columns)


def _marks(effect: Effect, notes: Footnotes) -> list[str]:
    marks = [effect.mark] if effect.mark else []
    if effect.difference is None:
        marks.append(notes.letter(_why_dash(effect)))
    if effect.interval_disagrees:
        marks.append(notes.letter("interval and p disagree about zero; the mark follows p"))
    if effect.clusters_disagree:
        marks.append(
            notes.letter(
                "the exact sign-flip test over clusters falls on the other side of .05 than p"
            )
        )
    if effect.n_short:
        marks.append(
            notes.letter("some items have fewer runs than the others; means are over those there")
        )
    return marks


def _below(metric: Metric, effects: Sequence[Effect]) -> list[str]:
    lines: list[str] = []
    sizes = [effect.detectable for effect in effects if effect.detectable is not None]
    if sizes:
        least, most = level(min(sizes), metric.unit), level(max(sizes), metric.unit)
        span = most if least == most else f"{least} to {most}"
        unit = "points" if metric.unit == "share" else metric.unit
        lines.append(f"smallest difference seen with 80 % power at this n: {span} {unit}")
    clusters = {effect.clusters for effect in effects if effect.clusters}
    if clusters and 2 / 2 ** min(clusters) >= 0.05:
        lines.append(f"with {min(clusters)} clusters the test over clusters cannot fall below .05")
    left = {
        (effect.n_undefined, effect.n_undefined + effect.n, reason)
        for effect in effects
        if effect.n and effect.n_undefined
        for reason in [max(effect.reasons, key=lambda r: effect.reasons[r], default="no value")]
    }
    lines += [f"left out: {some} of {all_} items ({why})" for some, all_, why in sorted(left)]
    return lines


def _by_label(groups: Sequence[Effect], name: str, label: str, notes: Footnotes) -> Grid:
    metric = METRICS.get(name)
    effects = [effect for effect in groups if effect.metric == name]
    return Grid(
        f"{name} by {label}",
        f"{name} by {printable(label)}",
        (
            Column(("",), tuple(shown_name(effect.condition) for effect in effects), left=True),
            Column((label,), tuple(printable(effect.group) for effect in effects), left=True),
            *_effect_columns(metric, effects, notes),
        ),
        aside=f"Holm over {max((e.family for e in effects), default=0)} cells",
    )


def _levels(comparison: Comparison, metrics: Sequence[str], notes: Footnotes) -> Grid:
    """Means alone, when there is nothing to compare with."""
    condition = comparison.baseline if comparison.items.get(comparison.baseline) else ""
    levels = [
        found
        for name in metrics
        for found in comparison.levels
        if found.metric == name and (not condition or found.condition == condition)
    ]
    marks = tuple(
        ""
        if found.value is not None
        else notes.letter(max(found.reasons, key=lambda r: found.reasons[r], default="no values"))
        for found in levels
    )
    units = [METRICS.get(found.metric).unit for found in levels]
    values = tuple(level(found.value, u) for found, u in zip(levels, units, strict=True))
    return Grid(
        "levels",
        "LEVELS (one condition, nothing to compare with)",
        (
            Column(("",), tuple(found.metric for found in levels), left=True),
            Column(("value",), values, marks),
            Column(("unit",), tuple("%" if unit == "share" else unit for unit in units), left=True),
            Column(("n",), tuple(count(found.n) for found in levels)),
            Column(("undef.",), tuple(count(found.n_undefined) for found in levels)),
        ),
    )


def _footer(
    subject: Subject, comparison: Comparison, grids: Sequence[Grid], left_out: dict[str, str]
) -> Iterable[str]:
    keys = {grid.key for grid in grids}
    if comparison.conditions and grids:
        yield MARKS
        if any(effect.few for effect in comparison.effects if effect.metric in keys):
            yield PRECISE
        yield _method(comparison)
        tested = [e for e in comparison.effects if e.metric in keys and e.test == "bootstrap"]
        if any(effect.n < FEW_ITEMS for effect in tested):
            yield (
                f"fewer than {FEW_ITEMS} items: over so few the bootstrap finds a difference "
                "somewhat more often than it should"
            )
    if subject.answer_matcher and "answer_accuracy" in keys:
        matcher = printable(subject.answer_matcher)
        by = matcher if matcher.startswith("judge ") else f"the suite's matcher {matcher}"
        yield f"answer_accuracy: judged by {by}"
    if subject.gold_scope and keys & {"call_f1", "call_precision"}:
        scope = "writing calls only" if subject.gold_scope == "writes" else "calls of all kinds"
        yield f"call_precision and call_f1 count {scope}, as the suite's gold does; no_call all"
    if left_out:
        by_reason: dict[str, list[str]] = {}
        for name, reason in left_out.items():
            by_reason.setdefault(reason, []).append(name)
        yield "not shown: " + "; ".join(
            f"{', '.join(names)} ({reason})" for reason, names in by_reason.items()
        )


def _method(comparison: Comparison) -> str:
    tests = {effect.test for effect in comparison.effects}
    bootstrap = (
        f"paired percentile bootstrap, {comparison.resamples:,} resamples, seed {comparison.seed}"
    )
    if "mcnemar" in tests:
        return f"p: exact McNemar where items score 0 or 1, else as the intervals: {bootstrap}"
    return bootstrap


def _next(
    subject: Subject,
    comparison: Comparison,
    metrics: Sequence[str],
    labels: Sequence[str],
    label: str,
) -> Iterable[str]:
    run = _word(subject.runs[0]) if subject.runs else "RUN"
    harmful = [effect for effect in comparison.effects if effect.metric in metrics and effect.worst]
    worst = max(harmful, key=lambda e: (bool(e.mark), abs(e.difference or 0.0)), default=None)
    if worst is not None:
        item = _word(worst.worst)
        pair = _word(f"{comparison.baseline},{worst.condition.partition('@')[0]}")
        yield f"stagetrace diff {run} {item} --conditions {pair}"
    others = [name for name in labels if name not in (label, "cluster")]
    if comparison.conditions and others:
        yield f"stagetrace analyze {run} --by {_word(others[0])}"


def _word(text: str) -> str:
    """One word of a command line that can be pasted."""
    return shlex.quote(printable(text))
