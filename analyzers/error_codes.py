"""What kind of wrong an answer is: the codes, and what can be said of a trace without a reader."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

from analyzers.gold import answer_and_golds
from analyzers.shown import shown_passages
from tracer.answer_text import answer_match, normalise
from tracer.records import Passage, Trace

Fault: TypeAlias = Literal["", "generation", "retrieval", "partial", "unknown"]
"""Nothing is wrong; the gold was shown; it was not; a part of it was; nobody knows."""

GENERATION = {
    "E6": "defective gold or judge too strict",
    "E7": "false abstention",
    "E3": "answer taken from another retrieved document",
    "E4": "wrong semantic type",
    "E2": "wrong role or event",
    "E1": "wrong value",
    "E5": "incomplete",
    "E8": "unsupported content",
}
"""Codes of answers that are wrong although the gold was shown, the first that holds wins.

Source: Lost in the Request, appendix F; E3 and E6 bear its numbers, the others and the order ours.
"""
RETRIEVAL = {
    "R1": "says that the fact is absent",
    "R2": "hedges",
    "R3": "answers confidently all the same",
}
"""Codes of answers to which the gold was never shown. Source: the same."""
UNCODED = "-"
"""No deterministic sign points to a code; a reader is needed."""

_ABSTAINS = re.compile(
    r"\b(?:(?:do|does|did) not (?:say|state|mention|contain|know)"
    r"|(?:don't|doesn't|didn't) (?:say|state|mention|contain|know)"
    r"|not (?:mentioned|stated|specified|available|provided|found)"
    r"|no (?:information|mention|answer)"
    r"|(?:cannot|can't|could not|couldn't|unable to) (?:find|determine|tell|answer|say)"
    r"|nothing (?:about|on|says))\b",
    re.IGNORECASE,
)
_HEDGES = re.compile(
    r"\b(?:not (?:sure|certain|clear)|unclear|might|may be|perhaps|possibly|probably|likely"
    r"|(?:it )?(?:seems|appears)|i (?:think|believe|guess)|could be)\b",
    re.IGNORECASE,
)
_MONTH = re.compile(
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b|\b\d{4}-\d\d-\d\d\b"
    r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d")
_NAME = re.compile(r"\b[A-Z][\w'-]+")
_LIST = re.compile(r"\s*(?:,|;|\band\b)\s*")
_COMMON = frozenset(
    re.findall(
        r"\w+",
        "and are as at be by for from has have in is it its of on or that this to was were will "
        "with you your i we they he she not no",
    )
)


def fault_of(trace: Trace, *, right: float | None, recall: float | None) -> Fault:
    """Where a wrong answer comes from: the gold was not shown, or it was and was misread.

    Args:
        trace: A run of a reading assistant.
        right: Its answer's score.
        recall: Its Recall@5.

    Source:
        Lost in the Request, section 4.2.1; with several gold documents of which some were shown:
        ours, kept apart.
    """
    if right is None or right >= 1:
        return ""
    if recall is None:
        return "unknown"
    if recall >= 1:
        return "generation"
    return "retrieval" if recall == 0 else "partial"


def candidates(trace: Trace, fault: Fault) -> tuple[str, ...]:
    """Codes that a deterministic sign points to, in the order of precedence; a reader decides.

    Args:
        trace: A run whose answer is wrong.
        fault: As `fault_of` says.

    Source:
        Ours, from the definitions of the codes.
    """
    pair = answer_and_golds(trace)
    if pair is None or not fault:
        return ()
    answer, golds = pair
    if fault == "retrieval":
        code = "R1" if _ABSTAINS.search(answer) else "R2" if _HEDGES.search(answer) else "R3"
        return (code,)
    passages = shown_passages(trace) or ()
    relevant = _relevant_ids(trace)
    signs = {
        "E7": bool(_ABSTAINS.search(answer)) or not answer.strip(),
        "E3": _from_another(answer, passages, relevant),
        "E4": _other_type(answer, golds[0]),
        "E5": _part_of_list(answer, golds),
        "E8": _nowhere(answer, passages),
    }
    return tuple(code for code in GENERATION if signs.get(code))


def _relevant_ids(trace: Trace) -> set[str]:
    groups = trace.outcome.relevant if trace.outcome is not None else None
    return {doc_id for group in groups or () for doc_id in group}


def _from_another(answer: str, passages: Iterable[Passage], relevant: set[str]) -> bool:
    if not normalise(answer):
        return False
    held = [
        passage.doc_id in relevant
        for passage in passages
        if passage.text is not None and answer_match(passage.text, [answer]) == 1.0
    ]
    return bool(held) and not any(held)


def _other_type(answer: str, gold: str) -> bool:
    """The gold is a date, a number or a name, and the answer holds nothing of the kind."""
    for kind in (_MONTH, _NUMBER):
        if kind.search(gold):
            return not kind.search(answer)
    words = gold.split()
    is_name = bool(words) and all(_NAME.match(word) for word in words)
    return is_name and not _NAME.search(answer[1:])


def _part_of_list(answer: str, golds: Sequence[str]) -> bool:
    """The answer holds some items of a gold list and lacks others."""
    for gold in golds:
        items = [item for item in _LIST.split(gold) if normalise(item)]
        held = [answer_match(answer, [item]) == 1.0 for item in items]
        if len(items) > 1 and any(held) and not all(held):
            return True
    return False


def _nowhere(answer: str, passages: Sequence[Passage]) -> bool:
    """No word of the answer stands in any text that was shown."""
    words = set(normalise(answer).split()) - _COMMON
    texts = [passage.text for passage in passages]
    if not words or not texts or None in texts:
        return False
    return not any(words & set(normalise(text).split()) for text in texts if text is not None)
