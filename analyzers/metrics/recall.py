"""Recall@k, its strict form, and recall over all searches of an agent."""

from __future__ import annotations

from analyzers.base import Score, metric
from analyzers.ranking import CURVE
from analyzers.shown import share_of_groups
from tracer.records import Trace

NO_LIST = "no relevant document known, or no ranked list"


def _recall(k: int, *, strict: bool = False) -> Score:
    def score(trace: Trace) -> float | None:
        return share_of_groups(trace, k, strict=strict)

    score.__doc__ = (
        f"Share of the relevant documents among the first {k} shown to the reader"
        + (", copies and quotes of a document not counted.\n" if strict else ".\n")
        + (
            "\nSource:\n    Ours: recall@5 takes equal documents as one, this one does not.\n"
            if strict
            else "\nSource:\n    Lost in the Request, section 3.4 (k = 5); other k: ours.\n"
        )
    )
    return score


def _recall_any(k: int) -> Score:
    def score(trace: Trace) -> float | None:
        return share_of_groups(trace, k, every=True)

    score.__doc__ = (
        f"Share of the relevant documents among the first {k} different ones of all searches, in "
        "the order in which they first came up.\n"
        "\nSource:\n    Ours: an agent that searches several times has seen more than its last "
        "list.\n"
    )
    return score


for _k in (1, 3, *CURVE):
    metric(f"recall@{_k}", stage="retrieval", better="higher", undefined=NO_LIST)(_recall(_k))
for _k in (5, 20):
    metric(f"recall_any@{_k}", stage="retrieval", better="higher", undefined=NO_LIST)(
        _recall_any(_k)
    )
metric("recall_strict@5", stage="retrieval", better="higher", undefined=NO_LIST)(
    _recall(5, strict=True)
)
