"""LangChain's callbacks to spans: one object for the runs below one entry point.

A node, a chat model, a retriever and a tool become spans; the runnables that the framework strings
between them do not, they stand for the span above them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextvars import Token
from functools import cache
from typing import Any
from uuid import UUID

from opentelemetry.context import Context

from tracer import attributes as names
from tracer import spans
from tracer.chat_messages import message_snapshot, parts_of_message, passage_of, text_of
from tracer.current import enter, leave
from tracer.live import EndedBy, Kind, Span, is_control_flow
from tracer.record import CURRENT, Recorder
from tracer.records import Json

_HIDDEN = "langsmith:hidden"
_STEP_TAG = "graph:step:"
_SETTINGS = ("temperature", "max_tokens", "seed", "stream")


class Runs:
    """The open runs below one root span.

    Args:
        recorder: Takes the spans.
        root: The span of the whole run; None where a bare model, retriever or tool is run, whose
            own span is the first.
    """

    def __init__(self, recorder: Recorder, root: Span | None) -> None:
        self.recorder = recorder
        self.interrupted = False
        self._root = root
        self._spans: dict[UUID, Span] = {}
        self._tokens: dict[UUID, Token[Context]] = {}

    def __len__(self) -> int:
        return len(self._spans)

    def clear(self) -> None:
        """Forget every run; what LangChain still tells of them is ignored."""
        self._spans.clear()
        self._tokens.clear()

    def sweep(self, reason: EndedBy, error: BaseException | None) -> None:
        """End what is open where there is no span of the whole run."""
        for run_id in reversed(list(self._tokens)):
            span = self._spans[run_id]
            span.set(names.ENDED_BY, reason)
            span.end(error=error)

    def hide(self, run_id: UUID, parent_id: UUID | None) -> None:
        """Note a run that has no span of its own."""
        above = self._above(parent_id)
        if above is not None:
            self._spans[run_id] = above

    def start(self, kind: Kind, name: str, run_id: UUID, parent_id: UUID | None) -> Span:
        """A span for a run, made current until the run ends."""
        above = self._above(parent_id)
        span = self.recorder.start(kind, name, parent=CURRENT if above is None else above)
        span.framework = True
        self._spans[run_id] = span
        self._tokens[run_id] = enter(span)
        return span

    def get(self, run_id: UUID) -> Span | None:
        """The run's own span, None when it has none."""
        return self._spans.get(run_id) if run_id in self._tokens else None

    def end(self, run_id: UUID, error: BaseException | None = None) -> None:
        """End the run's span."""
        span = self._spans.pop(run_id, None)
        token = self._tokens.pop(run_id, None)
        if error is not None and is_control_flow(error):
            self.interrupted = self.interrupted or type(error).__name__ == "GraphInterrupt"
        if span is None or token is None:
            return
        leave(token)
        # A wrapped part inside has noted its error already.
        span.end(error=None if span.status else error)

    def _above(self, parent_id: UUID | None) -> Span | None:
        return self._root if parent_id is None else self._spans.get(parent_id, self._root)


def start_node(
    runs: Runs, run_id: UUID, parent_id: UUID | None, name: str, metadata: Mapping[str, Any]
) -> None:
    """Begin the span of a graph's node."""
    space = str(metadata.get("langgraph_checkpoint_ns") or "")
    # "outer:<task>|inner:<task>": the names give the path, the last task names this execution.
    steps = [step.partition(":") for step in space.split("|")] if space else []
    path = [step[0] for step in steps[:-1]]
    span = runs.start("node", f"node {name}", run_id, parent_id)
    step = metadata.get("langgraph_step")
    spans.set_node(
        span,
        name,
        node_id="/".join([*path, name]),
        parent_id="/".join(path),
        step=step if isinstance(step, int) else None,
        task_id=steps[-1][2] if steps else "",
    )


def changed_keys(output: object) -> list[str]:
    """The state keys that a node's output writes, sorted; values are never looked at."""
    found: set[str] = set()
    for part in output if isinstance(output, list | tuple) else (output,):
        update = getattr(part, "update", None) if not isinstance(part, Mapping) else part
        if isinstance(update, Mapping):
            found.update(str(key) for key in update)
    return sorted(found)


def start_chat(
    runs: Runs,
    run_id: UUID,
    parent_id: UUID | None,
    messages: Sequence[Any],
    details: Mapping[str, Any],
) -> None:
    """Begin the span of a chat model."""
    metadata = details.get("metadata") or {}
    params = details.get("invocation_params") or {}
    model = str(
        metadata.get("ls_model_name")
        or params.get("model")
        or params.get("model_name")
        or details.get("name")
        or "unknown"
    )
    span = runs.start("chat", f"chat {model}", run_id, parent_id)
    users = [m for m in messages if getattr(m, "type", "") == "human"]
    spans.set_chat_request(
        span,
        model,
        [message_snapshot(span.trace, message) for message in messages],
        provider=str(metadata.get("ls_provider") or ""),
        last_user_text=text_of(users[-1].content) if users else "",
        settings={key: params.get(key) for key in _SETTINGS},
    )


def end_chat(span: Span, response: Any) -> None:
    """Note a chat model's reply."""
    messages: list[Json] = []
    reasons: list[str] = []
    usage: dict[str, int | None] = {}
    calls = 0
    text, model, response_id = "", "", ""
    output = response.llm_output or {}
    for generation in response.generations[0] if response.generations else ():
        message = getattr(generation, "message", None)
        info = dict(generation.generation_info or {})
        info |= getattr(message, "response_metadata", None) or {}
        reason = str(info.get("finish_reason") or info.get("stop_reason") or "stop")
        parts = (
            {"role": "assistant", "parts": [{"type": "text", "content": generation.text}]}
            if message is None
            else parts_of_message(message)
        )
        messages.append(parts | {"finish_reason": reason})
        reasons.append(reason)
        calls += len(getattr(message, "tool_calls", None) or ())
        text = text or generation.text
        model = model or str(info.get("model_name") or output.get("model_name") or "")
        response_id = response_id or str(info.get("id") or getattr(message, "id", "") or "")
        usage = usage or _usage(getattr(message, "usage_metadata", None))
    spans.set_chat_reply(
        span,
        messages,
        text=text,
        calls=calls,
        finish_reasons=reasons,
        model=model,
        response_id="" if response_id.startswith(("run-", "lc_run-")) else response_id,
        usage=usage,
    )


def _usage(metadata: Mapping[str, Any] | None) -> dict[str, int | None]:
    if not metadata:
        return {}
    read = metadata.get("input_token_details") or {}
    written = metadata.get("output_token_details") or {}
    return {
        "input": metadata.get("input_tokens"),
        "output": metadata.get("output_tokens"),
        "cache_read": read.get("cache_read"),
        "cache_write": read.get("cache_creation"),
        "reasoning": written.get("reasoning"),
    }


def tool_result(output: object) -> Json:
    """What a tool gave back: the content of a tool message, else the value itself."""
    if getattr(output, "type", "") == "tool":
        return text_of(getattr(output, "content", ""))
    return output


@cache
def handler_class() -> type[Any]:
    """The callback handler; LangChain is imported when the first graph is traced."""
    from langchain_core.callbacks import BaseCallbackHandler

    class StagetraceHandler(BaseCallbackHandler):
        """Runs inline, so that what it makes current is current in the body of the run."""

        run_inline = True

        def __init__(self, runs: Runs) -> None:
            self.runs = runs

        def on_chain_start(
            self,
            serialized: Any,
            inputs: Any,
            *,
            run_id: UUID,
            parent_run_id: UUID | None = None,
            tags: list[str] | None = None,
            metadata: dict[str, Any] | None = None,
            **kwargs: Any,
        ) -> None:
            is_node = any(tag.startswith(_STEP_TAG) for tag in tags or ())
            if is_node and _HIDDEN not in (tags or ()):
                facts = metadata or {}
                name = str(kwargs.get("name") or facts.get("langgraph_node") or "node")
                start_node(self.runs, run_id, parent_run_id, name, facts)
            else:
                self.runs.hide(run_id, parent_run_id)

        def on_chain_end(self, outputs: Any, *, run_id: UUID, **kwargs: Any) -> None:
            span = self.runs.get(run_id)
            if span is not None:
                span.set(names.GRAPH_CHANGED, changed_keys(outputs))
            self.runs.end(run_id)

        def on_chain_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
            self.runs.end(run_id, error)

        def on_chat_model_start(
            self,
            serialized: Any,
            messages: list[list[Any]],
            *,
            run_id: UUID,
            parent_run_id: UUID | None = None,
            **kwargs: Any,
        ) -> None:
            start_chat(self.runs, run_id, parent_run_id, messages[0] if messages else (), kwargs)

        def on_llm_start(
            self,
            serialized: Any,
            prompts: list[str],
            *,
            run_id: UUID,
            parent_run_id: UUID | None = None,
            **kwargs: Any,
        ) -> None:
            from langchain_core.messages import HumanMessage

            messages = [HumanMessage(prompt) for prompt in prompts[:1]]
            start_chat(self.runs, run_id, parent_run_id, messages, kwargs)

        def on_llm_end(self, response: Any, *, run_id: UUID, **kwargs: Any) -> None:
            span = self.runs.get(run_id)
            if span is not None and span.framework:
                end_chat(span, response)
            self.runs.end(run_id)

        def on_llm_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
            self.runs.end(run_id, error)

        def on_retriever_start(
            self,
            serialized: Any,
            query: str,
            *,
            run_id: UUID,
            parent_run_id: UUID | None = None,
            **kwargs: Any,
        ) -> None:
            span = self.runs.start("retrieval", "retrieval", run_id, parent_run_id)
            spans.set_retrieval_query(span, query, None, ranker=str(kwargs.get("name") or ""))

        def on_retriever_end(self, documents: Any, *, run_id: UUID, **kwargs: Any) -> None:
            span = self.runs.get(run_id)
            if span is not None and span.framework:
                spans.set_passages(span, [passage_of(document) for document in documents])
            self.runs.end(run_id)

        def on_retriever_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
            self.runs.end(run_id, error)

        def on_tool_start(
            self,
            serialized: Any,
            input_str: str,
            *,
            run_id: UUID,
            parent_run_id: UUID | None = None,
            inputs: dict[str, Any] | None = None,
            **kwargs: Any,
        ) -> None:
            facts = serialized or {}
            name = str(facts.get("name") or kwargs.get("name") or "tool")
            span = self.runs.start("tool", f"execute_tool {name}", run_id, parent_run_id)
            spans.set_tool_call(
                span,
                name,
                inputs if isinstance(inputs, dict) else {"input": input_str},
                description=str(facts.get("description") or ""),
                call_id=str(kwargs.get("tool_call_id") or ""),
            )

        def on_tool_end(self, output: Any, *, run_id: UUID, **kwargs: Any) -> None:
            span = self.runs.get(run_id)
            if span is not None and span.framework:
                spans.set_tool_result(span, tool_result(output))
                if getattr(output, "status", "") == "error":
                    span.set(names.TOOL_OUTCOME, "error")
            self.runs.end(run_id)

        def on_tool_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
            span = self.runs.get(run_id)
            if span is not None and not is_control_flow(error):
                cancelled = not isinstance(error, Exception)
                span.set(names.TOOL_OUTCOME, "cancelled" if cancelled else "error")
            self.runs.end(run_id, error)

    return StagetraceHandler
