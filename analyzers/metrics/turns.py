"""Calls against the user turn they are due in: early, late, in their turn."""

from __future__ import annotations

from collections.abc import Sequence

from analyzers.base import metric
from analyzers.gold import graded
from tracer.records import CallVerdict, Outcome, Trace

NO_TURNS = "the suite does not tell turns apart"


def _judged(trace: Trace) -> tuple[Outcome, Sequence[CallVerdict]] | None:
    outcome = graded(trace)
    if outcome is None or not any(gold.turn is not None for gold in outcome.required_calls or ()):
        return None
    return outcome, outcome.calls


@metric("early_calls", stage="call", better="lower", unit="calls", undefined=NO_TURNS)
def early_calls(trace: Trace) -> float | None:
    """Calls that the answer key makes in a later turn of the conversation.

    Source:
        Ours; the published grader pairs calls over the whole conversation, whatever their turn.
    """
    found = _judged(trace)
    return None if found is None else float(sum(call.timing == "early" for call in found[1]))


@metric("late_calls", stage="call", better="lower", unit="calls", undefined=NO_TURNS)
def late_calls(trace: Trace) -> float | None:
    """Calls that the answer key makes in an earlier turn of the conversation.

    Source:
        Ours; under teacher forcing such a call mostly fails, its gold call having been made.
    """
    found = _judged(trace)
    return None if found is None else float(sum(call.timing == "late" for call in found[1]))


@metric("in_turn_call_recall", stage="call", better="higher", undefined=NO_TURNS)
def in_turn_call_recall(trace: Trace) -> float | None:
    """Required calls that were made in the turn they are due in, over required calls.

    Source:
        Ours: `required_call_recall` forgives a call that comes a turn too late.
    """
    found = _judged(trace)
    if found is None:
        return None
    outcome, calls = found
    served = {call.matched for call in calls if call.timing == "in_turn"}
    required = [i for i, gold in enumerate(outcome.required_calls or ()) if not gold.optional]
    return sum(i in served for i in required) / len(required) if required else None
