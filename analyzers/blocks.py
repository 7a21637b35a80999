"""Which traces may stand in one table: those of one suite, assistant, model and way of grading."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from analyzers.breakdown import Labels
from analyzers.facts import Notes, Slot
from analyzers.report.subject import Subject
from analyzers.score import ScoreRow, score
from analyzers.scoring import DEFAULT, Scoring
from tracer.records import ModelCall, Outcome, Trace


@dataclass(slots=True)
class Block:
    """Scores that may be compared with each other, and what they are about."""

    subject: Subject
    rows: list[ScoreRow] = field(default_factory=list)
    labels: Labels = field(default_factory=Labels)
    notes: Notes = field(default_factory=Notes)
    """What analyses need beside the scores."""
    warnings: Counter[str] = field(default_factory=Counter)
    """What folding and reading noted, with the number of traces."""


class Blocks:
    """Sorts traces into blocks as they pass by; none is kept.

    Source:
        Ours: results of two modes, data versions or models are never mixed in silence.
    """

    def __init__(self, metrics: Sequence[str] | None = None, scoring: Scoring = DEFAULT) -> None:
        self._metrics = metrics
        self._scoring = scoring
        self._blocks: dict[tuple[str, ...], Block] = {}

    def add(
        self,
        subject: Subject,
        traces: Iterable[Trace],
        slots: Mapping[tuple[str, str], Slot] | None = None,
    ) -> int:
        """Score the traces of one run or file.

        Args:
            subject: What is known of the run; what it leaves empty is taken from each trace.
            traces: Its traces.
            slots: What was stored of its wordings, by item and condition.

        Returns:
            How many there were.
        """
        number = 0
        met: set[tuple[str, ...]] = set()
        model: ModelCall | None = None
        for trace in traces:
            number += 1
            # A run that ended before its first model call belongs to its neighbours' model.
            model = trace.model_calls[0] if trace.model_calls else model
            facts = _of_trace(subject, trace, model)
            key = _key(facts)
            prices = self._scoring.prices
            about = "" if prices is None else f"{prices.currency} by {prices.source}".strip()
            block = self._blocks.setdefault(key, Block(replace(facts, runs=(), prices=about)))
            if key not in met:
                met.add(key)
                block.subject = _joined(block.subject, facts, first=len(met) == 1)
            slot = (slots or {}).get((trace.request.item, trace.request.condition))
            named = at_density(trace, slot)
            rows = score([named], self._metrics, self._scoring)
            if named.outcome is not None and named.outcome.gold_answers:
                block.subject = replace(block.subject, scoring=self._scoring.answers)
            block.rows += rows
            block.labels.note(named)
            block.notes.note(named, named.request.condition, rows)
            if slot is not None:
                block.notes.slots[named.request.item, named.request.condition] = slot
            block.warnings.update(warning.partition(":")[0] for warning in trace.warnings)
        return number

    def blocks(self) -> list[Block]:
        """The blocks in the order in which they were met."""
        return list(self._blocks.values())


def at_density(trace: Trace, slot: Slot | None) -> Trace:
    """The trace with the density in its condition's name, where it is not the full one.

    Otherwise two runs of one dialect at two densities would be taken for two runs of one condition.
    """
    if slot is None or slot.density is None or slot.density == 1:
        return trace
    name = f"{trace.request.condition}@{slot.density:g}"
    return replace(trace, request=replace(trace.request, condition=name))


def _key(subject: Subject) -> tuple[str, ...]:
    return (
        subject.suite,
        subject.assistant,
        subject.model,
        subject.model_source,
        subject.retriever,
        subject.mode,
        subject.data_version,
        subject.schema_hash,
    )


def _of_trace(subject: Subject, trace: Trace, model: ModelCall | None) -> Subject:
    outcome = trace.outcome or Outcome(mode="")
    if model is not None and not subject.model:
        subject = replace(
            subject,
            model=model.model,
            model_source=model.sha256 or model.source,
            baseline_program=(model.provider, model.source) == ("stagetrace", "built in"),
        )
    return replace(
        subject,
        suite=trace.request.suite or subject.suite,
        assistant=subject.assistant or trace.assistant or trace.assistant_kind,
        mode=outcome.mode or subject.mode,
        data_version=outcome.data_version or subject.data_version,
        schema_hash=outcome.schema_hash or subject.schema_hash,
        gold_scope=outcome.gold_scope if trace.outcome is not None else "",
        answer_matcher=outcome.answer_matcher,
    )


def _joined(subject: Subject, other: Subject, *, first: bool) -> Subject:
    """The facts of a block with those of one more run.

    Counts of a run go to the first block that its traces meet, so that they are told once.
    """
    joined = replace(
        subject,
        runs=tuple(dict.fromkeys([*subject.runs, *other.runs])),
        seed=subject.seed if not subject.runs or subject.seed == other.seed else None,
        answer_matcher=subject.answer_matcher or other.answer_matcher,
    )
    if not first:
        return joined
    if not subject.runs:
        return joined
    return replace(
        joined,
        spans_made=_sum(subject.spans_made, other.spans_made),
        spans_stored=_sum(subject.spans_stored, other.spans_stored),
        failed=Counter(subject.failed) + Counter(other.failed),
        rejected=Counter(subject.rejected) + Counter(other.rejected),
        interrupted=Counter(subject.interrupted) + Counter(other.interrupted),
    )


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other
