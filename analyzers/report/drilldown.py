"""One pair of traces as the report shows it: requests, aligned steps, state, gold, wording."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from analyzers.diff import Row, StateRow, TraceDiff, diff_traces
from analyzers.gold import graded
from analyzers.report.anchors import Anchors
from analyzers.report.excerpts import RESULT, Piece, changed_words, excerpt, value_text
from analyzers.report.item_states import State
from analyzers.report.names import shown_name
from analyzers.steps import Step, steps_of
from tracer.records import Change, Json, Outcome, Trace

_HEAD_LETTERS = 160
_SIGN_WORDS = {
    "=": "same",
    "~": "changed",
    "-": "only in the base",
    "+": "only in the variant",
    ">": "same call at another place",
}


@dataclass(frozen=True, slots=True)
class Cell:
    """One step on one side."""

    head: str
    details: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StepRow:
    """One row of the alignment."""

    number: str
    sign: str
    sign_words: str
    base: Cell | None
    variant: Cell | None
    harm: str


@dataclass(frozen=True, slots=True)
class Drilldown:
    """Everything of one pair."""

    anchor: str
    item_anchor: str
    item: str
    baseline: str
    condition: str
    summary: str
    base_verdict: str
    variant_verdict: str
    base_request: tuple[Piece, ...]
    variant_request: tuple[Piece, ...]
    rows: tuple[StepRow, ...]
    state: tuple[tuple[str, str, str], ...]
    """Sign, base and variant text."""
    findings: tuple[str, ...]
    gold: tuple[str, ...]
    wording: tuple[str, ...]
    traces: tuple[tuple[str, str, str], ...]
    """Side, trace id and the ids of its steps' spans."""
    commands: tuple[str, ...]


def drilldown(
    base: Trace,
    variant: Trace,
    *,
    state: State,
    anchors: Anchors,
    run: str,
    wording: Mapping[str, Json] | None = None,
    item: str = "",
    condition: str = "",
    baseline: str = "base",
) -> Drilldown:
    """The view of one pair.

    Args:
        base: The run in the base condition.
        variant: The run in the other condition.
        state: How the item fared in the condition.
        anchors: Names of places in the page.
        run: Path of the run, for the commands.
        wording: The stored record of the variant: generator, gates.
        item: The item.
        condition: The condition.
        baseline: The condition that it is compared with.
    """
    found = diff_traces(base, variant)
    before, after = changed_words(base.request.text, variant.request.text)
    return Drilldown(
        anchor=anchors.pair(item, condition),
        item_anchor=anchors.item(item),
        item=excerpt(item, 120),
        baseline=shown_name(baseline),
        condition=shown_name(condition),
        summary=_summary(state, found),
        base_verdict=_verdict(base),
        variant_verdict=_verdict(variant),
        base_request=before,
        variant_request=after,
        rows=tuple(_step_row(row) for row in found.rows),
        state=tuple((row.sign, *_state_texts(row)) for row in found.state),
        findings=tuple(_findings(found)),
        gold=tuple(_gold(base, variant)),
        wording=tuple(_wording(wording)),
        traces=(
            (shown_name(baseline), base.trace_id, _span_ids(base)),
            (shown_name(condition), variant.trace_id, _span_ids(variant)),
        ),
        commands=(
            f"stagetrace diff {shlex.quote(run)} {_word(item)}"
            f" --conditions {shlex.quote(baseline)},{shlex.quote(condition)}"
            + (f" --run {state.first_run + 1}" if state.runs > 1 else ""),
            f"stagetrace show {shlex.quote(run)} {_word(item)}",
        ),
    )


def single(
    trace: Trace, *, anchors: Anchors, run: str, state: State, item: str, condition: str
) -> Drilldown:
    """The view of a trace that has nothing to stand beside."""
    found = diff_traces(trace, trace)
    return Drilldown(
        anchor=anchors.pair(item, condition),
        item_anchor=anchors.item(item),
        item=excerpt(item, 120),
        baseline=shown_name(condition),
        condition="",
        summary=state.words if trace.outcome is not None else "not graded",
        base_verdict=_verdict(trace),
        variant_verdict="",
        base_request=(("", excerpt(trace.request.text)),),
        variant_request=(),
        rows=tuple(
            StepRow(str(row.number), "", "", _cell(row, row.base, whole=True), None, "")
            for row in found.rows
        ),
        state=tuple(("", _change(row.base), "") for row in found.state),
        findings=(),
        gold=tuple(_gold(trace, None)),
        wording=(),
        traces=((shown_name(condition), trace.trace_id, _span_ids(trace)),),
        commands=(f"stagetrace show {shlex.quote(run)} {_word(item or trace.trace_id[:12])}",),
    )


def _span_ids(trace: Trace) -> str:
    return " ".join(step.span_id for step in steps_of(trace) if step.span_id)


def _word(item: str) -> str:
    """The item in a command; a name nobody would type is left to be filled in."""
    return shlex.quote(item) if len(item) <= 120 else "ITEM"


def _summary(state: State, found: TraceDiff) -> str:
    parts = []
    if not found.graded:
        parts.append("not graded")
    elif state.kind == "mended":
        parts.append("mended")
    else:
        parts.append(state.words)
    if state.runs > 1:
        parts.append(f"{state.differing} of {state.runs} runs differ")
    return " · ".join(parts)


def _verdict(trace: Trace) -> str:
    outcome = trace.outcome
    if outcome is None:
        return "not graded"
    if outcome.grader_error is not None:
        return "the grader broke"
    if outcome.success is not None:
        return f"success {'1.0' if outcome.success else '0.0'}"
    if outcome.answer_correct is not None:
        return "answer right" if outcome.answer_correct else "answer wrong"
    return "no verdict"


def _findings(found: TraceDiff) -> Iterator[str]:
    first, harm = found.first_diverging, found.first_harmful
    if first is None:
        yield "no step differs"
    else:
        yield f"first diverging step {first.number} ({first.why})"
    if harm is not None:
        yield f"first harmful step {harm.number} ({harm.harm})"
    elif found.state_harm:
        yield f"no single step explains it: {found.state_harm}"


def _step_row(row: Row) -> StepRow:
    sign = _SIGN_WORDS[row.sign] + (f": {row.why}" if row.sign in "~" else "")
    if row.sign == "=":
        variant: Cell | None = Cell("same")
    elif row.variant is not None:
        variant = _cell(row, row.variant)
    else:
        variant = None
    base = None if row.base is None else _cell(row, row.base)
    return StepRow(str(row.number), row.sign, sign, base, variant, row.harm)


def _cell(row: Row, step: Step | None, *, whole: bool = False) -> Cell:
    assert step is not None
    if step.kind == "tool":
        return _call(row, step, whole=whole)
    if step.kind in ("retrieval", "rerank"):
        return _ranking(row, step)
    if step.kind == "chat":
        error = () if step.error is None else (f"error: {excerpt(step.error, RESULT)}",)
        return Cell(f"model {excerpt(step.name, 80)}", error)
    if step.status == "error":
        return Cell("failed", (excerpt(step.error or "", RESULT),))
    if step.text is None:
        return Cell("no answer captured" if step.status == "ok" else step.status)
    right = "" if step.right is None else (" (right)" if step.right else " (wrong)")
    return Cell(f"answer{right}", (excerpt(step.text),))


def _call(row: Row, step: Step, *, whole: bool) -> Cell:
    status = "" if step.status == "ok" else f" {step.status}"
    effect = f" {step.effect}" if step.effect == "write" else ""
    head = f"{excerpt(step.name, 80)}{effect}{status}"
    details: list[str] = []
    if step.arguments is None:
        details.append(f"arguments unread: {excerpt(step.raw or 'not captured', RESULT)}")
    elif row.changed:
        side_is_base = step is row.base
        for change in row.changed:
            there = change.in_base if side_is_base else change.in_variant
            value = change.base if side_is_base else change.variant
            details.append(f"{change.name}: {value_text(value) if there else 'not given'}")
        if row.same:
            details.append(f"{row.same} equal")
    else:
        # Equal arguments are told once and short; what differs is told whole.
        letters = RESULT if whole or row.sign in "-+" else _HEAD_LETTERS
        details += [f"{name}: {value_text(v, letters)}" for name, v in step.arguments.items()]
    if step.error is not None:
        details.append(f"error: {excerpt(step.error, RESULT)}")
    elif (whole or row.sign in "~-+" or row.harm) and step.result is not None:
        details.append(f"result: {value_text(step.result, RESULT)}")
    return Cell(head, tuple(details))


def _ranking(row: Row, step: Step) -> Cell:
    head = f"{step.kind} {excerpt(step.name, 80)}".strip()
    details = []
    if step.query is not None and row.why in ("query", "documents", "retrieval missing"):
        details.append(f"query: {excerpt(step.query)}")
    if step.passages is None:
        return Cell(head, (*details, "documents not captured"))
    for rank, passage in enumerate(step.passages, start=1):
        gold = " G" if passage.doc_id in step.gold_ids else ""
        score = "" if passage.score is None else f" {passage.score:.3g}"
        details.append(f"{rank}{gold} {excerpt(passage.doc_id, 80)}{score}")
    if not step.passages:
        details.append("no documents")
    return Cell(head, tuple(details))


def _state_texts(row: StateRow) -> tuple[str, str]:
    base = "" if row.base is None else _change(row.base)
    variant = "" if row.variant is None else _change(row.variant)
    return base or "unchanged", "same" if row.sign == "=" else variant or "unchanged"


def _change(change: Change | None) -> str:
    if change is None:
        return ""
    where = f"{change.entity} {excerpt(change.key, 80)}"
    if change.op == "replace":
        before, after = change.before or {}, change.after or {}
        fields = [
            f"{name}: {value_text(before.get(name), 80)} → {value_text(after.get(name), 80)}"
            for name in dict.fromkeys([*before, *after])
        ]
        return f"{where} {'; '.join(fields)}"
    row = change.after if change.op == "add" else change.before
    return f"{change.op} {where} {value_text(row, RESULT)}"


def _gold(base: Trace, variant: Trace | None) -> Iterator[str]:
    outcomes = [graded(base), None if variant is None else graded(variant)]
    outcome = next((one for one in outcomes if one is not None), None)
    if outcome is None:
        return
    for index, call in enumerate(outcome.required_calls or ()):
        arguments = ", ".join(f"{k}={value_text(v, 120)}" for k, v in call.arguments.items())
        optional = " (optional)" if call.optional else ""
        yield f"call {call.name}({arguments}){optional}: {_made(index, outcomes)}"
    if outcome.required_calls == ():
        yield "no call is wanted"
    if outcome.gold_answers:
        yield f"answer: {excerpt(outcome.gold_answers[0], RESULT)}"
    if outcome.relevant:
        yield "documents: " + "; ".join(" or ".join(group[:6]) for group in outcome.relevant)


def _made(index: int, outcomes: Sequence[Outcome | None]) -> str:
    names = ("base", "variant")
    sides = [
        name
        for name, outcome in zip(names, outcomes, strict=True)
        if outcome is not None and any(call.matched == index for call in outcome.calls)
    ]
    if len(sides) == 2:
        return "made in both"
    return f"made in the {sides[0]} only" if sides else "made in neither"


def _wording(record: Mapping[str, Json] | None) -> Iterator[str]:
    if not record:
        return
    generator = str(record.get("generator") or "")
    model = str(record.get("model") or "")
    if generator:
        yield f"written by: {generator}" + (f" ({model})" if model else "")
    gates = record.get("gates")
    texts = []
    for gate in gates if isinstance(gates, list) else ():
        if isinstance(gate, dict):
            verdict = "passed" if gate.get("passed") else "failed"
            reason = str(gate.get("reason") or "")
            texts.append(
                f"{gate.get('name')} {verdict}" + (f" ({excerpt(reason, 120)})" if reason else "")
            )
    if texts:
        yield "gates: " + ", ".join(texts)
    features = record.get("features")
    if isinstance(features, list) and features:
        yield "features: " + ", ".join(excerpt(str(_feature(one)), 60) for one in features[:12])


def _feature(one: Json) -> Json:
    if isinstance(one, dict) and "ewave" in one:
        return f"eWAVE {one['ewave']} x {one.get('count', 1)}"
    return one
