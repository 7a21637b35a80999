"""One trace as the list of steps that can be laid beside another's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from analyzers.gold import graded
from tracer.records import Call, CallVerdict, Json, ModelCall, Outcome, Passage, Retrieval, Trace

StepKind: TypeAlias = Literal["retrieval", "rerank", "chat", "tool", "answer", "node"]
Node: TypeAlias = tuple[int, str, str]
"""A span that only nests others: its place in the trace, its name, its id."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a trace, with what the grader says of it."""

    kind: StepKind
    name: str
    """Tool, model or ranker; empty for the answer."""
    arguments: Mapping[str, Json] | None = None
    """Of a tool call; None when not captured or not readable."""
    raw: str | None = None
    status: str = "ok"
    error: str | None = None
    result: Json = None
    effect: str = ""
    """Of a tool call: read, write or unknown."""
    gold_call: int | None = None
    """Index of the gold call that it serves."""
    unsupported: bool = False
    """A write that serves no gold call and did not fail."""
    query: str | None = None
    passages: tuple[Passage, ...] | None = None
    gold_ids: frozenset[str] = frozenset()
    """Documents of `passages` that hold what is asked for."""
    shown: bool = False
    """The list that the reader was shown."""
    text: str | None = None
    """The final answer."""
    right: bool | None = None
    """Whether the final answer is right; None when nobody says so."""
    input_tokens: int | None = None
    output_tokens: int | None = None
    span_id: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """What two steps must share to be laid beside each other."""
        return self.kind, "" if self.kind in ("chat", "answer") else self.name


def steps_of(trace: Trace, nodes: Sequence[Node] = ()) -> list[Step]:
    """The retrievals, model calls and tool calls in their order, then the answer.

    Spans that only nest others, such as graph nodes, are steps only when they are handed in.
    """
    outcome = graded(trace)
    last = _shown(trace)
    verdicts = outcome.calls if outcome is not None else ()
    if len(verdicts) != len(trace.calls):
        verdicts = ()
    placed = [(place, Step("node", name, span_id=span_id)) for place, name, span_id in nodes]
    placed += [(one.sequence, _ranked(one, outcome, one is last)) for one in trace.retrievals]
    placed += [(one.sequence, _chat(one)) for one in trace.model_calls]
    placed += [
        (call.sequence, _tool(call, verdicts[place] if verdicts else None))
        for place, call in enumerate(trace.calls)
    ]
    steps = [step for _, step in sorted(placed, key=lambda one: one[0])]
    return [*steps, _answer(trace, outcome)]


def _tool(call: Call, verdict: CallVerdict | None) -> Step:
    return Step(
        "tool",
        call.name,
        arguments=call.arguments,
        raw=call.raw,
        status=call.status,
        error=call.error,
        result=call.result,
        effect=call.kind if verdict is None else verdict.kind,
        gold_call=None if verdict is None else verdict.matched,
        unsupported=verdict is not None
        and verdict.kind == "write"
        and verdict.matched is None
        and not verdict.failed,
        span_id=call.span_id,
    )


def _chat(call: ModelCall) -> Step:
    return Step(
        "chat",
        call.model,
        error=call.error,
        status="ok" if call.error is None else "error",
        input_tokens=call.input_tokens,
        output_tokens=call.output_tokens,
        span_id=call.span_id,
    )


def _shown(trace: Trace) -> Retrieval | None:
    reranked = [one for one in trace.retrievals if one.stage == "rerank"]
    lists = reranked or [one for one in trace.retrievals if not one.internal]
    return lists[-1] if lists else None


def _ranked(found: Retrieval, outcome: Outcome | None, shown: bool) -> Step:
    groups = outcome.relevant if outcome is not None and outcome.relevant else ()
    relevant = {doc_id for group in groups for doc_id in group}
    ids = {passage.doc_id for passage in found.passages or ()}
    return Step(
        found.stage,
        found.ranker,
        query=found.query,
        passages=found.passages,
        gold_ids=frozenset(relevant & ids),
        shown=shown,
        span_id=found.span_id,
    )


def _answer(trace: Trace, outcome: Outcome | None) -> Step:
    right = None if outcome is None else outcome.answer_correct
    failed = trace.error is not None
    return Step(
        "answer",
        "",
        text=trace.answer,
        error=trace.error,
        status="error" if failed else trace.status,
        right=right,
    )
