"""The published rules: play the calls and the answer key again, and compare where they end.

Source:
    WorkBench at 42f1b6d, `src/evals/utils.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sandboxes.workbench.calls import call_string, parse, replace_newlines, tool_of
from sandboxes.workbench.state import CASED, State, Table
from sandboxes.workbench.toolkit import ToolSpec, tool_specs
from tracer.records import Call, CallKind, CallVerdict, GoldCall, Json, Outcome, Task, Trace

WRITING_TOOLS = frozenset(
    {
        "analytics.create_plot",
        "calendar.create_event",
        "calendar.delete_event",
        "calendar.update_event",
        "customer_relationship_manager.add_customer",
        "customer_relationship_manager.delete_customer",
        "customer_relationship_manager.update_customer",
        "email.delete_email",
        "email.forward_email",
        "email.reply_email",
        "email.send_email",
        "project_management.create_task",
        "project_management.delete_task",
        "project_management.update_task",
    }
)
"""Tools with side effects, of all domains."""
READING_TOOLS = frozenset(
    {
        "analytics.engaged_users_count",
        "analytics.get_average_session_duration",
        "analytics.get_visitor_information_by_id",
        "analytics.total_visits_count",
        "analytics.traffic_source_count",
        "calendar.get_event_information_by_id",
        "calendar.search_events",
        "company_directory.find_email_address",
        "customer_relationship_manager.search_customers",
        "email.get_email_information_by_id",
        "email.search_emails",
        "project_management.get_task_information_by_id",
        "project_management.search_tasks",
    }
)
_DAY_SLIP = ("2023-11-29", ("2023-11-30",))
_START_SLIP = ("13:00:00", ("09:00:00", "11:00:00", "15:00:00", "15:30:00"))


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the published rules say of one list of call strings."""

    flags: Mapping[str, bool]
    """The seven published flags."""
    start: State
    after: State
    """Where the calls end."""
    expected: State
    """Where the answer key ends."""


def grade_calls(
    predicted: Sequence[str], gold: Sequence[str], error: str, originals: Mapping[str, Table]
) -> Verdict:
    """The verdict on call strings.

    Args:
        predicted: Call strings of the run in order, as recorded.
        gold: Call strings of the answer key.
        error: The run's own error; empty when there was none.
        originals: The tables that every task begins with.
    """
    predicted = [replace_newlines(text) for text in predicted]
    gold = [replace_newlines(text) for text in gold]
    start = State(originals)
    after, expected = replay(predicted, originals), replay(gold, originals)
    reached = after.same_as(expected)
    correct = reached and not error
    flags = {
        "correct": correct,
        "unwanted_side_effects": not reached and not after.exactly(start),
        "exact_match": _exact_match(predicted, gold),
        "no_actions": not predicted,
        "wrong_email": not correct and _wrong_domain(predicted),
        "end_date_minor_error": not correct and _slipped(predicted, gold, *_DAY_SLIP),
        "meeting_start_time_error": not correct and _slipped(predicted, gold, *_START_SLIP),
    }
    return Verdict(flags, start, after, expected)


def replay(texts: Sequence[str], originals: Mapping[str, Table]) -> State:
    """The state after the calls; one that is unreadable, unknown or raises is passed over."""
    state = State(originals)
    specs = tool_specs()
    for text in texts:
        call = parse(text)
        spec = specs.get(call.name) if call else None
        if call is None or spec is None:
            continue
        try:
            spec.function(state, *call.positional, **call.keywords)
        except Exception:  # the published rule: whatever a call raises, the next one runs
            continue
    return state


def _exact_match(predicted: Sequence[str], gold: Sequence[str]) -> bool:
    writes = [text.lower() for text in predicted if tool_of(text) in WRITING_TOOLS]
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
    verdict = grade_calls(texts, task.detail["gold"], error, originals)
    wanted = not verdict.expected.exactly(verdict.start)
    return replace(
        outcome,
        state_before=verdict.start.digest(),
        state_after=verdict.after.digest(),
        state_expected=verdict.expected.digest(),
        success=verdict.flags["correct"],
        unwanted_side_effect=verdict.flags["unwanted_side_effects"],
        failed_to_act=wanted and verdict.after.exactly(verdict.start),
        flags=verdict.flags,
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
    specs = tool_specs()
    for number, call in enumerate(calls, start=1):
        if call.name not in WRITING_TOOLS:
            continue
        if call.arguments is None and call.raw is None:
            return (
                f"call {number} ({call.name}): its arguments were not captured; "
                "record content to have the end state graded"
            )
        if call.name not in specs:
            return (
                f"call {number} ({call.name}): this tool is not built yet and its effect unknown; "
                f"built: {', '.join(specs)}"
            )
    return None


def call_verdicts(
    calls: Sequence[Call], texts: Sequence[str], gold: Sequence[GoldCall]
) -> tuple[CallVerdict, ...]:
    """What is said of each call: its kind, whether it failed, and which gold call it serves.

    Args:
        calls: Calls in trace order.
        texts: The same calls as call strings.
        gold: Writing calls of the answer key; each is served by the first call that equals it.

    Source:
        Ours; the published code compares end states only. Names and keyword arguments are compared
        without case, except values of status, list_name and board.
    """
    specs = tool_specs()
    left = {index: _comparable(call.name, call.arguments) for index, call in enumerate(gold)}
    verdicts = []
    for call, text in zip(calls, texts, strict=True):
        kind = kind_of(call.name)
        failed = call.error is not None or call.status in ("error", "malformed")
        made = _comparable(call.name, _arguments(call, text, specs.get(call.name)))
        served = (index for index, wanted in left.items() if wanted == made)
        matched = next(served, None) if kind == "write" and call.status == "ok" else None
        if matched is not None:
            del left[matched]
        counted = kind == "write" or (call.status == "malformed" and kind == "unknown")
        verdicts.append(CallVerdict(kind, failed, matched, counted))
    return tuple(verdicts)


def kind_of(name: str) -> CallKind:
    """Whether a tool reads or writes; unknown for a name that no tool of the benchmark has."""
    if name in WRITING_TOOLS:
        return "write"
    return "read" if name in READING_TOOLS else "unknown"


def _arguments(call: Call, text: str, spec: ToolSpec | None) -> Mapping[str, Json]:
    """The arguments as the replay reads them, else as the agent gave them."""
    parsed = parse(replace_newlines(text))
    parameters = list(spec.parameters["properties"]) if spec else []
    read = parsed.arguments(parameters) if parsed else None
    return call.arguments or {} if read is None else read


def _comparable(name: str, arguments: Mapping[str, Json]) -> tuple[str, dict[str, Json]]:
    cased = CASED | ({"new_value"} if arguments.get("field") in CASED else set())
    folded = {
        key: value.lower() if isinstance(value, str) and key not in cased else value
        for key, value in arguments.items()
    }
    return name, folded
