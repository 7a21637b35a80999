"""The rules: make the calls and the answer key's calls again, and compare where they end.

`official` compares tables row by row with their labels. `strict` lets the order and the ids of new
rows pass and counts failed actions. `revised` compares rows as sets, ids included.

Source:
    `official`: WorkBench at 42f1b6d, `src/evals/utils.py`. `revised`: WorkBench at 228cbe6 (2026),
    `src/evals/evaluation.py`, as far as specified. `strict`: ours, `docs/workbench.md` says why.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from sandboxes.workbench.calls import call_string, replace_newlines, tool_of
from sandboxes.workbench.replay import Attempt, attempt_of, attempts_of, replay, with_yesterday
from sandboxes.workbench.state import State
from sandboxes.workbench.tables import Table
from sandboxes.workbench.toolkit import writing_tools
from sandboxes.workbench.verdicts import call_verdicts
from tracer.records import Call, Outcome, Task, Trace

MODES = ("official", "strict", "revised")
PLOTS = "plots"
"""The table that `revised` lets pass when it looks for side effects: a plot harms nobody."""
_DAY_SLIP = ("2023-11-29", ("2023-11-30",))
_START_SLIP = ("13:00:00", ("09:00:00", "11:00:00", "15:00:00", "15:30:00"))


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the rules of a mode say of the calls of a run."""

    flags: Mapping[str, bool]
    """The seven published flags."""
    reached: bool
    """Whether the state is the wanted one, whatever else went wrong."""
    failed: bool
    """Whether an action failed; only `strict` and `revised` count it."""
    start: State
    after: State
    """Where the calls end."""
    expected: State
    """Where the answer key ends."""


def grade_calls(
    predicted: Sequence[str],
    gold: Sequence[str],
    error: str,
    originals: Mapping[str, Table],
    mode: str = "official",
    attempts: Sequence[Attempt] | None = None,
) -> Verdict:
    """The verdict on call strings.

    Args:
        predicted: Call strings of the run in order, as recorded.
        gold: Call strings of the answer key.
        error: The run's own error; empty when there was none.
        originals: The tables that every task begins with.
        mode: Grading mode.
        attempts: The calls of the run themselves, where more than their strings is known.
    """
    predicted = [replace_newlines(text) for text in predicted]
    gold = [replace_newlines(text) for text in gold]
    attempts = attempts_of(predicted) if attempts is None else attempts
    wanted = attempts_of(gold)
    if mode == "revised":
        attempts, wanted = with_yesterday(attempts), with_yesterday(wanted)
    start = State(originals, mode)
    run, key = replay(attempts, originals, mode), replay(wanted, originals, mode)
    reached = _SAME[mode](run.state, key.state)
    clean = mode == "official" or not run.failed
    correct = reached and clean and not error
    excused = reached if mode != "revised" else reached and clean
    flags = {
        "correct": correct,
        "unwanted_side_effects": not excused and not _UNTOUCHED[mode](run.state, start),
        "exact_match": _exact_match(predicted, gold),
        "no_actions": not predicted,
        "wrong_email": not correct and _wrong_domain(predicted),
        "end_date_minor_error": not correct and _slipped(predicted, gold, *_DAY_SLIP),
        "meeting_start_time_error": not correct and _slipped(predicted, gold, *_START_SLIP),
    }
    return Verdict(flags, reached, run.failed, start, run.state, key.state)


def _same_but_for_new_ids(mine: State, theirs: State) -> bool:
    return all(one.same_rows(other, ids="old") for one, other in mine.compared_with(theirs))


def _same_rows(mine: State, theirs: State) -> bool:
    return all(one.same_rows(other, ids="all") for one, other in mine.compared_with(theirs))


def _untouched_but_plots(mine: State, theirs: State) -> bool:
    return all(
        one.spec.name == PLOTS or one.same_rows(other, ids="all", fold=False)
        for one, other in mine.compared_with(theirs)
    )


_Compare = Callable[[State, State], bool]
_SAME: Mapping[str, _Compare] = {
    "official": State.same_as,
    "strict": _same_but_for_new_ids,
    "revised": _same_rows,
}
_UNTOUCHED: Mapping[str, _Compare] = {
    "official": State.exactly,
    "strict": State.exactly,
    "revised": _untouched_but_plots,
}


def _exact_match(predicted: Sequence[str], gold: Sequence[str]) -> bool:
    writes = [text.lower() for text in predicted if tool_of(text) in writing_tools()]
    return sorted(writes) == sorted(text.lower() for text in gold)


def _wrong_domain(predicted: Sequence[str]) -> bool:
    whole = "\n".join(predicted)
    return "@example" in whole and "@atlas" not in whole


def _slipped(
    predicted: Sequence[str], gold: Sequence[str], right: str, slips: Sequence[str]
) -> bool:
    """Whether every call of the key was made, but with a certain wrong day or time."""
    return bool(gold) and all(
        right in text and any(text.replace(right, slip) in predicted for slip in slips)
        for text in gold
    )


def grade(task: Task, trace: Trace, originals: Mapping[str, Table], blank: Outcome) -> Outcome:
    """The outcome of a run, from its trace alone.

    Args:
        task: The task, as `tasks.py` made it.
        trace: The run; all its calls count, malformed and unknown ones too.
        originals: The tables that every task begins with.
        blank: An outcome with mode and versions filled in.
    """
    gold_calls = task.calls or ()
    texts = [_text(call) for call in trace.calls]
    error = _error(trace)
    outcome = replace(
        blank,
        gold_scope="writes",
        required_calls=gold_calls,
        calls=call_verdicts(trace.calls, texts, gold_calls),
        errored=bool(error),
    )
    problem = _ungradable(trace.calls)
    if problem:
        return replace(outcome, grader_error=problem)
    official = blank.mode == "official"
    attempts = None if official else [attempt_of(call) for call in trace.calls]
    verdict = grade_calls(texts, task.detail["gold"], error, originals, blank.mode, attempts)
    wanted = not verdict.expected.exactly(verdict.start)
    return replace(
        outcome,
        state_before=verdict.start.digest(),
        state_after=verdict.after.digest(),
        state_expected=verdict.expected.digest(),
        success=verdict.flags["correct"],
        unwanted_side_effect=verdict.flags["unwanted_side_effects"],
        failed_to_act=wanted and verdict.after.exactly(verdict.start),
        flags={
            **verdict.flags,
            "errored_but_correct": bool(error) and verdict.reached,
            "failed_action": verdict.failed,
        },
    )


def _error(trace: Trace) -> str:
    """The run's own error as text; a run that never ended counts as one that failed."""
    if trace.error or trace.status == "ok":
        return trace.error or ""
    return trace.error_type or trace.status


def _text(call: Call) -> str:
    """The call as the benchmark would have recorded it."""
    if call.raw is not None:
        return call.raw
    return call_string(call.name, call.arguments or {})


def _ungradable(calls: Sequence[Call]) -> str | None:
    """Why the end state of the calls cannot be known; None when it can."""
    for number, call in enumerate(calls, start=1):
        unknown = call.arguments is None and call.raw is None
        if unknown and call.name in writing_tools():
            return (
                f"call {number} ({call.name}): its arguments were not captured; "
                "record content to have the end state graded"
            )
    return None
