"""From a stored trace to an outcome: its calls are made again where the benchmark would make them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sandboxes.tooltalk.replay import (
    UNFINISHED,
    Asked,
    Conversation,
    Made,
    play,
    read_conversation,
)
from sandboxes.tooltalk.similarity import EQUAL_TEXTS, Similarity, name_of
from sandboxes.tooltalk.state import Databases
from sandboxes.tooltalk.tasks import gold_calls
from sandboxes.tooltalk.toolkit import tool_specs
from sandboxes.tooltalk.verdict import GraderCrashError, Judged, Verdict, judge
from tracer.records import Call, CallKind, CallVerdict, Outcome, Task, Trace


def grade(
    task: Task, trace: Trace, originals: Databases, similarity: Similarity, blank: Outcome
) -> Outcome:
    """The outcome of a run, from task and trace alone.

    Results are not taken from the trace: a foreign one need not carry them, and the world gives the
    same ones again.

    Args:
        task: The task, as `tasks.py` made it.
        trace: The run; `Call.turn` tells the user turn of a call.
        originals: The databases.
        similarity: Likeness of two texts.
        blank: An outcome with mode and versions filled in.
    """
    conversation = read_conversation(task.detail["conversation"])
    free = bool(task.detail.get("free_running"))
    turns = _by_turn(trace.calls, len(conversation.turns))
    made = play(originals, conversation, _asked(turns), forcing=not free)
    order = [trace.calls.index(call) for calls in turns for call in calls]
    outcome = replace(
        blank,
        gold_scope="all",
        required_calls=gold_calls(conversation),
        similarity=name_of(similarity),
        calls=_in_order([_unjudged(call) for calls in made for call in calls], order),
        errored=trace.error is not None or trace.status != "ok",
        flags={"free_running": free, "equal_texts_only": name_of(similarity) == EQUAL_TEXTS},
    )
    missing = next((call for call in trace.calls if _not_captured(call)), None)
    if missing is not None:
        return replace(
            outcome,
            grader_error=f"the arguments of a call of {missing.name!r} were not captured; "
            "record content to have it graded",
        )
    gold = [turn.calls for turn in conversation.turns]
    try:
        verdict = judge(made, gold, blank.mode, similarity)
    except GraderCrashError as crash:
        return replace(outcome, grader_error=str(crash))
    return replace(
        outcome,
        calls=_in_order([_judged(call) for call in verdict.calls], order),
        comparisons=tuple(
            replace(comparison, call=order[comparison.call]) for comparison in verdict.comparisons
        ),
        success=verdict.counts.success and not _strictly_failed(blank.mode, outcome),
        flags={**outcome.flags, **_flags(verdict, conversation)},
    )


def _by_turn(calls: Sequence[Call], turns: int) -> list[list[Call]]:
    """The calls of each turn; one beyond the last turn counts to it."""
    found: list[list[Call]] = [[] for _ in range(turns)]
    for call in calls:
        found[min(max(call.turn, 0), turns - 1)].append(call)
    return found
