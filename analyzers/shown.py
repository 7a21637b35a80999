"""Which ranked list a reader was shown, and which documents count as one."""

from __future__ import annotations

from collections.abc import Callable, Hashable

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


def every_passage(trace: Trace) -> tuple[Passage, ...] | None:
    """The different documents of all top-level searches, in the order of their first appearance.

    None when an assistant that need not search did not, or when a list was not captured.
    """
    lists = [retrieval for retrieval in trace.retrievals if not retrieval.internal]
    if not lists:
        return () if retrieved_nothing(trace) else None
    seen: dict[str, Passage] = {}
    for retrieval in lists:
        if retrieval.passages is None:
            return None
        for passage in retrieval.passages:
            seen.setdefault(passage.doc_id, passage)
    return tuple(seen.values())


def retrieved_nothing(trace: Trace) -> bool:
    """Whether a RAG assistant finished without a single retrieval."""
    return trace.assistant_kind == "rag" and not trace.retrievals


def share_of_groups(
    trace: Trace, k: int, *, strict: bool = False, every: bool = False
) -> float | None:
    """Share of the relevant groups that have a member among the first k shown.

    With `every`, among the first k different documents of all searches.

    A document that stands in several groups, because it holds several of the values asked for,
    serves each of them.

    Returns:
        None when there is no retrieval gold or no list to judge.
    """
    judged = _groups_and_passages(trace, strict, every_passage if every else shown_passages)
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
    judged = _groups_and_passages(trace, strict, shown_passages)
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
    trace: Trace, strict: bool, listed: Callable[[Trace], tuple[Passage, ...] | None]
) -> tuple[tuple[tuple[str, ...], ...], tuple[Passage, ...]] | None:
    outcome = trace.outcome
    if outcome is None or outcome.grader_error is not None:
        return None
    groups = outcome.relevant_strict if strict else outcome.relevant
    passages = listed(trace)
    return (groups, passages) if groups and passages is not None else None
