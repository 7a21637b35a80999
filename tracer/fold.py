"""The spans of one trace to a `Trace`; the only place that does so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import msgspec

from tracer import attributes as names
from tracer.formats.otlp_json import latest
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


def fold(spans: Iterable[StoredSpan]) -> Trace:
    """The run that the spans of one trace tell of.

    Steps stand in the order of their starts: `stagetrace.sequence` where it is given, else start
    time, equal times in the order of the spans. Identity comes from any span that carries it.

    Raises:
        ValueError: There are no spans, or they are of several traces.
    """
    ordered = _ordered(latest(restored(spans)))
    if not ordered:
        raise ValueError("fold: no spans; a trace has at least one")
    if len({span.trace_id for span in ordered}) > 1:
        raise ValueError("fold: spans of several traces; group them by trace id first")
    folding = _Folding(ordered)
    for span in ordered:
        folding.take(span)
    return folding.trace()


def _ordered(spans: Sequence[StoredSpan]) -> list[StoredSpan]:
    if all(names.SEQUENCE in span.attributes for span in spans):
        return sorted(spans, key=lambda span: _int(span.attributes[names.SEQUENCE]) or 0)
    return sorted(spans, key=lambda span: span.started_ns)


class _Folding:
    """What has been gathered of one trace."""

    def __init__(self, spans: Sequence[StoredSpan]) -> None:
        self.spans = spans
        self.by_id = {span.span_id: span for span in spans}
        self.steps = {span.span_id: step_of(span) for span in spans}
        self.retrievals: list[Retrieval] = []
        self.calls: list[Call] = []
        self.models: list[ModelCall] = []
        self.warnings: dict[str, int] = {}
        self.under_retrieval = self._under("retrieval")
        self.order = {span.span_id: number for number, span in enumerate(spans)}

    def _under(self, step: Step) -> dict[str, bool]:
        """For each span whether one of the step stands above it; linear, safe against cycles."""
        known: dict[str, bool] = {}
        for span in self.spans:
            path: list[str] = []
            seen: set[str] = set()
            at = span.parent_id
            answer = False
            path.append(span.span_id)
            while at in self.by_id and at not in seen and at != span.span_id:
                if self.steps[at] == step:
                    answer = True
                    break
                if at in known:
                    answer = known[at]
                    break
                seen.add(at)
                path.append(at)
                at = self.by_id[at].parent_id
            for span_id in path:
                known[span_id] = answer
        return known

    def warn(self, text: str) -> None:
        self.warnings[text] = self.warnings.get(text, 0) + 1

    def take(self, span: StoredSpan) -> None:
        step = self.steps[span.span_id]
        if span.parent_id and span.parent_id not in self.by_id and span is not self.spans[0]:
            self.warn("orphan: the parent of a span is missing")
        if span.ended_ns is None:
            self.warn("unfinished: a span has no end")
        elif span.ended_ns < span.started_ns:
            self.warn("clock: a span ends before it starts")
        for digest in span.attributes.get(names.CONTENT_MISSING) or ():
            self.warn(f"content_missing: the definition of {digest} was not found")
        if span.dropped:
            self.warn("dropped: a writer dropped attributes, events or links")
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
        except (msgspec.DecodeError, RecursionError):
            self.warn(f"not readable: {key} is no JSON")
            return None

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
            internal=stage == "retrieval" and self.under_retrieval[span.span_id],
            sequence=self.order[span.span_id],
            span_id=span.span_id,
        )

    def _passages(
        self, span: StoredSpan, stage: Literal["retrieval", "rerank"]
    ) -> tuple[Passage, ...] | None:
        attributes = span.attributes
        documents = self._json(span, names.DOCUMENTS)
        texts: dict[str, str] = {}
        found: list[Passage] = []
        for document in documents if isinstance(documents, list) else ():
            if isinstance(document, dict) and document.get("id") is not None:
                content = document.get("content")
                text = content if isinstance(content, str) else None
                found.append(Passage(str(document["id"]), _score(document.get("score")), text))
                if text is not None:
                    texts[str(document["id"])] = text
        ids = attributes.get(names.RETRIEVED_IDS)
        if isinstance(ids, list):
            scores = attributes.get(names.RETRIEVED_SCORES)
            if attributes.get(names.SCORE_KIND) == "rank" or not isinstance(scores, list):
                scores = []
            return tuple(
                Passage(
                    str(doc_id),
                    _score(scores[i]) if i < len(scores) else None,
                    texts.get(str(doc_id)),
                )
                for i, doc_id in enumerate(ids)
            )
        if isinstance(documents, list):
            return tuple(found)
        return _flat_passages(attributes, stage)

    def _call(self, span: StoredSpan) -> Call:
        attributes = span.attributes
        name = _first(attributes, names.TOOL_NAME, names.TOOL_NAME_OI)
        arguments: Json = None
        for key in (names.TOOL_ARGUMENTS, names.TOOL_PARAMETERS_OI):
            if key in attributes:
                arguments = self._json(span, key)
                break
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
        return Call(
            name=str(name or span.name.removeprefix("execute_tool ")),
            arguments=arguments if isinstance(arguments, dict) else None,
            result=result,
            error=error,
            error_type=error_type,
            status=status,
            kind=_EFFECTS.get(str(attributes.get(names.TOOL_EFFECT)), "unknown"),
            turn=_int(attributes.get(names.TURN)) or 0,
            call_id=str(_first(attributes, names.TOOL_CALL_ID, names.TOOL_ID_OI) or ""),
            raw=attributes.get(names.TOOL_RAW),
            changes=self._changes(span),
            state_before=attributes.get(names.STATE_BEFORE),
            state_after=attributes.get(names.STATE_AFTER),
            sequence=self.order[span.span_id],
            started_ns=span.started_ns,
            ended_ns=span.ended_ns,
            span_id=span.span_id,
        )

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
        agent = next((s for s in self.spans if self.steps[s.span_id] == "agent"), None)
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
        )

    def _root(self) -> StoredSpan:
        for span in self.spans:
            if self.steps[span.span_id] == "item":
                return span
        for span in self.spans:
            if span.parent_id not in self.by_id:
                return span
        self.warn("cycle: no span is without a parent")
        return self.spans[0]

    def _failure(self, root: StoredSpan, agent: StoredSpan | None) -> StoredSpan | None:
        """The span that tells of the agent's own exception: the item's, else the first agent's."""
        return next(
            (s for s in (root, agent) if s is not None and _error_of(s)[0] is not None), None
        )

    def _answer(self, root: StoredSpan, agent: StoredSpan | None, error: str | None) -> str | None:
        agents = [s for s in self.spans if self.steps[s.span_id] == "agent"]
        top = [s for s in agents if s.parent_id == root.span_id] or agents[:1]
        for span in (root, *reversed(top)):
            answer = span.attributes.get(names.OUTPUT_VALUE)
            if isinstance(answer, str) and (span is root or error is None):
                return answer
        return None


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
    if isinstance(value, str) and value.isdigit():
        return int(value)
    return None


def _score(value: Value) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value)


def _text(span: StoredSpan | None, key: str) -> str:
    value = None if span is None else span.attributes.get(key)
    return value if isinstance(value, str) else ""


def _error_of(span: StoredSpan) -> tuple[str | None, str | None]:
    """Text and class of the exception that ended a span."""
    kind: Value = span.attributes.get(names.ERROR_TYPE)
    text: Value = span.status_message or None
    if span.status != STATUS_ERROR and kind is None:
        return None, None
    for event in reversed(span.events):
        if event.name == names.EXCEPTION_EVENT:
            text = event.attributes.get(names.EXCEPTION_MESSAGE, text)
            kind = kind or event.attributes.get(names.EXCEPTION_TYPE)
            break
    kind = None if kind is None else str(kind)
    return str(text) if text is not None else kind or "error", kind


def _flat_passages(
    attributes: Mapping[str, Value], stage: Literal["retrieval", "rerank"]
) -> tuple[Passage, ...] | None:
    """Documents flattened as OpenInference writes them; None when there are none."""
    base = "retrieval.documents" if stage == "retrieval" else "reranker.output_documents"
    passages: list[Passage] = []
    while True:
        key = f"{base}.{len(passages)}.document"
        doc_id = attributes.get(f"{key}.id")
        if doc_id is None:
            return tuple(passages) or None
        content = attributes.get(f"{key}.content")
        passages.append(
            Passage(
                str(doc_id),
                _score(attributes.get(f"{key}.score")),
                content if isinstance(content, str) else None,
            )
        )


def _requested(messages: Json) -> tuple[ToolCall, ...]:
    """The calls that a reply asks for."""
    calls = []
    for message in messages if isinstance(messages, list) else ():
        parts = message.get("parts") if isinstance(message, dict) else None
        for part in parts if isinstance(parts, list) else ():
            if isinstance(part, dict) and part.get("type") == "tool_call":
                arguments = part.get("arguments")
                calls.append(
                    ToolCall(
                        str(part.get("name") or ""),
                        arguments if isinstance(arguments, dict) else None,
                        str(part.get("id") or ""),
                        part.get("raw"),
                    )
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
