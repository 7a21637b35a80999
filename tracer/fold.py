"""The spans of one trace to a `Trace`; the only place that does so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

import msgspec

from tracer import attributes as names
from tracer.conventions.base import FAILED, FROM_EVENT, translated
from tracer.conventions.payloads import (
    UnreadableError,
    arguments_of,
    documents_of,
    flat_documents,
    last_text,
    lenient,
    messages_of,
    score_of,
)
from tracer.formats.otlp_json import better
from tracer.formats.report import KINDS, Report
from tracer.limits import json_text, whole_number
from tracer.records import (
    Call,
    CallKind,
    Change,
    Json,
    ModelCall,
    Passage,
    Request,
    Retrieval,
    ToolCall,
    Trace,
)
from tracer.references import restored
from tracer.spans import changes_of
from tracer.stored import STATUS_ERROR, StoredSpan, Value
from tracer.structure import structure

Step = Literal[
    "item", "agent", "node", "chat", "embeddings", "retrieval", "rerank", "tool", "other"
]

_OPERATIONS: Mapping[str, Step] = {
    "invoke_agent": "agent",
    "create_agent": "agent",
    "invoke_workflow": "agent",
    "chat": "chat",
    "text_completion": "chat",
    "generate_content": "chat",
    "embeddings": "embeddings",
    "retrieval": "retrieval",
    "vector_db_retrieve": "retrieval",
    "execute_tool": "tool",
}
_INFERENCE: Mapping[str, Step] = {
    "AGENT": "agent",
    "LLM": "chat",
    "EMBEDDING": "embeddings",
    "RETRIEVER": "retrieval",
    "RERANKER": "rerank",
    "TOOL": "tool",
}
_EFFECTS: Mapping[str, CallKind] = {"read": "read", "write": "write"}


def step_of(span: StoredSpan) -> Step:
    """What kind of step a span is, by ours, the GenAI operation or the OpenInference kind."""
    if span.name == "stagetrace.item":
        return "item"
    kind = str(span.attributes.get(names.SPAN_KIND))
    if kind in _INFERENCE:
        return _INFERENCE[kind]
    operation = str(span.attributes.get(names.OPERATION))
    if operation in _OPERATIONS:
        return _OPERATIONS[operation]
    return "node" if names.NODE_NAME in span.attributes else "other"


def fold(spans: Iterable[StoredSpan], report: Report | None = None) -> Trace:
    """The run that the spans of one trace tell of.

    Steps stand in the order of their starts: `stagetrace.sequence` where it is given, else start
    time, equal times in the order of the spans. Identity comes from any span that carries it.

    Args:
        spans: Spans of one trace, by whatever convention; repeated ones count once.
        report: Where findings are counted too, beside the trace's own warnings.

    Raises:
        ValueError: There are no spans, or they are of several traces.
        TraceFormatError: The report is strict and something is wrong.
    """
    folding = _Folding(report)
    folding.read(spans)
    return folding.trace()


def in_order(spans: Sequence[StoredSpan]) -> list[StoredSpan]:
    """The spans of one trace by `stagetrace.sequence` where all have one, else by their starts."""
    numbers = {_int(span.attributes.get(names.SEQUENCE)): span for span in spans}
    # A trace that several processes wrote has each number more than once.
    if None not in numbers and len(numbers) == len(spans):
        return [numbers[number] for number in sorted(n for n in numbers if n is not None)]
    return sorted(spans, key=lambda span: span.started_ns)


class _Folding:
    """What has been gathered of one trace."""

    def __init__(self, report: Report | None) -> None:
        self.report = report
        self.retrievals: list[Retrieval] = []
        self.calls: list[Call] = []
        self.models: list[ModelCall] = []
        self.warnings: dict[str, int] = {}

    def read(self, spans: Iterable[StoredSpan]) -> None:
        """Take the spans of the trace.

        Raises:
            ValueError: There are none, or they are of several traces.
        """
        self.spans = in_order([translated(span) for span in self._once(restored(spans))])
        if not self.spans:
            raise ValueError("fold: no spans; a trace has at least one")
        if len({span.trace_id for span in self.spans}) > 1:
            raise ValueError("fold: spans of several traces; group them by trace id first")
        self.by_id = {span.span_id: span for span in self.spans}
        self.steps = {span.span_id: step_of(span) for span in self.spans}
        self._promote()
        self.order = {span.span_id: number for number, span in enumerate(self.spans)}
        self.under_retrieval = self._inherited(
            {span_id: int(step == "retrieval") for span_id, step in self.steps.items()}
        )
        self.runs = self._agent_runs()
        self.depth = self._inherited({span_id: 1 for span_id in self.runs})
        self._note_structure()
        for span in self.spans:
            self._take(span)
        self.calls = self._joined()
        self._count()

    def _once(self, spans: Iterable[StoredSpan]) -> list[StoredSpan]:
        """The spans with each id once; repeated ones are noted."""
        best: dict[tuple[str, str], StoredSpan] = {}
        for span in spans:
            key = (span.trace_id, span.span_id)
            other = best.get(key)
            if other is None:
                best[key] = span
                continue
            same = span == other
            self.warn(
                "duplicate_span_identical" if same else "duplicate_span_conflict", span.span_id
            )
            if not same and better(span, other):
                best[key] = span
        return list(best.values())

    def _promote(self) -> None:
        """Where no span is marked as an agent, the topmost chain above a model call is one."""
        if any(step in ("agent", "item") for step in self.steps.values()):
            return
        seen: set[str] = set()
        for span in self.spans:
            if self.steps[span.span_id] != "chat":
                continue
            at, top = span.parent_id, ""
            while at in self.by_id and at not in seen:
                seen.add(at)
                if self.by_id[at].attributes.get(names.SPAN_KIND) == "CHAIN":
                    top = at
                at = self.by_id[at].parent_id
            # A walk that met an earlier one ends below a top that is known already.
            if top and at not in seen:
                self.steps[top] = "agent"

    def _inherited(self, own: Mapping[str, int]) -> dict[str, int]:
        """For each span the sum over the spans above it; linear, safe against cycles."""
        known: dict[str, int] = {}
        for span in self.spans:
            path: dict[str, None] = {}
            at = span.span_id
            while at in self.by_id and at not in known and at not in path:
                path[at] = None
                at = self.by_id[at].parent_id
            total = known[at] + own.get(at, 0) if at in known else 0
            for span_id in reversed(path):
                known[span_id] = total
                total += own.get(span_id, 0)
        return known

    def _agent_runs(self) -> set[str]:
        """The spans that begin an agent run: not those that tell of the run above once more."""
        begin: set[str] = set()
        nearest: dict[str, str] = {}
        for span in self.spans:
            path: dict[str, None] = {}
            at = span.span_id
            while at in self.by_id and at not in nearest and at not in path:
                path[at] = None
                at = self.by_id[at].parent_id
            above = ""
            if at in nearest:
                above = at if self.steps[at] in ("agent", "tool") else nearest[at]
            for span_id in reversed(path):
                nearest[span_id] = above
                if self.steps[span_id] == "agent" and not self._same_run(span_id, above):
                    begin.add(span_id)
                if self.steps[span_id] in ("agent", "tool"):
                    above = span_id
        return begin

    def _same_run(self, span_id: str, above: str) -> bool:
        """Whether an agent span tells of the same run as the one above it."""
        if not above or self.steps[above] != "agent":
            return False
        span = self.by_id[span_id]
        return names.NODE_NAME in span.attributes or _agent_name(span) == _agent_name(
            self.by_id[above]
        )

    def warn(self, kind: str, span_id: str = "", text: str = "") -> None:
        """Note a finding of a class."""
        said = f"{kind}: {text or KINDS[kind]}"
        self.warnings[said] = self.warnings.get(said, 0) + 1
        if self.report is not None:
            self.report.warn(kind, text, span_id=span_id)

    def _count(self) -> None:
        """Note where an item's own span counts more spans than are there."""
        for span in self.spans:
            started = _int(span.attributes.get(names.SPANS_STARTED))
            if started is not None and started > len(self.spans):
                self.warn("spans_missing", span.span_id)

    def _note_structure(self) -> None:
        found = structure(self.spans)
        for kind, ids in (
            ("orphan_parent", found.orphans),
            ("parent_cycle", found.cyclic),
            ("clock_skew", found.skewed),
            ("negative_duration", found.backwards),
            ("end_missing", found.unfinished),
        ):
            for span_id in ids:
                self.warn(kind, span_id)

    def _take(self, span: StoredSpan) -> None:
        step = self.steps[span.span_id]
        for digest in span.attributes.get(names.CONTENT_MISSING) or ():
            self.warn("content_missing", span.span_id, f"the definition of {digest} was not found")
        if span.dropped:
            self.warn("producer_dropped_data", span.span_id)
        if step == "retrieval":
            self.retrievals.append(self._retrieval(span, "retrieval"))
        elif step == "rerank":
            self.retrievals.append(self._retrieval(span, "rerank"))
        elif step == "tool":
            self.calls.append(self._call(span))
        elif step == "chat":
            self.models.append(self._model_call(span))

    def _json(self, span: StoredSpan, key: str) -> Json:
        value = span.attributes.get(key)
        if not isinstance(value, str):
            return value
        try:
            return msgspec.json.decode(value)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return lenient(value)

    def _retrieval(self, span: StoredSpan, stage: Literal["retrieval", "rerank"]) -> Retrieval:
        attributes = span.attributes
        query = _first(attributes, names.QUERY_TEXT, names.RERANK_QUERY, names.INPUT_VALUE)
        top_k = _first(attributes, names.TOP_K, names.RERANK_TOP_K, "gen_ai.request.top_k")
        return Retrieval(
            query=query if isinstance(query, str) else None,
            passages=self._passages(span, stage),
            ranker=str(attributes.get(names.RANKER) or attributes.get(names.RERANK_MODEL) or ""),
            top_k=_int(top_k),
            stage=stage,
            internal=stage == "retrieval" and self.under_retrieval[span.span_id] > 0,
            sequence=self.order[span.span_id],
            span_id=span.span_id,
        )

    def _passages(
        self, span: StoredSpan, stage: Literal["retrieval", "rerank"]
    ) -> tuple[Passage, ...] | None:
        attributes = span.attributes
        documents = documents_of(self._json(span, names.DOCUMENTS))
        ids = attributes.get(names.RETRIEVED_IDS)
        if isinstance(ids, list):
            if documents is None and stage == "rerank":
                documents = flat_documents(attributes, "reranker.output_documents")
            texts = {one.doc_id: one.text for one in documents or ()}
            # In one order, documents of one id keep their own texts, and some a score.
            beside = documents or ()
            if [one.doc_id or "" for one in beside] != [str(doc_id) for doc_id in ids]:
                beside = ()
            scores = attributes.get(names.RETRIEVED_SCORES)
            if attributes.get(names.SCORE_KIND) == "rank" or not isinstance(scores, list):
                scores = []
            return tuple(
                Passage(
                    str(doc_id),
                    score_of(scores[i])[0]
                    if i < len(scores)
                    else (beside[i].score if beside else None),
                    beside[i].text if beside else texts.get(str(doc_id)),
                )
                for i, doc_id in enumerate(ids)
            )
        if documents is None and stage == "rerank":
            documents = flat_documents(attributes, "reranker.output_documents")
        if documents is None:
            documents = flat_documents(attributes, "retrieval.documents")
        if documents is None:
            self.warn("content_missing", span.span_id)
            return None
        for rank, one in enumerate(documents, 1):
            if one.doc_id is None:
                self.warn("document_id_missing", span.span_id, f"the document of rank {rank}")
            if not one.finite:
                self.warn("non_finite_number", span.span_id, f"the score of rank {rank}")
        return tuple(Passage(one.doc_id or "", one.score, one.text) for one in documents)

    def _call(self, span: StoredSpan) -> Call:
        attributes = span.attributes
        name = _first(attributes, names.TOOL_NAME, names.TOOL_NAME_OI)
        result = self._json(span, names.TOOL_RESULT) if names.TOOL_RESULT in attributes else None
        if names.TOOL_RESULT not in attributes:
            result = attributes.get(names.OUTPUT_VALUE)
        error, error_type = _error_of(span)
        outcome = attributes.get(names.TOOL_OUTCOME)
        status: Literal["ok", "error", "unfinished", "malformed"] = "ok"
        if outcome == "rejected" and attributes.get(names.TOOL_ARGS_VALID) is False:
            status = "malformed"
        elif error is not None or outcome in ("error", "rejected", "cancelled"):
            status = "error"
            error = error or str(outcome)
        elif span.ended_ns is None or names.ENDED_BY in attributes:
            status = "unfinished"
        arguments, raw, why = _arguments(attributes)
        return Call(
            name=str(name or span.name.removeprefix("execute_tool ")),
            arguments=arguments,
            result=result,
            error=error,
            error_type=error_type,
            status=status,
            kind=_EFFECTS.get(str(attributes.get(names.TOOL_EFFECT)), "unknown"),
            turn=_int(attributes.get(names.TURN)) or 0,
            call_id=str(_first(attributes, names.TOOL_CALL_ID, names.TOOL_ID_OI) or ""),
            raw=attributes.get(names.TOOL_RAW, raw),
            changes=self._changes(span),
            state_before=attributes.get(names.STATE_BEFORE),
            state_after=attributes.get(names.STATE_AFTER),
            sequence=self.order[span.span_id],
            started_ns=span.started_ns,
            ended_ns=span.ended_ns,
            span_id=span.span_id,
            arguments_error=why,
            agents=self.depth[span.span_id],
        )

    def _joined(self) -> list[Call]:
        """The calls with what model calls say of them: ids, and arguments that they lack."""
        asked = [
            (call, bool(self.by_id[model.span_id].attributes.get(FROM_EVENT)))
            for model in self.models
            for call in model.requested_calls
        ]
        waiting = dict(enumerate(asked))
        by_id: dict[str, list[int]] = {}
        by_name: dict[str, list[int]] = {}
        for number, (call, _) in reversed(waiting.items()):
            by_id.setdefault(call.call_id, []).append(number)
            by_name.setdefault(call.name, []).append(number)
        found: dict[int, int] = {}
        for at, made in enumerate(self.calls):
            if made.call_id and by_id.get(made.call_id):
                found[at] = by_id[made.call_id].pop()
                waiting.pop(found[at], None)
        for at, made in enumerate(self.calls):
            if not made.call_id and made.status != "malformed":
                names_left = by_name.get(made.name, [])
                while names_left and names_left[-1] not in waiting:
                    names_left.pop()
                if names_left:
                    found[at] = names_left.pop()
                    waiting.pop(found[at])
        return [
            self._complete(made, asked[found[at]] if at in found else None)
            for at, made in enumerate(self.calls)
        ]

    def _complete(self, made: Call, asked: tuple[ToolCall, bool] | None) -> Call:
        if asked is not None:
            call, from_event = asked
            made = replace(made, call_id=made.call_id or call.call_id)
            if made.arguments is None and call.arguments is not None and made.status != "malformed":
                return replace(
                    made,
                    arguments=call.arguments,
                    arguments_from="llm_event" if from_event else "llm_span",
                    arguments_error="",
                )
        if made.arguments is None and made.status != "malformed":
            if made.arguments_error:
                self.warn("arguments_unparsed", made.span_id)
            else:
                self.warn("content_missing", made.span_id)
        return made

    def _changes(self, span: StoredSpan) -> tuple[Change, ...]:
        if names.STATE_DIFF not in span.attributes:
            return ()
        return changes_of(self._json(span, names.STATE_DIFF))

    def _model_call(self, span: StoredSpan) -> ModelCall:
        attributes = span.attributes
        output = self._json(span, names.OUTPUT_MESSAGES)
        model = _first(attributes, names.REQUEST_MODEL, names.RESPONSE_MODEL, names.MODEL_NAME_OI)
        provider = _first(attributes, names.PROVIDER, names.PROVIDER_OI, "gen_ai.system")
        reasons = attributes.get(names.FINISH_REASONS)
        return ModelCall(
            model=str(model or ""),
            provider=str(provider or ""),
            source=str(attributes.get(names.MODEL_SOURCE) or ""),
            sha256=str(attributes.get(names.MODEL_SHA256) or ""),
            input_tokens=_int(_first(attributes, names.INPUT_TOKENS, names.PROMPT_TOKENS)),
            output_tokens=_int(_first(attributes, names.OUTPUT_TOKENS, names.COMPLETION_TOKENS)),
            finish_reasons=tuple(map(str, reasons)) if isinstance(reasons, list) else (),
            requested_calls=_requested(output),
            input_messages=self._json(span, names.INPUT_MESSAGES),
            output_messages=output,
            error=_error_of(span)[0],
            sequence=self.order[span.span_id],
            started_ns=span.started_ns,
            ended_ns=span.ended_ns,
            span_id=span.span_id,
        )

    def trace(self) -> Trace:
        root = self._root()
        agent = self._agent()
        failed = self._failure(root, agent)
        error, error_type = _error_of(failed) if failed is not None else (None, None)
        unfinished = root.ended_ns is None or (
            error is None and root.attributes.get(names.ENDED_BY) is not None
        )
        identity = _identity(self.spans)
        return Trace(
            trace_id=root.trace_id,
            request=_request(identity, root, agent),
            answer=self._answer(root, agent, error),
            retrievals=tuple(self.retrievals),
            calls=tuple(self.calls),
            model_calls=tuple(self.models),
            run=str(identity.get(names.RUN_ID) or ""),
            assistant=_text(agent, names.AGENT_NAME) or _text(agent, names.AGENT_NAME_OI),
            assistant_kind=_text(root, names.ASSISTANT_KIND) or _text(agent, names.ASSISTANT_KIND),
            error=error,
            error_type=error_type,
            status="error" if error is not None else "unfinished" if unfinished else "ok",
            spans=len(self.spans),
            started_ns=min(span.started_ns for span in self.spans),
            ended_ns=root.ended_ns,
            warnings=tuple(
                text if count == 1 else f"{text} ({count} spans)"
                for text, count in self.warnings.items()
            ),
            agent_runs=len(self.runs),
        )

    def _root(self) -> StoredSpan:
        for span in self.spans:
            if self.steps[span.span_id] == "item":
                return span
        for span in self.spans:
            if span.parent_id not in self.by_id:
                return span
        return self.spans[0]

    def _agent(self) -> StoredSpan | None:
        """The outermost agent run; of several beside each other the first."""
        begin = [span for span in self.spans if span.span_id in self.runs]
        return min(begin, key=lambda span: self.depth[span.span_id], default=None)

    def _failure(self, root: StoredSpan, agent: StoredSpan | None) -> StoredSpan | None:
        """The span that tells of the agent's own exception: the item's, else the first agent's."""
        return next(
            (s for s in (root, agent) if s is not None and _error_of(s)[0] is not None), None
        )

    def _answer(self, root: StoredSpan, agent: StoredSpan | None, error: str | None) -> str | None:
        agents = [s for s in self.spans if self.steps[s.span_id] == "agent"]
        top = [s for s in agents if s.parent_id == root.span_id] or ([agent] if agent else [])
        for span in (root, *reversed(top)):
            answer = span.attributes.get(names.OUTPUT_VALUE)
            if isinstance(answer, str) and (span is root or error is None):
                return answer
        if error is not None or self.steps[root.span_id] == "item":
            return None
        for model in reversed(self.models):
            answer = last_text(messages_of(model.output_messages), "assistant")
            if answer is None and model.output_messages is None:
                answer = _text(self.by_id[model.span_id], names.OUTPUT_VALUE) or None
            return answer
        return None


def _agent_name(span: StoredSpan) -> str:
    return (
        _text(span, names.AGENT_NAME)
        or _text(span, names.AGENT_NAME_OI)
        or span.name.removeprefix("invoke_agent ")
    )


def _arguments(
    attributes: Mapping[str, Value],
) -> tuple[Mapping[str, Json] | None, str | None, str]:
    """Arguments of a call, the text where they cannot be read, and why."""
    for key in (names.TOOL_ARGUMENTS, names.TOOL_PARAMETERS_OI):
        if key in attributes:
            value = attributes[key]
            try:
                return arguments_of(value), None, ""
            except UnreadableError as error:
                raw = value if isinstance(value, str) else json_text(value)
                return None, raw, str(error)
    return None, None, ""


def _first(attributes: Mapping[str, Value], *keys: str) -> Value:
    for key in keys:
        value = attributes.get(key)
        if value is not None:
            return value
    return None


def _int(value: Value) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    return whole_number(value) if isinstance(value, str) else None


def _text(span: StoredSpan | None, key: str) -> str:
    value = None if span is None else span.attributes.get(key)
    return value if isinstance(value, str) else ""


def _error_of(span: StoredSpan) -> tuple[str | None, str | None]:
    """Text and class of the exception that ended a span."""
    kind: Value = span.attributes.get(names.ERROR_TYPE)
    text: Value = span.status_message or span.attributes.get(FAILED) or None
    if span.status != STATUS_ERROR and kind is None and FAILED not in span.attributes:
        return None, None
    for event in reversed(span.events):
        if event.name == names.EXCEPTION_EVENT:
            text = event.attributes.get(names.EXCEPTION_MESSAGE, text)
            kind = kind or event.attributes.get(names.EXCEPTION_TYPE)
            break
    kind = None if kind is None else str(kind)
    return str(text) if text is not None else kind or "error", kind


def _requested(messages: Json) -> tuple[ToolCall, ...]:
    """The calls that a reply asks for."""
    calls = []
    for message in messages if isinstance(messages, list) else ():
        parts = message.get("parts") if isinstance(message, dict) else None
        for part in parts if isinstance(parts, list) else ():
            if isinstance(part, dict) and part.get("type") == "tool_call":
                given = part.get("arguments")
                arguments: Mapping[str, Json] | None = None
                raw = part.get("raw")
                if given is not None:
                    try:
                        arguments = arguments_of(given)
                    except UnreadableError:
                        raw = given if isinstance(given, str) else json_text(given)
                calls.append(
                    ToolCall(str(part.get("name") or ""), arguments, str(part.get("id") or ""), raw)
                )
    return tuple(calls)


def _identity(spans: Sequence[StoredSpan]) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for span in spans:
        for key in names.IDENTITY:
            if key not in found and key in span.attributes:
                found[key] = span.attributes[key]
    return found


def _request(identity: Mapping[str, Value], root: StoredSpan, agent: StoredSpan | None) -> Request:
    return Request(
        item=str(identity.get(names.ITEM_ID) or ""),
        text=_text(root, names.INPUT_VALUE) or _text(agent, names.INPUT_VALUE),
        suite=str(identity.get(names.BENCHMARK) or ""),
        condition=str(identity.get(names.CONDITION_NAME) or "base"),
        axis=str(identity.get(names.CONDITION_AXIS) or "base"),
        replicate=_int(identity.get(names.REPLICATE)) or 0,
        turn=_int(identity.get(names.TURN)) or 0,
        cluster=str(identity.get(names.CLUSTER) or ""),
    )
