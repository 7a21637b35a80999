"""Counts of calls made, required and matched, and the rates that follow from them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real

from analyzers.call_matching import Matching, match_calls
from analyzers.redacted import hides_call
from tracer.records import CallVerdict, GoldCall, Json, Trace


@dataclass(frozen=True, slots=True)
class CallCounts:
    """What all call metrics of one run are made of.

    Source:
        ToolTalk's counting (microsoft/ToolTalk at e05f4ce, `tool_executor.py`), with the cases of
        no call and no gold settled by us.
    """

    matched: int
    """Calls made that serve a gold call, each gold call served once."""
    made: int
    """Calls made, of the kinds that the suite's gold lists."""
    required: int
    """Gold calls, optional ones only where matched."""
    reads: int
    writes: int
    """Writing calls, failed ones included."""
    unsupported: int
    """Writing calls that serve no gold call and did not fail."""
    failed_writes: int
    gold_writes: int

    def precision(self) -> float:
        """Matched over made; with no call made 1.0 if none was required, else 0.0."""
        return self.matched / self.made if self.made else float(self.required == 0)

    def recall(self) -> float | None:
        """Matched over required; None when nothing is required."""
        return self.matched / self.required if self.required else None

    def f1(self) -> float:
        """Harmonic mean of precision and recall, 1.0 when nothing was required and nothing made."""
        total = self.made + self.required
        return 2 * self.matched / total if total else 1.0

    def incorrect_action_rate(self) -> float:
        """Unsupported writes over writes, 0.0 when nothing was written."""
        return self.unsupported / self.writes if self.writes else 0.0

    def read_without_write(self) -> float | None:
        """1.0 when a write was wanted and only reads were made; None when no write was wanted."""
        if not self.gold_writes:
            return None
        return float(self.reads > 0 and self.writes == 0)

    def success(self) -> float:
        """1.0 when every required call was made and no unsupported write was."""
        return float(self.recall() in (None, 1.0) and self.unsupported == 0)

    def soft_success(self) -> float:
        """Recall times the share of right writes; with nothing required that share alone."""
        recall = self.recall()
        return (1.0 if recall is None else recall) * (1 - self.incorrect_action_rate())


def counts_of(trace: Trace) -> CallCounts | None:
    """The counts from the grader's verdicts; None where the suite has no call gold.

    Verdicts are read, never made anew. A malformed call is among the calls made and in no other
    count; an unfinished one is a write without being unsupported. None also where a call's
    arguments were not captured, or were redacted and might be those of a gold call that is missing.
    """
    outcome = trace.outcome
    if outcome is None or outcome.grader_error is not None or outcome.required_calls is None:
        return None
    if any(_not_captured(call.arguments, call.raw, call.status) for call in trace.calls):
        return None
    if hides_call(trace):
        return None
    states = [call.status for call in trace.calls]
    if len(states) != len(outcome.calls):
        states = ["ok"] * len(outcome.calls)
    executed = [
        verdict
        for verdict, state in zip(outcome.calls, states, strict=True)
        if state != "malformed"
    ]
    served = {verdict.matched for verdict in outcome.calls if verdict.matched is not None}
    writes = [verdict for verdict in executed if verdict.kind == "write"]
    unfinished = [state == "unfinished" for state in states if state != "malformed"]
    return CallCounts(
        matched=len(served),
        made=sum(verdict.counted for verdict in outcome.calls),
        required=_required(outcome.required_calls, served),
        reads=sum(verdict.kind == "read" for verdict in executed),
        writes=len(writes),
        unsupported=sum(
            _unsupported(verdict) and not open_end
            for verdict, open_end in zip(executed, unfinished, strict=True)
        ),
        failed_writes=sum(verdict.failed for verdict in writes),
        gold_writes=sum(gold.writes and not gold.optional for gold in outcome.required_calls),
    )


def _not_captured(arguments: Mapping[str, Json] | None, raw: str | None, status: str) -> bool:
    return arguments is None and raw is None and status != "malformed"


def _required(gold: Sequence[GoldCall], served: set[int]) -> int:
    return sum(not call.optional or index in served for index, call in enumerate(gold))


def _unsupported(verdict: CallVerdict) -> bool:
    return verdict.kind == "write" and verdict.matched is None and not verdict.failed


def count_calls(
    gold: Sequence[tuple[str, Mapping[str, Json]]],
    predicted: Sequence[tuple[str, Mapping[str, Json], bool]],
    write_tools: frozenset[str],
    matching: Matching = "first",
) -> CallCounts:
    """The counts of bare call lists, matched one to one in the order made.

    Args:
        gold: Required calls: name and arguments.
        predicted: Calls made: name, arguments, and whether the call came back without an exception.
        write_tools: Names of the tools that change the world; all others read.
        matching: How calls are paired; see `match_calls`.

    Source:
        ToolTalk's greedy matching with equality of arguments in place of its similarity.
    """

    def fits(made: int, wanted: int) -> bool:
        name, arguments, _ = predicted[made]
        return name == gold[wanted][0] and same_value(gold[wanted][1], arguments)

    pairs = match_calls(len(predicted), len(gold), fits, matching)
    writes = [i for i, (name, _, _) in enumerate(predicted) if name in write_tools]
    return CallCounts(
        matched=len(pairs),
        made=len(predicted),
        required=len(gold),
        reads=len(predicted) - len(writes),
        writes=len(writes),
        unsupported=sum(i not in pairs and predicted[i][2] for i in writes),
        failed_writes=sum(not predicted[i][2] for i in writes),
        gold_writes=sum(name in write_tools for name, _ in gold),
    )


def same_value(left: Json, right: Json) -> bool:
    """Whether two argument values are equal.

    Numbers by value; a bool is no number, a text is no number, null is no empty text.

    Source:
        Ours; Python's own equality takes True for 1.

    Example:
        >>> same_value({"n": 12}, {"n": 12.0}), same_value(1, True), same_value(None, "")
        (True, False, False)
    """
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, Real) and isinstance(right, Real):
        return bool(left == right) or (_is_nan(left) and _is_nan(right))
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(same_value(left[k], right[k]) for k in left)
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        return len(left) == len(right) and all(map(same_value, left, right))
    return type(left) is type(right) and bool(left == right)


def _is_nan(number: Real) -> bool:
    return isinstance(number, float) and math.isnan(number)
