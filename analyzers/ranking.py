"""What a ranked list is worth, given which documents are relevant; no trace, no files."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Hashable, Iterable, Mapping, Sequence

Ids = Sequence[Hashable]
CURVE = (5, 10, 20, 100)
"""The k of Out of Style, tables 8 to 11."""


def positive(relevance: Mapping[Hashable, float]) -> dict[Hashable, float]:
    """The documents whose grade is above 0, with their grades."""
    return {doc_id: float(grade) for doc_id, grade in relevance.items() if grade > 0}


def distinct(ranked: Iterable[Hashable]) -> list[Hashable]:
    """The list without repeats, first appearances kept in order."""
    return list(dict.fromkeys(ranked))


def recall_at(k: int, ranked: Ids, relevance: Mapping[Hashable, float]) -> float | None:
    """Share of the relevant documents among the first k; None when no relevant one is known.

    The list is cut at k before repeats are dropped, because k slots are what a reader saw.

    Source:
        Lost in the Request, section 3.4; repeats and undefined items: ours.

    Example:
        >>> recall_at(5, ["x", "y", "g", "z"], {"g": 1})
        1.0
        >>> recall_at(5, ["x", "x", "x", "x", "x", "g"], {"g": 1})
        0.0
    """
    wanted = positive(relevance)
    if not wanted:
        return None
    return len(wanted.keys() & set(ranked[:k])) / len(wanted)


def hit_at(k: int, ranked: Ids, relevance: Mapping[Hashable, float]) -> float | None:
    """1.0 when any relevant document is among the first k; None when no relevant one is known."""
    recall = recall_at(k, ranked, relevance)
    return None if recall is None else float(recall > 0)


def precision_at(k: int, ranked: Ids, relevance: Mapping[Hashable, float]) -> float | None:
    """Relevant documents among the first k, divided by k even when fewer came back.

    Source:
        trec_eval's P_k.
    """
    wanted = positive(relevance)
    if not wanted:
        return None
    return len(wanted.keys() & set(ranked[:k])) / k


def reciprocal_rank(ranked: Ids, relevance: Mapping[Hashable, float]) -> float | None:
    """1 / rank of the first relevant document over the whole list, 0.0 when there is none.

    Example:
        >>> reciprocal_rank(["x", "x", "g"], {"g": 1})
        0.5
    """
    wanted = positive(relevance)
    if not wanted:
        return None
    for rank, doc_id in enumerate(distinct(ranked), start=1):
        if doc_id in wanted:
            return 1 / rank
    return 0.0


def ndcg_at(k: int, ranked: Ids, relevance: Mapping[Hashable, float]) -> float | None:
    """Discounted gain of the first k over that of the best order.

    Gain is the grade, discount log2(rank + 1). Ranks count distinct documents of the first k slots.

    Source:
        Järvelin and Kekäläinen 2002 with linear gain, as trec_eval's ndcg_cut.
    """
    wanted = positive(relevance)
    if not wanted:
        return None
    gains = [wanted.get(doc_id, 0.0) for doc_id in distinct(ranked[:k])]
    best = sorted(wanted.values(), reverse=True)[:k]
    return _discounted(gains) / _discounted(best)


def average_precision(ranked: Ids, relevance: Mapping[Hashable, float]) -> float | None:
    """Mean of the precision at each relevant rank, over all relevant documents.

    Source:
        trec_eval's map, ranks counted over distinct documents.
    """
    wanted = positive(relevance)
    if not wanted:
        return None
    found = 0
    total = 0.0
    for rank, doc_id in enumerate(distinct(ranked), start=1):
        if doc_id in wanted:
            found += 1
            total += found / rank
    return total / len(wanted)


def _discounted(gains: Sequence[float]) -> float:
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def answer_tokens(text: str) -> list[str]:
    """Words and single signs of a text, decomposed and in lower case.

    Source:
        The simple tokeniser of DPR (facebookresearch/DPR), which Out of Style's retrieval script
        uses.

    Example:
        >>> answer_tokens("Kay's plan, v2")
        ['kay', "'", 's', 'plan', ',', 'v2']
    """
    tokens: list[str] = []
    word = ""
    for character in unicodedata.normalize("NFD", text).lower():
        category = unicodedata.category(character)[0]
        if category in "LNM":
            word += character
            continue
        if word:
            tokens.append(word)
            word = ""
        if category not in "ZC":
            tokens.append(character)
    return [*tokens, word] if word else tokens


def holds_answer(passage: str, answers: Iterable[str]) -> bool:
    """Whether the tokens of any answer stand in the passage one after the other.

    Source:
        Out of Style, released script `retrieval/contriever/src/evaluation.py` at 9da5447.

    Example:
        >>> holds_answer("The rocky shore", ["rock"])
        False
    """
    tokens = answer_tokens(passage)
    for answer in answers:
        wanted = answer_tokens(answer)
        width = len(wanted)
        if width and any(
            tokens[start : start + width] == wanted for start in range(len(tokens) - width + 1)
        ):
            return True
    return False
