"""The lines above the tables: what was run, and whether the numbers can be trusted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from analyzers.effect import Comparison
from analyzers.report.names import shown_name
from analyzers.report.numbers import count
from analyzers.report.subject import Subject
from tracer.printable import printable

BASELINE_PROGRAM = "baseline program: shows the tool, not a finding"


def header_lines(subject: Subject, comparison: Comparison) -> tuple[str, ...]:
    """Title, honesty about baselines, pairs and spans, and what is compared with what."""
    lines = [title_line(subject, comparison)]
    if subject.baseline_program:
        lines.append(BASELINE_PROGRAM)
    lines.append(" · ".join([_pairs(subject, comparison), *_spans(subject)]))
    if comparison.conditions:
        family = max((effect.family for effect in comparison.effects), default=0)
        many = "condition" if family == 1 else "conditions"
        base = printable(comparison.baseline)
        lines.append(f'base is the condition "{base}"; Holm over {family} {many} for each metric')
    return tuple(lines)


def title_line(subject: Subject, comparison: Comparison | None = None) -> str:
    """Suite, assistant, model, grading mode, data version, seed, runs."""
    parts = [
        subject.suite or ", ".join(subject.runs),
        subject.assistant,
        f"model {subject.model}" if subject.model else "",
        subject.retriever,
        subject.mode,
        f"data {subject.data_version}" if subject.data_version else "",
        "" if subject.seed is None else f"seed {subject.seed}",
    ]
    if comparison is not None and comparison.runs:
        runs = comparison.runs
        parts.append("1 run a condition" if runs == 1 else f"{runs} runs a condition")
    return " · ".join(printable(part) for part in parts if part)


def _pairs(subject: Subject, comparison: Comparison) -> str:
    total = comparison.items.get(comparison.baseline, 0)
    if not comparison.conditions:
        return f"{count(total)} items"
    best = max(comparison.common.values(), default=0)
    short = [
        f"{shown_name(name)} {count(common)}{_because(name, subject)}"
        for name, common in comparison.common.items()
        if common < total
    ]
    more = [
        f"{shown_name(name)} has {count(comparison.items[name] - common)} items that base lacks"
        for name, common in comparison.common.items()
        if comparison.items.get(name, 0) > common
    ]
    failed = subject.failed.get(comparison.baseline, 0)
    if failed:
        more.append(f"base: {count(failed)} failed")
    notes = f" ({'; '.join([*short, *more])})" if short or more else ""
    return f"pairs {count(best)} of {count(total)}{notes}"


def _because(condition: str, subject: Subject) -> str:
    counts: Iterable[tuple[Mapping[str, int], str]] = (
        (subject.failed, "failed"),
        (subject.rejected, "without a variant"),
        (subject.interrupted, "interrupted"),
    )
    why = [f"{count(n)} {word}" for of, word in counts if (n := of.get(condition, 0))]
    return f": {', '.join(why)}" if why else ""


def _spans(subject: Subject) -> list[str]:
    made, stored = subject.spans_made, subject.spans_stored
    if made is None or stored is None:
        return []
    if made == stored:
        return [f"spans {count(made)} made = stored"]
    return [f"SPANS LOST: {count(made)} made, {count(stored)} stored"]
