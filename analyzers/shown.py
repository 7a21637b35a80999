"""Which ranked list a reader was shown, and which documents count as one."""

from __future__ import annotations

from collections.abc import Hashable

from tracer.records import Passage, Trace


def shown_passages(trace: Trace) -> tuple[Passage, ...] | None:
    """The list shown to the reader: the last re-ranker's output, else the last top-level retrieval.

    An empty list when a RAG assistant did not retrieve at all, because then the reader saw nothing.
    None when another kind of assistant did not, or when the documents were not captured.

    Source:
        Ours: the papers run one retrieval a question; a retrieval below another is internal.
    """
    lists = [retrieval for retrieval in trace.retrievals if not retrieval.internal]
    reranked = [retrieval for retrieval in trace.retrievals if retrieval.stage == "rerank"]
    if reranked:
        return reranked[-1].passages
    if lists:
        return lists[-1].passages
    return () if retrieved_nothing(trace) else None


def retrieved_nothing(trace: Trace) -> bool:
    """Whether a RAG assistant finished without a single retrieval."""
    return trace.assistant_kind == "rag" and not trace.retrievals


def share_of_groups(trace: Trace, k: int, *, strict: bool = False) -> float | None:
    """Share of the relevant groups that have a member among the first k shown.

    A document that stands in several groups, because it holds several of the values asked for,
    serves each of them.

    Returns:
        None when there is no retrieval gold or no list to judge.
    """
    judged = _groups_and_passages(trace, strict)
    if judged is None:
        return None
    groups, passages = judged
    shown = {passage.doc_id for passage in passages[:k]}
    return sum(not shown.isdisjoint(group) for group in groups) / len(groups)


def ranked_groups(
    trace: Trace, *, strict: bool = False
) -> tuple[list[Hashable], dict[Hashable, float]] | None:
    """The shown list and the relevant documents, with equal documents taken as one.

    Args:
        trace: A graded trace.
        strict: Count a document by its own id only, not by copies and quotes of it.

    Returns:
        Ranked documents, each relevant one replaced by the number of its first group, and the
        groups with grade 1; None when there is no retrieval gold or no list to judge.

    Source:
        Ours: a corpus that holds the same mail several times would punish finding another copy.
    """
    judged = _groups_and_passages(trace, strict)
    if judged is None:
        return None
    groups, passages = judged
    of_id: dict[str, int] = {}
    for number, group in enumerate(groups):
        for doc_id in group:
            of_id.setdefault(doc_id, number)
    ranked: list[Hashable] = [of_id.get(passage.doc_id, passage.doc_id) for passage in passages]
    return ranked, dict.fromkeys(range(len(groups)), 1.0)


def _groups_and_passages(
    trace: Trace, strict: bool
) -> tuple[tuple[tuple[str, ...], ...], tuple[Passage, ...]] | None:
    outcome = trace.outcome
    if outcome is None or outcome.grader_error is not None:
        return None
    groups = outcome.relevant_strict if strict else outcome.relevant
    passages = shown_passages(trace)
    return (groups, passages) if groups and passages is not None else None
