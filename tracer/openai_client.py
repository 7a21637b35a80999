"""The `openai` client used directly: each completion is a `chat` span, each vector call another."""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from tracer import attributes as names
from tracer import spans
from tracer.functions import Stepwise
from tracer.live import Span
from tracer.record import Recorder
from tracer.records import Json

_SETTINGS = ("temperature", "max_tokens", "seed", "stream")


def is_openai_client(agent: object) -> bool:
    """Whether `agent` looks like an `OpenAI` or `AsyncOpenAI` client, without importing it."""
    return any(cls.__module__.split(".")[0] == "openai" for cls in type(agent).__mro__) and hasattr(
        agent, "chat"
    )


class _Path:
    """An object some of whose attributes are replaced; everything else is its own."""

    def __init__(self, target: Any, replaced: Mapping[str, Any]) -> None:
        self.__dict__.update(replaced)
        self._target = target

    def __getattr__(self, name: str) -> Any:
        if "_target" not in self.__dict__:
            raise AttributeError(name)
        return getattr(self._target, name)


class TracedClient(_Path):
    """A client whose completions and embeddings are spans."""

    def with_options(self, **options: Any) -> Any:
        """The client with other options, traced as this one."""
        return trace_client(self._target.with_options(**options), self._recorder)

    copy = with_options

    def __enter__(self) -> Any:
        self._target.__enter__()
        return self

    def __exit__(self, *exception: Any) -> None:
        self._target.__exit__(*exception)

    async def __aenter__(self) -> Any:
        await self._target.__aenter__()
        return self

    async def __aexit__(self, *exception: Any) -> None:
        await self._target.__aexit__(*exception)


def trace_client(client: Any, recorder: Recorder) -> Any:
    """The same client; `chat.completions.create` and `embeddings.create` are spans.

    A stream's span ends with its last piece. Other calls of the client pass as they are.
    """
    host = urlsplit(str(getattr(client, "base_url", ""))).hostname or ""
    completions = client.chat.completions
    create = traced_create(completions.create, recorder, host)
    return TracedClient(
        client,
        {
            "_recorder": recorder,
            "chat": _Path(client.chat, {"completions": _Path(completions, {"create": create})}),
            "embeddings": _Path(
                client.embeddings,
                {"create": traced_embeddings(client.embeddings.create, recorder, host)},
            ),
        },
    )


def traced_create(
    create: Callable[..., Any],
    recorder: Recorder | Callable[[], Recorder],
    host: str | Callable[[Any], str] = "",
) -> Callable[..., Any]:
    """The `create` of chat completions, sync or async, with a span around each call.

    Args:
        create: A client's bound method, or the method of its class.
        recorder: Takes the spans, or gives what does when the first call comes.
        host: The endpoint's host, or how it is found from the first argument.
    """

    @functools.wraps(create)
    def called(*args: Any, **kwargs: Any) -> Any:
        into = recorder if isinstance(recorder, Recorder) else recorder()
        # A framework's callback may have begun the span of this very call.
        current = spans.current_span(into)
        if current is not None and current.framework and current.kind == "chat":
            return create(*args, **kwargs)
        model = str(kwargs.get("model") or "unknown")
        span = into.start("chat", f"chat {model}")
        _note_request(span, model, host if isinstance(host, str) else host(args[0]), kwargs)
        body = Stepwise(span)
        try:
            with body.step():
                result = create(*args, **kwargs)
        except BaseException as error:
            span.end(error)
            raise
        if inspect.isawaitable(result):
            return _awaited(result, span, body)
        return _ended(result, span)

    return called


async def _awaited(call: Any, span: Span, body: Stepwise) -> Any:
    try:
        with body.step():
            result = await call
    except BaseException as error:
        span.end(error)
        raise
    return _ended(result, span)


def _ended(result: Any, span: Span) -> Any:
    """The result as the caller gets it; a stream ends the span itself."""
    if hasattr(result, "__aiter__"):
        return _AsyncStream(result, span)
    if not hasattr(result, "choices") and hasattr(result, "__next__"):
        return _Stream(result, span)
    _note_reply(span, result)
    span.end()
    return result


def traced_embeddings(
    create: Callable[..., Any], recorder: Recorder, host: str = ""
) -> Callable[..., Any]:
    """The `create` of embeddings, sync or async, with a span around each call."""

    def begin(kwargs: Mapping[str, Any]) -> Span:
        model = str(kwargs.get("model") or "unknown")
        span = recorder.start("embeddings", f"embeddings {model}")
        spans.set_embeddings(span, model, None)
        span.set(names.PROVIDER, "openai")
        span.set(names.MODEL_SOURCE, host or None)
        return span

    def finish(span: Span, result: Any) -> None:
        data = getattr(result, "data", None)
        if data and isinstance(vector := getattr(data[0], "embedding", None), list):
            span.set(names.EMBEDDING_DIMENSION, len(vector))
        span.set(names.INPUT_TOKENS, _number(getattr(result, "usage", None), "prompt_tokens"))
        span.end()

    async def awaited(call: Any, span: Span) -> Any:
        try:
            result = await call
        except BaseException as error:
            span.end(error)
            raise
        finish(span, result)
        return result

    @functools.wraps(create)
    def called(*args: Any, **kwargs: Any) -> Any:
        span = begin(kwargs)
        try:
            result = create(*args, **kwargs)
        except BaseException as error:
            span.end(error)
            raise
        if inspect.isawaitable(result):
            return awaited(result, span)
        finish(span, result)
        return result

    return called


def _note_request(span: Span, model: str, host: str, kwargs: Mapping[str, Any]) -> None:
    messages = [_plain(message) for message in kwargs.get("messages") or ()]
    users = [m for m in messages if m.get("role") == "user"]
    spans.set_chat_request(
        span,
        model,
        [_parts(message) for message in messages],
        provider="openai",
        last_user_text=_text(users[-1].get("content")) if users else "",
        settings={key: kwargs.get(key) for key in _SETTINGS},
    )
    span.set(names.MODEL_SOURCE, host or None)
    if isinstance(tools := kwargs.get("tools"), Sequence):
        span.set_json(names.TOOL_DEFINITIONS, [_definition(tool) for tool in tools])


def _definition(tool: Any) -> Json:
    function = tool.get("function") if isinstance(tool, Mapping) else None
    return {"type": "function", **function} if isinstance(function, Mapping) else tool


def _plain(message: Any) -> Mapping[str, Any]:
    if isinstance(message, Mapping):
        return message
    dump = getattr(message, "model_dump", None)
    return dump(exclude_none=True) if callable(dump) else {"role": "user", "content": str(message)}


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, Sequence) else ()
    return "".join(str(b.get("text") or "") for b in blocks if isinstance(b, Mapping))


def _parts(message: Mapping[str, Any]) -> dict[str, Json]:
    parts: list[Json] = []
    role, text = str(message.get("role") or "user"), _text(message.get("content"))
    if role == "tool":
        call_id = message.get("tool_call_id") or ""
        parts.append({"type": "tool_call_response", "id": call_id, "response": text})
    elif text:
        parts.append({"type": "text", "content": text})
    if not isinstance(message.get("content"), str):
        parts.extend(
            {"type": str(block.get("type", "unknown"))}
            for block in message.get("content") or ()
            if isinstance(block, Mapping) and "text" not in block
        )
    parts.extend(_call_part(_plain(call)) for call in message.get("tool_calls") or ())
    return {"role": role, "parts": parts}


def _call_part(call: Mapping[str, Any]) -> dict[str, Json]:
    function = call.get("function") or {}
    raw = function.get("arguments")
    part: dict[str, Json] = {"type": "tool_call", "id": call.get("id") or ""}
    part["name"] = function.get("name") or ""
    try:
        part["arguments"] = json.loads(raw) if isinstance(raw, str) else raw
    except (ValueError, RecursionError):
        part |= {"arguments": None, "raw": raw}
    return part


def _note_reply(span: Span, result: Any) -> None:
    choices = [_plain(choice) for choice in getattr(result, "choices", None) or ()]
    messages = [_plain(choice.get("message") or {}) for choice in choices]
    _set_reply(
        span,
        messages,
        [str(choice.get("finish_reason") or "stop") for choice in choices],
        result,
        getattr(result, "usage", None),
    )


def _set_reply(
    span: Span,
    messages: Sequence[Mapping[str, Any]],
    reasons: Sequence[str],
    result: Any,
    usage: Any,
) -> None:
    read = getattr(usage, "prompt_tokens_details", None)
    written = getattr(usage, "completion_tokens_details", None)
    spans.set_chat_reply(
        span,
        [
            _parts({"role": "assistant", **message}) | {"finish_reason": reason}
            for message, reason in zip(messages, reasons, strict=True)
        ],
        text=_text(messages[0].get("content")) if messages else "",
        calls=sum(len(message.get("tool_calls") or ()) for message in messages),
        finish_reasons=reasons,
        model=str(getattr(result, "model", "") or ""),
        response_id=str(getattr(result, "id", "") or ""),
        usage={
            "input": _number(usage, "prompt_tokens"),
            "output": _number(usage, "completion_tokens"),
            "cache_read": _number(read, "cached_tokens"),
            "reasoning": _number(written, "reasoning_tokens"),
        },
    )


def _number(holder: Any, name: str) -> int | None:
    value = getattr(holder, name, None)
    return value if isinstance(value, int) else None


class _Pieces:
    """What the pieces of a stream add up to."""

    def __init__(self, stream: Any, span: Span) -> None:
        self._stream = stream
        self._body = Stepwise(span)
        self._span = span
        self._messages: dict[int, dict[str, Any]] = {}
        self._reasons: dict[int, str] = {}
        self._last: Any = None
        self._usage: Any = None

    def __getattr__(self, name: str) -> Any:
        if "_stream" not in self.__dict__:
            raise AttributeError(name)
        return getattr(self._stream, name)

    def _take(self, chunk: Any) -> None:
        self._last = chunk
        self._usage = getattr(chunk, "usage", None) or self._usage
        for choice in getattr(chunk, "choices", None) or ():
            message = self._messages.setdefault(choice.index, {"content": "", "calls": {}})
            message["content"] += getattr(choice.delta, "content", None) or ""
            for call in getattr(choice.delta, "tool_calls", None) or ():
                known = message["calls"].setdefault(call.index, {"id": "", "name": "", "args": ""})
                known["id"] = known["id"] or call.id or ""
                if call.function is not None:
                    known["name"] += call.function.name or ""
                    known["args"] += call.function.arguments or ""
            if choice.finish_reason:
                self._reasons[choice.index] = choice.finish_reason

    def _finish(self, error: BaseException | None = None) -> None:
        if self._span.ended:
            return
        messages = [
            {
                "content": message["content"],
                "tool_calls": [
                    {"id": c["id"], "function": {"name": c["name"], "arguments": c["args"]}}
                    for c in message["calls"].values()
                ],
            }
            for message in self._messages.values()
        ]
        reasons = [self._reasons.get(index, "stop") for index in self._messages]
        _set_reply(self._span, messages, reasons, self._last, self._usage)
        self._span.end(error)

    def __del__(self) -> None:
        self._finish(GeneratorExit())


class _Stream(_Pieces):
    """A stream of a completion; its span ends with it."""

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        try:
            with self._body.step():
                chunk = next(self._stream)
        except StopIteration:
            self._finish()
            raise
        except BaseException as error:
            self._finish(error)
            raise
        self._take(chunk)
        return chunk

    def close(self) -> None:
        """Close the stream; one that was not used up is marked abandoned."""
        self._finish(GeneratorExit())
        self._stream.close()

    def __enter__(self) -> _Stream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _AsyncStream(_Pieces):
    """As `_Stream`, awaited."""

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        try:
            with self._body.step():
                chunk = await anext(self._stream)
        except StopAsyncIteration:
            self._finish()
            raise
        except BaseException as error:
            self._finish(error)
            raise
        self._take(chunk)
        return chunk

    async def close(self) -> None:
        """Close the stream; one that was not used up is marked abandoned."""
        self._finish(GeneratorExit())
        await self._stream.close()

    async def __aenter__(self) -> _AsyncStream:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
