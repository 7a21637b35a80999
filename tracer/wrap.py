"""Put spans around a model, a retriever, a tool or an agent; the same protocol comes back."""

from __future__ import annotations

import functools
import inspect
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

from tracer import attributes as names
from tracer import spans
from tracer.functions import traced
from tracer.langgraph import EntryPoints, is_runnable, trace_graph
from tracer.limits import digest
from tracer.live import Span, is_control_flow
from tracer.openai_client import TracedClient, is_openai_client, trace_client
from tracer.protocols import Assistant, ChatModel, Embedder, Prompted, Retriever, World
from tracer.record import Recorder
from tracer.records import Change, Json, Message, Passage, Reply, Request, Task, Tool, ToolCall
from tracer.vector_stores import RECORDER, is_vector_store, trace_vector_store

_EFFECT_EVENTS = 100
_call_id: ContextVar[str] = ContextVar("stagetrace_call_id", default="")


class _TracedModel:
    """A chat model each of whose calls is a span."""

    def __init__(self, model: ChatModel, recorder: Recorder) -> None:
        self.name = model.name
        self.source = model.source
        self.model = model
        self._recorder = recorder

    def chat(self, messages: Sequence[Message], tools: Sequence[Tool] = ()) -> Reply:
        """The model's next message."""
        asked = getattr(self.model, "settings", None)
        with _span(self._recorder, "chat", f"chat {self.name}") as span:
            spans.set_chat_request(
                span,
                self.name,
                [spans.parts_of(message) for message in messages],
                source=self.source,
                last_user_text=spans.last_user_text(messages),
                settings=asked if isinstance(asked, Mapping) else None,
            )
            if tools:
                span.set(names.TOOL_CALL_MODE, getattr(self.model, "tool_call_mode", None))
            reply = self.model.chat(messages, tools)
            spans.set_reply(span, reply, self.name)
            return reply


class _TracedPrompted(_TracedModel):
    """As `_TracedModel`, for a model that is told which item begins."""

    def begin(self, task: Task, request: Request) -> None:
        """Pass on the item; nothing of it is noted."""
        if isinstance(self.model, Prompted):
            self.model.begin(task, request)


def wrap_model(model: ChatModel, recorder: Recorder) -> ChatModel:
    """The same model; each call is a `chat` span."""
    if traced_by(model, recorder):
        return model
    return (_TracedPrompted if isinstance(model, Prompted) else _TracedModel)(model, recorder)


class _TracedEmbedder:
    """An embedding model each of whose calls is a span."""

    def __init__(self, embedder: Embedder, recorder: Recorder) -> None:
        self.name = embedder.name
        self.source = embedder.source
        self._embedder = embedder
        self._recorder = recorder

    def embed(self, texts: Sequence[str]) -> Any:
        """The embedder's vectors."""
        with self._recorder.span("embeddings", f"embeddings {self.name}") as span:
            spans.set_embeddings(span, self.name, self.source)
            vectors = self._embedder.embed(texts)
            span.set(names.EMBEDDING_DIMENSION, int(vectors.shape[-1]))
            return vectors


def wrap_embedder(embedder: Embedder, recorder: Recorder) -> Embedder:
    """The same embedder; each call is an `embeddings` span without texts and vectors."""
    if traced_by(embedder, recorder):
        return embedder
    return _TracedEmbedder(embedder, recorder)


def wrap_retriever(
    retriever: Retriever, recorder: Recorder, *, ranker: str = "", data_source: str = ""
) -> Retriever:
    """The same retriever; each call is a `retrieval` span with ids and scores in their order."""
    if traced_by(retriever, recorder):
        return retriever

    def retrieve(query: str, k: int) -> Sequence[Passage]:
        with _span(recorder, "retrieval", "retrieval") as span:
            spans.set_retrieval_query(span, query, k, ranker=ranker, data_source=data_source)
            passages = retriever(query, k)
            spans.set_passages(span, passages)
            return passages

    _traced_functions[retrieve] = weakref.ref(recorder)
    return retrieve


Reranker = Callable[[str, Sequence[Passage], int], Sequence[Passage]]
"""Query, passages and k to the re-ordered passages, at most k."""


def wrap_reranker(reranker: Reranker, recorder: Recorder, *, model: str) -> Reranker:
    """The same re-ranker; each call is a `rerank` span with ids and scores before and after."""
    if traced_by(reranker, recorder):
        return reranker

    def rerank(query: str, passages: Sequence[Passage], k: int) -> Sequence[Passage]:
        with recorder.span("rerank", f"rerank {model}") as span:
            spans.set_rerank(span, query, model, k, passages)
            ranked = reranker(query, passages, k)
            spans.set_passages(span, ranked)
            return ranked

    _traced_functions[rerank] = weakref.ref(recorder)
    return rerank


@contextmanager
def calling(call: ToolCall) -> Iterator[None]:
    """Have the wrapped tool that is run inside carry the model's id of the call."""
    before = _call_id.get()
    _call_id.set(call.call_id)
    try:
        yield
    finally:
        _call_id.set(before)


def wrap_tool(tool: Tool, recorder: Recorder, world: World | None = None) -> Tool:
    """The same tool; each call is an `execute_tool` span with the changes it made to `world`.

    An exception of the tool is noted and raised again. A tool that writes waits for the store
    before and after, where the recorder's durability asks for it.

    Raises:
        StoreError: What happened before the tool could not be stored; the tool has not run.
    """
    if traced_by(tool.run, recorder):
        return tool

    @functools.wraps(tool.run)
    def run(**arguments: Json) -> Json:
        if tool.writes:
            recorder.before_write()
        with _span(recorder, "tool", f"execute_tool {tool.name}") as span:
            before = _describe_call(span, tool, arguments, world)
            try:
                result = tool.run(**arguments)
            except BaseException as error:
                if not is_control_flow(error):
                    cancelled = not isinstance(error, Exception)
                    span.set(names.TOOL_OUTCOME, "cancelled" if cancelled else "error")
                raise
            else:
                spans.set_tool_result(span, result)
            finally:
                _note_changes(span, tool, world, before)
        if tool.writes:
            recorder.after_write()
        return result

    _traced_functions[run] = weakref.ref(recorder)
    return replace(tool, run=run)


def _describe_call(
    span: Span, tool: Tool, arguments: dict[str, Json], world: World | None
) -> str | None:
    """Note the call; the digest of the state before it, for a tool that writes."""
    spans.set_tool_call(
        span,
        tool.name,
        arguments,
        effect="write" if tool.writes else "read",
        description=tool.description,
        call_id=_call_id.get(),
    )
    if world is None:
        return None
    span.set(names.SANDBOX_NAME, world.name)
    if not tool.writes:
        return None
    before = world.state_digest()
    if before:
        span.set(names.STATE_BEFORE, before)
    return before or None


def _note_changes(span: Span, tool: Tool, world: World | None, before: str | None) -> None:
    if world is None:
        return
    changes = world.take_changes()
    if before is None and not changes:
        return  # a reading tool, or a world whose state nobody can look at
    if tool.writes:
        span.set(names.STATE_AFTER, world.state_digest() if changes else before)
    if tool.writes or changes:
        span.set(names.STATE_CHANGES, len(changes))
    if changes:
        span.set_json(names.STATE_DIFF, spans.patch_of(changes))
    for change in changes[:_EFFECT_EVENTS]:
        span.event(names.SIDE_EFFECT_EVENT, _effect(change))
    if len(changes) > _EFFECT_EVENTS:
        span.set(names.SIDE_EFFECTS_DROPPED, len(changes) - _EFFECT_EVENTS)


def _effect(change: Change) -> dict[str, object]:
    return {
        names.EFFECT_OP: change.op,
        names.EFFECT_ENTITY: change.entity,
        names.EFFECT_KEY: change.key,
        names.EFFECT_BEFORE: None if change.before is None else digest(change.before),
        names.EFFECT_AFTER: None if change.after is None else digest(change.after),
    }


def reject_call(
    recorder: Recorder, call: ToolCall, error: str, *, error_type: str = "MalformedCall"
) -> None:
    """Note a call that was asked for and never run: no readable call, or no such tool."""
    span = recorder.start("tool", f"execute_tool {call.name}")
    spans.set_tool_call(span, call.name, call.arguments, call_id=call.call_id, raw=call.raw)
    span.set(names.TOOL_OUTCOME, "rejected")
    span.fail(error)
    span.set(names.ERROR_TYPE, error_type)
    span.end()


@contextmanager
def _span(recorder: Recorder, kind: Any, name: str) -> Iterator[Span]:
    """A new span, or the one that a framework's callback has just made for the same step."""
    current = spans.current_span(recorder)
    if (
        current is not None
        and current.framework
        and current.kind == kind
        and (kind != "tool" or current.name == name)
    ):
        current.framework = False
        current.update_name(name)
        try:
            yield current
        except Exception as error:
            # The framework may turn it into a text; the span must tell of it all the same.
            if not is_control_flow(error):
                current.fail(error)
            raise
        return
    with recorder.span(kind, name) as span:
        yield span


def trace(agent: Any, recorder: Recorder, *, name: str = "", kind: str = "user") -> Any:
    """The same agent, traced: a LangGraph graph, a runnable, an assistant or any callable.

    Also a bare chat model, retriever or tool of LangChain, a vector store, an `openai` client, and
    functions of every kind: plain, async, generators.

    Args:
        agent: Something with `invoke`, something with `answer(request)`, or a function.
        recorder: Takes the spans.
        name: Name of the agent; by default its own.
        kind: `rag`, `tools`, `llm` or `user`.

    Raises:
        TypeError: It is none of these.
    """
    if traced_by(agent, recorder):
        return agent
    if is_runnable(agent):
        return trace_graph(agent, recorder, name=name, kind=kind)
    if is_openai_client(agent):
        return trace_client(agent, recorder)
    if is_vector_store(agent):
        return trace_vector_store(agent, recorder)
    called = name or getattr(agent, "name", "") or getattr(agent, "__name__", "") or "agent"
    if callable(getattr(agent, "answer", None)):
        return _TracedAssistant(agent, recorder, called, kind)
    if callable(agent):
        return _trace_function(agent, recorder, called, kind)
    raise TypeError(
        f"trace: {agent!r} has no `invoke`, no `answer` and is not callable; give a graph, a "
        "runnable, an assistant or a function"
    )


class _TracedAssistant:
    """An assistant whose answers are `invoke_agent` spans."""

    def __init__(self, agent: Assistant, recorder: Recorder, name: str, kind: str) -> None:
        self.name = name
        self.kind = getattr(agent, "kind", kind)
        self._agent = agent
        self._recorder = recorder

    def answer(self, request: Request) -> str:
        """The assistant's answer."""
        with spans.agent_span(self._recorder, self.name, self.kind, request) as span:
            answer = self._agent.answer(request)
            spans.set_answer(span, answer)
            return answer


def _trace_function(
    function: Callable[..., Any], recorder: Recorder, name: str, kind: str
) -> Callable[..., Any]:
    def begin(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Span:
        span = recorder.start("agent", f"invoke_agent {name}")
        spans.set_agent(span, name, kind)
        value: Json = args[0] if len(args) == 1 and not kwargs else [list(args), kwargs]
        spans.set_value(span, names.INPUT_VALUE, names.INPUT_MIME, value)
        return span

    def end(span: Span, result: Any) -> None:
        spans.set_value(span, names.OUTPUT_VALUE, names.OUTPUT_MIME, result)

    made = traced(function, begin, end)
    _traced_functions[made] = weakref.ref(recorder)
    return made


# Weak, since functions come and go with their recorders.
_traced_functions: weakref.WeakKeyDictionary[Callable[..., Any], weakref.ref[Recorder]] = (
    weakref.WeakKeyDictionary()
)


def traced_by(agent: object, recorder: Recorder) -> bool:
    """Whether an agent, a part of one or a tool's function has spans of this recorder already."""
    if isinstance(agent, EntryPoints):
        return agent.recorder is recorder
    if isinstance(agent, _TracedAssistant | _TracedModel | _TracedEmbedder):
        return agent._recorder is recorder
    if isinstance(agent, TracedClient) or is_vector_store(agent):
        return vars(agent).get(RECORDER) is recorder
    known = _traced_functions.get(agent) if inspect.isfunction(agent) else None
    return known is not None and known() is recorder
