"""One trace as a tree of lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from rich.text import Text

from stagetrace.tracetext import ANSWER_LETTERS, View, compact, cut, verdict_of
from tracer.printable import printable
from tracer.records import Call, GoldCall, ModelCall, Outcome, Retrieval, Trace

_BRANCH = {True: ("├ ", "│ ", "└ "), False: ("|- ", "|  ", "`- ")}


def tree(trace: Trace, view: View) -> list[Text]:
    """Head, request, steps in their order, answer, and what the answer key misses."""
    branch, rest, last = _BRANCH[view.unicode]
    lines = [_head(trace, view), Text(f'"{cut(trace.request.text, view, ANSWER_LETTERS)}"')]
    for step in _steps(trace):
        title, *details = _described(step, view)
        lines.append(_aligned(branch + title, _seconds(step), view.width))
        lines.extend(Text(rest + "  " + detail) for detail in details)
    lines.append(Text(last + _ending(trace, view)))
    if trace.outcome is not None:
        lines.extend(_against_gold(trace, trace.outcome, view))
    lines.extend(Text("warning: " + printable(warning)) for warning in trace.warnings)
    return lines


def _head(trace: Trace, view: View) -> Text:
    request = trace.request
    dot = " · " if view.unicode else " . "
    names = [request.item or "no item", request.condition, f"run {request.replicate + 1}"]
    names.append(f"trace {trace.trace_id[:8]}")
    return _aligned(dot.join(printable(name) for name in names), verdict_of(trace), view.width)


def _steps(trace: Trace) -> list[Retrieval | ModelCall | Call]:
    steps: list[Retrieval | ModelCall | Call] = [
        *trace.retrievals,
        *trace.model_calls,
        *trace.calls,
    ]
    return sorted(steps, key=lambda step: step.sequence)


def _described(step: Retrieval | ModelCall | Call, view: View) -> Iterator[str]:
    if isinstance(step, ModelCall):
        tokens = f"  in {_tokens(step.input_tokens)} out {_tokens(step.output_tokens)}"
        known = step.input_tokens is not None or step.output_tokens is not None
        yield f"chat {printable(step.model)}{tokens if known else ''}"
        if step.error:
            yield f"error: {cut(step.error, view)}"
    elif isinstance(step, Call):
        effect = "" if step.kind == "unknown" else f"  {step.kind}"
        yield f"tool {printable(step.name)}{effect}  {step.status}{_changes(step)}"
        yield from _arguments(step, view)
        if step.error:
            yield f"error: {cut(step.error, view)}"
        elif step.result is not None:
            yield f"result: {cut(compact(step.result), view)}"
    else:
        ranker = f" {printable(step.ranker)}" if step.ranker else ""
        count = (
            "documents not captured" if step.passages is None else f"{len(step.passages)} documents"
        )
        yield f"{step.stage}{ranker}  {count}"
        if step.query:
            yield f'query: "{cut(step.query, view)}"'
        for rank, passage in enumerate(step.passages or (), start=1):
            score = "" if passage.score is None else f"  {passage.score:.4g}"
            yield f"{rank}  {printable(passage.doc_id)}{score}"


def _arguments(call: Call, view: View) -> Iterator[str]:
    if call.arguments is None:
        yield f"arguments unread: {cut(call.raw or 'not captured', view)}"
        return
    for name, value in call.arguments.items():
        yield f"{printable(name)}={cut(compact(value), view)}"


def _changes(call: Call) -> str:
    return (
        f"  {len(call.changes)} changes"
        if len(call.changes) > 1
        else "  1 change" * len(call.changes)
    )


def _ending(trace: Trace, view: View) -> str:
    if trace.error is not None:
        kind = f"{printable(trace.error_type)}: " if trace.error_type else ""
        return f"failed: {kind}{cut(trace.error, view, ANSWER_LETTERS)}"
    if trace.answer is None:
        return "no answer" if trace.status != "unfinished" else "unfinished"
    return f'answer "{cut(trace.answer, view, ANSWER_LETTERS)}"'


def _against_gold(trace: Trace, outcome: Outcome, view: View) -> Iterator[Text]:
    served = {verdict.matched for verdict in outcome.calls}
    for index, gold in enumerate(outcome.required_calls or ()):
        if index not in served and not gold.optional:
            yield Text(f"gold not made: {_gold(gold, view)}")
    for call, verdict in zip(trace.calls, outcome.calls, strict=False):
        if verdict.kind == "write" and verdict.matched is None and not verdict.failed:
            yield Text(f"unsupported: {printable(call.name)}")
    if outcome.relevant:
        found = {passage.doc_id for step in trace.retrievals for passage in step.passages or ()}
        missing = [group for group in outcome.relevant if not found & set(group)]
        if missing:
            yield Text("gold not retrieved: " + ", ".join(printable(group[0]) for group in missing))
    if outcome.answer_correct is False and outcome.gold_answers:
        yield Text(f'gold answer: "{cut(outcome.gold_answers[0], view)}"')


def _gold(gold: GoldCall, view: View) -> str:
    arguments = ", ".join(
        f"{printable(name)}={cut(compact(value), view)}" for name, value in gold.arguments.items()
    )
    return f"{printable(gold.name)}({arguments})"


def _aligned(left: str, right: str, width: int) -> Text:
    gap = max(2, width - len(left) - len(right))
    return Text((left + " " * gap + right).rstrip())


def _seconds(step: Retrieval | ModelCall | Call) -> str:
    if isinstance(step, Retrieval) or step.ended_ns is None:
        return ""
    return f"{(step.ended_ns - step.started_ns) / 1e9:.2f} s"


def _tokens(count: int | None) -> str:
    return "?" if count is None else f"{count:,}"


def listing(traces: Iterable[Trace]) -> Iterator[Mapping[str, str]]:
    """One row a trace: item, condition, run, trace id, verdict, spans."""
    for trace in traces:
        yield {
            "item": printable(trace.request.item or "-"),
            "condition": printable(trace.request.condition),
            "run": str(trace.request.replicate + 1),
            "trace": trace.trace_id[:12],
            "verdict": verdict_of(trace),
            "spans": str(trace.spans),
        }
