"""llm_only: is reading retrieved documents more sensitive to wording than the model alone?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from analyzers.analysis import ANALYSES, Evidence, Study
from analyzers.panel import Field, Panel
from analyzers.statistics.relative import relative_drop
from tracer.records import Json

_METRICS = ("am", "em", "answer_f1", "answer_accuracy")


@ANALYSES.add("llm_only")
def llm_only(evidence: Evidence) -> Iterable[Panel]:
    """Relative drop of the answer metrics with retrieval (rag) beside without (llm).

    Source:
        Out of Style, section 5 (sensitivity of RAG against LLM-only), with signs: positive is a
        loss.
    """
    pairs = [
        (rag, llm)
        for rag in evidence.studies
        if rag.subject.assistant == "rag"
        for llm in evidence.studies
        if llm.subject.assistant == "llm" and _same(rag) == _same(llm)
    ]
    for rag, llm in pairs:
        lines = tuple(_lines(rag, llm))
        if lines:
            yield Panel(
                "llm_only",
                f"With retrieval and without: {rag.title}",
                (
                    Field("metric", "metric"),
                    Field("condition", "condition"),
                    Field("rag_base", "rag base", "level"),
                    Field("rag_drop", "rag drop %", "percent"),
                    Field("llm_base", "llm base", "level"),
                    Field("llm_drop", "llm drop %", "percent"),
                    Field("rag_n", "n rag", "count"),
                    Field("llm_n", "n llm", "count"),
                ),
                lines,
                ("drop: percent of the original score that is lost; negative is a gain",),
            )


def _same(study: Study) -> tuple[str, str, str]:
    subject = study.subject
    return subject.suite, subject.model, subject.data_version


def _lines(rag: Study, llm: Study) -> Iterable[Mapping[str, Json]]:
    for metric in _METRICS:
        for condition in rag.comparison.conditions:
            one, other = (s.comparison.effect(metric, condition) for s in (rag, llm))
            if one is None or other is None or one.base is None or other.base is None:
                continue
            yield {
                "metric": metric,
                "condition": condition,
                "rag_base": one.base,
                "rag_drop": relative_drop(one.base, one.variant or 0.0),
                "llm_base": other.base,
                "llm_drop": relative_drop(other.base, other.variant or 0.0),
                "rag_n": one.n,
                "llm_n": other.n,
            }
