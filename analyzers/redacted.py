"""Where a comparison met a redaction mark, so that nobody can tell how it would have ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from analyzers.base import Metric
from tracer.records import Trace
from tracer.redact import is_marked

REDACTED: Final = "what is compared was redacted"
"""The reason that a footnote gives."""


def hides_answer(answer: str, golds: Sequence[str]) -> bool:
    """Whether the answer holds a mark, and no gold answer stands in it or has the mark itself."""
    return is_marked(answer) and not any(gold in answer or is_marked(gold) for gold in golds)


def hides_call(trace: Trace) -> bool:
    """Whether a call that serves no gold call has redacted arguments and might have served one.

    Another call of the same tool is wanted and missing then; without the secret nobody knows
    whether this is it.
    """
    outcome = trace.outcome
    if outcome is None or not outcome.required_calls or len(outcome.calls) != len(trace.calls):
        return False
    served = {verdict.matched for verdict in outcome.calls}
    missing = {
        gold.name
        for number, gold in enumerate(outcome.required_calls)
        if number not in served and not is_marked(gold.arguments)
    }
    return any(
        verdict.matched is None and call.name in missing and is_marked(call.arguments)
        for verdict, call in zip(outcome.calls, trace.calls, strict=True)
    )


def hides_verdict(trace: Trace) -> bool:
    """Whether the suite's verdict rests on an answer or a call that is redacted."""
    golds = () if trace.outcome is None else trace.outcome.gold_answers
    return hides_call(trace) or bool(golds and hides_answer(trace.answer or "", golds))


def hides_value(trace: Trace, metric: Metric) -> bool:
    """Whether a metric has no value because of redaction."""
    stage = metric.stage
    if stage == "retrieval":
        if not metric.name.startswith("hit_by_answer"):
            return False  # compares ids, which are never redacted
        shown = [passage.text for one in trace.retrievals for passage in one.passages or ()]
        return is_marked(shown)
    if stage == "answer":
        return is_marked(trace.answer)
    return hides_call(trace) if stage in ("call", "act") else hides_verdict(trace)
