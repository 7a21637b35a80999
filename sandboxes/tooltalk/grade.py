"""From a stored trace to an outcome: its calls are made again, each in the world of its turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    asked = [[_asked(trace.calls[place]) for place in places] for places in turns]
    made = play(originals, conversation, asked, forcing=not free)
    places = [place for turn in turns for place in turn]
    failed = [call for turn in made for call in turn]
    outcome = replace(
        blank,
        gold_scope="all",
        required_calls=gold_calls(conversation),
        similarity=name_of(similarity),
        calls=_in_order({p: _unjudged(call) for p, call in zip(places, failed, strict=True)}),
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
        calls=_in_order({p: _judged(call) for p, call in zip(places, verdict.calls, strict=True)}),
        comparisons=tuple(replace(one, call=places[one.call]) for one in verdict.comparisons),
        success=verdict.counts.success and not outcome.errored,
        flags={**outcome.flags, **_flags(verdict, conversation)},
    )


def _by_turn(calls: Sequence[Call], turns: int) -> list[list[int]]:
    """Places of the calls of each turn; a call beyond the last turn belongs to the last."""
    found: list[list[int]] = [[] for _ in range(turns)]
    for place, call in enumerate(calls):
        found[min(max(call.turn, 0), turns - 1)].append(place)
    return found


def _asked(call: Call) -> Asked | Made:
    """What to make of a call: an unfinished one is not made again, nobody knows how far it came."""
    if call.status == "unfinished":
        return Made(call.name, call.arguments, exception=UNFINISHED)
    return call.name, None if call.status == "malformed" else call.arguments


def _not_captured(call: Call) -> bool:
    return call.arguments is None and call.raw is None and call.status != "malformed"


def _in_order(verdicts: Mapping[int, CallVerdict]) -> tuple[CallVerdict, ...]:
    return tuple(verdicts[place] for place in sorted(verdicts))


def _unjudged(call: Made) -> CallVerdict:
    return CallVerdict(_kind_of(call.name), failed=call.exception is not None)


def _judged(call: Judged) -> CallVerdict:
    return replace(_unjudged(call.made), matched=call.gold, timing=call.timing)


def _kind_of(name: str) -> CallKind:
    spec = tool_specs().get(name)
    if spec is None:
        return "unknown"
    return "write" if spec.writes else "read"


def _flags(verdict: Verdict, conversation: Conversation) -> dict[str, bool]:
    """Diagnostics by name: kinds of error, and calls out of their turn."""
    errors = verdict.error_types(len(conversation.turns))
    timings = [call.timing for call in verdict.calls]
    return {
        **{name.replace("-", "_").replace(" ", "_"): bool(count) for name, count in errors.items()},
        "early_call": "early" in timings,
        "late_call": "late" in timings,
    }
