"""What each kind of span carries, in both conventions and ours.

Source:
    OpenTelemetry GenAI conventions 0.1.0 (`gen_ai.*`), OpenInference (`openinference.*`, `llm.*`,
    `retrieval.*`, ...), and `stagetrace.*`, which is ours.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from opentelemetry import context as otel_context

from tracer import attributes as names
from tracer.current import with_identity
from tracer.limits import Snapshot, json_text
from tracer.live import Span
from tracer.record import Recorder
from tracer.records import (
    Change,
    Json,
    Message,
    ModelSource,
    Outcome,
    Passage,
    Reply,
    Request,
    Tool,
    ToolCall,
)

TEXT = "text/plain"
JSON = "application/json"
_BAGGAGE_CHARS = 200


def variant_id(text: str) -> str:
    """First 16 hex digits of the SHA-256 of a request's text.

    Example:
        >>> variant_id("Hello")
        '185f8db32271fe25'
    """
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()[:16]


def identity_of(request: Request, run: str = "") -> dict[str, Json]:
    """The identity block of a request; equal requests of one run give equal blocks."""
    session = f"{run}/{request.item}/{request.condition}/{request.replicate}"
    block: dict[str, Json] = {
        names.RUN_ID: run,
        names.BENCHMARK: request.suite,
        names.ITEM_ID: request.item,
        names.CLUSTER: request.cluster,
        names.CONDITION_AXIS: request.axis,
        names.CONDITION_NAME: request.condition,
        names.VARIANT_ID: variant_id(request.text),
        names.REPLICATE: request.replicate,
        names.TURN: request.turn,
        names.SESSION_ID: session,
        names.CONVERSATION_ID: session,
    }
    return {key: value for key, value in block.items() if value != ""}


@contextmanager
def identity(request: Request, run: str = "") -> Iterator[None]:
    """Have every span that starts inside belong to `request`; also in OpenTelemetry baggage."""
    before = otel_context.get_current()
    otel_context.attach(with_identity(identity_of(request, run)))
    try:
        yield
    finally:
        otel_context.attach(before)


@contextmanager
def item_span(
    recorder: Recorder, request: Request, *, run: str = "", assistant_kind: str = ""
) -> Iterator[Span]:
    """The span around one run of one item; the first of its trace unless the caller has one open.

    Give it the answer with `set_answer`, and after grading the flags with `set_outcome`.

    Args:
        recorder: Takes the spans.
        request: What is asked; its identity is put on every span inside.
        run: Name of the run; by default the recorder's.
        assistant_kind: `rag`, `tools`, `llm` or `user`.

    Raises:
        StoreError: The spans of the item could not be stored.
    """
    with (
        identity(request, run or recorder.run),
        recorder.span("item", "stagetrace.item") as span,
    ):
        recorder.keep(span)
        span.set(names.SPAN_SCHEMA, names.SCHEMA_VERSION)
        span.set(names.ASSISTANT_KIND, assistant_kind or None)
        set_text(span, names.INPUT_VALUE, names.INPUT_MIME, request.text)
        yield span


def set_answer(span: Span, answer: str) -> None:
    """Note a final answer on an item or agent span."""
    set_text(span, names.OUTPUT_VALUE, names.OUTPUT_MIME, answer)


def set_outcome(span: Span, outcome: Outcome) -> None:
    """Note the flags of a verdict on an item span; gold stays off it."""
    span.set(names.OUTCOME_MODE, outcome.mode)
    flags = {
        "success": outcome.success,
        "answer_correct": outcome.answer_correct,
        "unwanted_side_effect": outcome.unwanted_side_effect,
        "failed_to_act": outcome.failed_to_act,
        "asked_back": outcome.asked_back,
        "errored": outcome.errored,
        **outcome.flags,
    }
    for name, flag in flags.items():
        if flag is not None:
            span.set(names.OUTCOME.format(flag=name), bool(flag))


@contextmanager
def agent_span(
    recorder: Recorder,
    name: str,
    kind: str,
    request: Request | None = None,
    *,
    tools: Sequence[Tool] = (),
) -> Iterator[Span]:
    """The span around one answer of an agent.

    A request whose turn differs from the item's gives the spans inside that turn.
    """
    before = otel_context.get_current()
    if request is not None:
        _enter_turn(recorder, request)
    try:
        with recorder.span("agent", f"invoke_agent {name}") as span:
            set_agent(span, name, kind)
            if request is not None:
                span.set(names.TURN_INDEX, request.turn)
                set_text(span, names.INPUT_VALUE, names.INPUT_MIME, request.text)
            if tools:
                span.set_json(names.TOOL_DEFINITIONS, tool_definitions(tools))
            yield span
    finally:
        otel_context.attach(before)


def _enter_turn(recorder: Recorder, request: Request) -> None:
    """Change the turn of the identity around us, where there is one of the same item."""
    current = current_span(recorder)
    if current is None or current.identity.get(names.ITEM_ID) != request.item:
        return
    if current.identity.get(names.TURN) != request.turn:
        changed = dict(current.identity) | {
            names.TURN: request.turn,
            names.VARIANT_ID: variant_id(request.text),
        }
        otel_context.attach(with_identity(changed))


def current_span(recorder: Recorder) -> Span | None:
    """The current span when it is one of the recorder's and still open."""
    from opentelemetry import trace

    current = trace.get_current_span()
    if isinstance(current, Span) and current.recorder is recorder and not current.ended:
        return current
    return None


def set_agent(span: Span, name: str, kind: str) -> None:
    """Note who answers."""
    span.set(names.OPERATION, "invoke_agent")
    span.set(names.AGENT_NAME, name)
    span.set(names.AGENT_NAME_OI, name)
    span.set(names.ASSISTANT_KIND, kind or None)


@contextmanager
def node_span(recorder: Recorder, node: str, *, step: int | None = None) -> Iterator[Span]:
    """The span around one step of an agent that is no LangGraph graph."""
    with recorder.span("node", f"node {node}") as span:
        set_node(span, node, node_id=node, step=step)
        yield span


def set_node(
    span: Span,
    node: str,
    *,
    node_id: str,
    parent_id: str = "",
    step: int | None = None,
    task_id: str = "",
) -> None:
    """Note which node of a graph runs; its state is never noted."""
    span.set(names.NODE_ID, node_id)
    span.set(names.NODE_NAME, node)
    span.set(names.NODE_PARENT, parent_id or None)
    span.set(names.GRAPH_STEP, step)
    span.set(names.GRAPH_TASK, task_id or None)


def set_text(span: Span, key: str, mime_key: str, text: str) -> None:
    """Note a plain text and its type."""
    span.set(key, text)
    span.set(mime_key, TEXT)


def set_value(span: Span, key: str, mime_key: str, value: Json) -> None:
    """Note a value: a text as it is, anything else as JSON."""
    if isinstance(value, str):
        set_text(span, key, mime_key, value)
    else:
        span.set_json(key, value)
        span.set(mime_key, JSON)


# Models


def set_chat_request(
    span: Span,
    model: str,
    messages: Iterable[Json],
    *,
    provider: str = "",
    source: ModelSource | None = None,
    last_user_text: str = "",
    settings: Mapping[str, Json] | None = None,
) -> None:
    """Note what a chat model is asked.

    Args:
        span: The chat span.
        model: As asked for.
        messages: In the parts form (`parts_of`), or snapshots of it.
        provider: Who serves it; by default the source's.
        source: Where its weights come from.
        last_user_text: For list views.
        settings: `temperature`, `max_tokens`, `seed`, `stream`, where known; nothing else is taken,
            since a framework's own settings may hold keys.
    """
    provider = provider or (source.provider if source else "")
    span.set(names.OPERATION, "chat")
    span.set(names.REQUEST_MODEL, model)
    span.set(names.MODEL_NAME_OI, model)
    span.set(names.PROVIDER, provider or None)
    span.set(names.PROVIDER_OI, provider or None)
    if source is not None:
        span.set(names.MODEL_SOURCE, source.source or None)
        span.set(names.MODEL_SHA256, source.sha256 or None)
        span.set(names.MODEL_BASELINE, source.baseline)
    given = settings or {}
    if isinstance(temperature := given.get("temperature"), int | float):
        span.set(names.TEMPERATURE, float(temperature))
    for key, name in ((names.MAX_TOKENS, "max_tokens"), (names.SEED, "seed")):
        if isinstance(number := given.get(name), int):
            span.set(key, number)
    if isinstance(stream := given.get("stream"), bool):
        span.set(names.STREAM, stream)
    span.set_messages(names.INPUT_MESSAGES, messages)
    set_text(span, names.INPUT_VALUE, names.INPUT_MIME, last_user_text)


def set_chat_reply(
    span: Span,
    messages: Iterable[Json],
    *,
    text: str,
    calls: int,
    finish_reasons: Sequence[str] = (),
    model: str = "",
    response_id: str = "",
    usage: Mapping[str, int | None] | None = None,
) -> None:
    """Note what a chat model answered.

    Args:
        span: The chat span.
        messages: In the parts form, each with `finish_reason`.
        text: Text of the reply.
        calls: Number of tool calls it asks for.
        finish_reasons: One a message.
        model: As the endpoint names it.
        response_id: The endpoint's id.
        usage: `input`, `output`, `cache_read`, `cache_write`, `reasoning` tokens, where known.
    """
    span.set_messages(names.OUTPUT_MESSAGES, messages)
    set_text(span, names.OUTPUT_VALUE, names.OUTPUT_MIME, text)
    span.set(names.TOOL_CALLS_COUNT, calls)
    span.set(names.FINISH_REASONS, list(finish_reasons))
    if model:
        span.set(names.RESPONSE_MODEL, model)
        span.set(names.MODEL_NAME_OI, model)
    span.set(names.RESPONSE_ID, response_id or None)
    tokens = usage or {}
    for key, mirror, name in (
        (names.INPUT_TOKENS, names.PROMPT_TOKENS, "input"),
        (names.OUTPUT_TOKENS, names.COMPLETION_TOKENS, "output"),
        (names.CACHE_READ, names.CACHE_READ_OI, "cache_read"),
        (names.CACHE_WRITE, names.CACHE_WRITE_OI, "cache_write"),
        (names.REASONING_TOKENS, "", "reasoning"),
    ):
        count = tokens.get(name)
        span.set(key, count)
        if mirror:
            span.set(mirror, count)
    read, written = tokens.get("input"), tokens.get("output")
    if read is not None and written is not None:
        span.set(names.TOTAL_TOKENS, read + written)


def set_reply(span: Span, reply: Reply, model: str) -> None:
    """Note a `Reply` on a chat span."""
    message = parts_of(reply.message) | {"finish_reason": reply.finish_reason}
    set_chat_reply(
        span,
        [message],
        text=reply.message.content,
        calls=len(reply.message.tool_calls),
        finish_reasons=(reply.finish_reason,),
        model=reply.model or model,
        response_id=reply.response_id,
        usage={"input": reply.input_tokens, "output": reply.output_tokens},
    )


def parts_of(message: Message) -> dict[str, Json]:
    """A message in the parts form of the GenAI conventions.

    Documents shown with it are parts of the type `stagetrace.document`; a call whose arguments
    could not be read has none, and its text under `raw`.
    """
    parts: list[Json] = []
    if message.role == "tool":
        parts.append(
            {
                "type": "tool_call_response",
                "id": message.tool_call_id,
                "response": message.content,
            }
        )
    elif message.content:
        parts.append({"type": "text", "content": message.content})
    for passage in message.documents:
        parts.append({"type": "stagetrace.document"} | document_of(passage))
    parts.extend(call_part(call) for call in message.tool_calls)
    out: dict[str, Json] = {"role": message.role, "parts": parts}
    if message.name:
        out["name"] = message.name
    return out


def call_part(call: ToolCall) -> dict[str, Json]:
    """A requested call as a message part."""
    part: dict[str, Json] = {
        "type": "tool_call",
        "id": call.call_id,
        "name": call.name,
        "arguments": None if call.arguments is None else dict(call.arguments),
    }
    if call.raw is not None:
        part["raw"] = call.raw
    return part


def last_user_text(messages: Sequence[Message]) -> str:
    """Text of the last user message, empty when there is none."""
    return next((m.content for m in reversed(messages) if m.role == "user"), "")


def tool_definitions(tools: Sequence[Tool]) -> list[Json]:
    """Tools in the form of the GenAI conventions."""
    return [
        {
            "type": "function",
            "name": tool.name,
            "description": tool.description,
            "parameters": dict(tool.parameters),
        }
        for tool in tools
    ]


def set_embeddings(
    span: Span, model: str, source: ModelSource | None, dimension: int | None = None
) -> None:
    """Note a call of an embedding model; vectors are never noted."""
    span.set(names.OPERATION, "embeddings")
    span.set(names.REQUEST_MODEL, model)
    span.set(names.EMBEDDING_MODEL_OI, model)
    span.set(names.EMBEDDING_DIMENSION, dimension)
    if source is not None:
        span.set(names.PROVIDER, source.provider)
        span.set(names.MODEL_SOURCE, source.source or None)
        span.set(names.MODEL_SHA256, source.sha256 or None)


# Retrieval


def set_retrieval_query(
    span: Span, query: str, k: int | None, *, ranker: str = "", data_source: str = ""
) -> None:
    """Note what a retriever is asked."""
    span.set(names.OPERATION, "retrieval")
    span.set(names.DATA_SOURCE, data_source or None)
    span.set(names.TOP_K, k)
    span.set(names.RANKER, ranker or None)
    span.set(names.QUERY_TEXT, query)
    set_text(span, names.INPUT_VALUE, names.INPUT_MIME, query)


def set_passages(span: Span, passages: Sequence[Passage]) -> None:
    """Note a ranked list, best first; ids and finite scores stay when content is off.

    A list without scores gets ranks as a surrogate in our own attribute only, marked `rank`.
    """
    scored = all(_finite(passage.score) for passage in passages)
    span.set(names.RETRIEVED_IDS, [passage.doc_id for passage in passages])
    span.set(names.RETURNED, len(passages))
    if scored:
        span.set(names.SCORE_KIND, "similarity")
        span.set(names.RETRIEVED_SCORES, [float(passage.score or 0) for passage in passages])
    else:
        span.set(names.SCORE_KIND, "rank")
        span.set(names.RETRIEVED_SCORES, [-float(rank) for rank in range(len(passages))])
    if span.kind == "rerank":
        id_key, score_key = names.RERANK_OUTPUT_ID, names.RERANK_OUTPUT_SCORE
    else:
        id_key, score_key = names.FLAT_DOCUMENT_ID, names.FLAT_DOCUMENT_SCORE
        span.set_documents(
            names.DOCUMENTS,
            [
                (str(p.doc_id), float(p.score or 0) if _finite(p.score) else None, p.text)
                for p in passages
            ],
        )
        span.set_json(names.OUTPUT_VALUE, [passage.doc_id for passage in passages])
        span.set(names.OUTPUT_MIME, JSON)
    _flatten(span, passages, id_key, score_key)


def set_rerank(
    span: Span, query: str, model: str, k: int | None, before: Sequence[Passage]
) -> None:
    """Note what a re-ranker is given; its output goes in with `set_passages`."""
    span.set(names.RANKER, model)
    span.set(names.RERANK_QUERY, query)
    span.set(names.RERANK_MODEL, model)
    span.set(names.RERANK_TOP_K, k)
    _flatten(span, before, names.RERANK_INPUT_ID, names.RERANK_INPUT_SCORE)


def _flatten(span: Span, passages: Sequence[Passage], id_key: str, score_key: str) -> None:
    for i, passage in enumerate(passages[: names.FLAT_DOCUMENTS]):
        span.set(id_key.format(i=i), passage.doc_id)
        if _finite(passage.score):
            span.set(score_key.format(i=i), float(passage.score or 0))


def _finite(score: float | None) -> bool:
    return score is not None and math.isfinite(score)


def document_of(passage: Passage) -> dict[str, Json]:
    """A passage as the GenAI conventions write a document: a text as id, a score only if finite."""
    document: dict[str, Json] = {"id": str(passage.doc_id)}
    if _finite(passage.score):
        document["score"] = float(passage.score or 0)
    if passage.text is not None:
        document["content"] = passage.text
    return document


# Tools


def set_tool_call(
    span: Span,
    name: str,
    arguments: Mapping[str, Json] | None,
    *,
    effect: str = "unknown",
    description: str = "",
    call_id: str = "",
    agent: str = "",
    raw: str | None = None,
) -> None:
    """Note a call of a tool; arguments None means that they could not be read."""
    span.set(names.OPERATION, "execute_tool")
    span.set(names.TOOL_NAME, name)
    span.set(names.TOOL_NAME_OI, name)
    span.set(names.TOOL_TYPE, "function")
    span.set(names.TOOL_DESCRIPTION, description or None)
    span.set(names.AGENT_NAME, agent or None)
    set_call_id(span, call_id)
    span.set(names.TOOL_EFFECT, effect)
    span.set(names.TOOL_ARGS_VALID, arguments is not None)
    if arguments is not None:
        frozen = Snapshot(dict(arguments))
        span.set_json(names.TOOL_ARGUMENTS, frozen)
        span.set_json(names.TOOL_PARAMETERS_OI, frozen)
        span.set_json(names.INPUT_VALUE, frozen)
        span.set(names.INPUT_MIME, JSON)
    span.set(names.TOOL_RAW, raw)


def set_call_id(span: Span, call_id: str) -> None:
    """Note the model's id of a call."""
    span.set(names.TOOL_CALL_ID, call_id or None)
    span.set(names.TOOL_ID_OI, call_id or None)


def set_tool_result(span: Span, result: Json) -> None:
    """Note what a tool gave back."""
    span.set(names.TOOL_OUTCOME, "ok")
    snapshot = Snapshot(result)
    span.set_json(names.TOOL_RESULT, snapshot)
    set_value(
        span,
        names.OUTPUT_VALUE,
        names.OUTPUT_MIME,
        result if isinstance(result, str) else snapshot,
    )


def patch_of(changes: Sequence[Change]) -> list[Json]:
    """Changes as JSON patch operations on `/table/row`, each with the value before as an extra."""
    return [
        {
            "op": change.op,
            "path": f"/{_pointer(change.entity)}/{_pointer(change.key)}",
            **({} if change.after is None else {"value": dict(change.after)}),
            **({} if change.before is None else {"before": dict(change.before)}),
        }
        for change in changes
    ]


def changes_of(patch: Json) -> tuple[Change, ...]:
    """The changes that `patch_of` wrote; an operation of another form is left out."""
    changes = []
    for operation in patch if isinstance(patch, list) else ():
        if not isinstance(operation, dict):
            continue
        path = str(operation.get("path", "")).split("/")
        if operation.get("op") in ("add", "remove", "replace") and len(path) == 3:
            changes.append(
                Change(
                    operation["op"],
                    _unpointer(path[1]),
                    _unpointer(path[2]),
                    operation.get("before"),
                    operation.get("value"),
                )
            )
    return tuple(changes)


def _pointer(text: str) -> str:
    return text.replace("~", "~0").replace("/", "~1")


def _unpointer(text: str) -> str:
    return text.replace("~1", "/").replace("~0", "~")


def answer_text(answer: object) -> str:
    """An agent's answer as text: itself, or its JSON."""
    return answer if isinstance(answer, str) else json_text(answer)
