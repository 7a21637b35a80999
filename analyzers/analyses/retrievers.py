"""retrievers: query expansion and re-ranking beside the plain retriever."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from analyzers.analysis import ANALYSES, Evidence, Study
from analyzers.facts import Facts
from analyzers.panel import Field, Panel
from analyzers.statistics.relative import relative_drop
from tracer.records import Json

_METRICS = ("recall@5", "hit_by_answer@5", "am", "answer_accuracy")


@ANALYSES.add("retrievers")
def retrievers(evidence: Evidence) -> Iterable[Panel]:
    """Runs that differ in the retriever alone, side by side; and what a re-ranker changes.

    Source:
        Out of Style, section 5 (HyDE query expansion and re-ranking); the comparison before and
        after the re-ranker within one run is ours.
    """
    for studies in _groups(evidence.studies):
        lines = tuple(line for study in studies for line in _between(study))
        if len(studies) > 1 and lines:
            yield Panel(
                "retrievers.runs",
                f"By retriever: {studies[0].subject.suite} \u00b7 {studies[0].subject.model}",
                (
                    Field("metric", "metric"),
                    Field("condition", "condition"),
                    Field("retriever", "retriever"),
                    Field("base", "base", "level"),
                    Field("variant", "value", "level"),
                    Field("difference", "diff", "change"),
                    Field("drop", "drop %", "percent"),
                    Field("n", "n", "count"),
                    Field("mark", ""),
                ),
                tuple(
                    sorted(
                        lines, key=lambda line: (_METRICS.index(line["metric"]), line["condition"])
                    )
                ),
                ("drop: percent of the original score that is lost; negative is a gain",),
            )
    for study in evidence.studies:
        lines = tuple(_within(study))
        if lines:
            yield Panel(
                "retrievers.rerank",
                f"Recall@5 before and after the re-ranker: {study.title}",
                (
                    Field("condition", "condition"),
                    Field("before", "before", "level"),
                    Field("after", "after", "level"),
                    Field("difference", "diff", "change"),
                    Field("n", "runs", "count"),
                ),
                lines,
            )


def _groups(studies: Iterable[Study]) -> Iterable[Sequence[Study]]:
    groups: dict[tuple[str, ...], list[Study]] = {}
    for study in studies:
        subject = study.subject
        if subject.retriever:
            key = (
                subject.suite,
                subject.assistant,
                subject.model,
                subject.mode,
                subject.data_version,
            )
            groups.setdefault(key, []).append(study)
    return groups.values()


def _between(study: Study) -> Iterable[Mapping[str, Json]]:
    for metric in _METRICS:
        for condition in study.comparison.conditions:
            effect = study.comparison.effect(metric, condition)
            if effect is None or effect.base is None or effect.variant is None:
                continue
            yield {
                "metric": metric,
                "condition": condition,
                "retriever": study.subject.retriever,
                "base": effect.base,
                "variant": effect.variant,
                "difference": effect.difference,
                "drop": relative_drop(effect.base, effect.variant),
                "n": effect.n,
                "mark": effect.mark,
            }


def _within(study: Study) -> Iterable[Mapping[str, Json]]:
    for condition in (study.comparison.baseline, *study.comparison.conditions):
        facts = [f for f in study.block.notes.facts if f.condition == condition]
        pairs = [(_recall(f.before), _recall(f.after)) for f in facts if _both(f)]
        if pairs:
            before, after = (sum(side) / len(pairs) for side in zip(*pairs, strict=True))
            yield {
                "condition": condition,
                "before": before,
                "after": after,
                "difference": after - before,
                "n": len(pairs),
            }


def _both(fact: Facts) -> bool:
    return bool(fact.before and fact.after)


def _recall(ranks: Sequence[int] | None, k: int = 5) -> float:
    return sum(0 < rank <= k for rank in ranks or ()) / len(ranks or (0,))
