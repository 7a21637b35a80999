"""A LangChain vector store asked directly: each search is a `retrieval` span."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Mapping
from typing import Any, Final

from tracer import attributes as names
from tracer import spans
from tracer.chat_messages import passage_of
from tracer.functions import traced
from tracer.live import Span
from tracer.record import Recorder
from tracer.records import Passage

_SEARCHES: Final = (
    "similarity_search",
    "similarity_search_with_score",
    "similarity_search_with_relevance_scores",
    "max_marginal_relevance_search",
)


RECORDER: Final = "_recorder"
"""What is traced knows by whom."""


def is_vector_store(agent: object) -> bool:
    """Whether `agent` is searched as a LangChain vector store is."""
    return all(callable(getattr(agent, name, None)) for name in ("similarity_search", "add_texts"))


def trace_vector_store(store: Any, recorder: Recorder) -> Any:
    """A copy of the store over the same vectors; its searches are spans.

    Scores are noted where the search gives them; the retriever that `as_retriever` makes is traced
    by the graph it runs in, or by `trace`.
    """
    copied = copy.copy(store)
    object.__setattr__(copied, RECORDER, recorder)
    for name in _SEARCHES:
        for method in (name, f"a{name}"):
            search = getattr(store, method, None)
            if search is not None:
                object.__setattr__(copied, method, _traced_search(search, recorder, store))
    return copied


def _traced_search(search: Any, recorder: Recorder, store: Any) -> Any:
    signature = inspect.signature(search)

    def begin(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Span:
        given: Mapping[str, Any] = signature.bind_partial(*args, **kwargs).arguments
        k = given.get("k", getattr(signature.parameters.get("k"), "default", None))
        span = recorder.start("retrieval", "retrieval")
        spans.set_retrieval_query(
            span,
            str(given.get("query", "")),
            k if isinstance(k, int) else None,
            ranker=type(store).__name__,
        )
        return span

    def end(span: Span, found: Any) -> None:
        passages = [_passage(item) for item in found]
        spans.set_passages(span, passages)
        scores = [passage.score for passage in passages if passage.score is not None]
        if len(scores) > 1 and scores == sorted(scores) and scores[0] != scores[-1]:
            # Best first and rising: the store measures how far a document is, not how near.
            span.set(names.SCORE_KIND, "distance")

    return traced(search, begin, end)


def _passage(found: Any) -> Passage:
    if isinstance(found, tuple):
        passage = passage_of(found[0])
        return Passage(passage.doc_id, float(found[1]), passage.text)
    return passage_of(found)
