"""The `openai` client used directly: each completion or response is a `chat` span.

Each vector call is another. What a request and a reply look like stands in `openai_chat.py` and
`openai_responses.py`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from tracer import attributes as names
from tracer import openai_chat, openai_responses, spans
from tracer.functions import Stepwise
from tracer.live import Span
from tracer.openai_chat import Form, Pieces, number
from tracer.record import Recorder


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
    """The same client; its chat completions, responses and embeddings are spans.

    Covers `create`, `parse` and `stream` of `chat.completions` and of `responses`, also below
    `beta`, and `embeddings.create`. A stream's span ends with its last piece. Other calls of the
    client pass as they are.
    """
    host = urlsplit(str(getattr(client, "base_url", ""))).hostname or ""

    def asked(resource: Any, form: Form) -> Any:
        return _resource(resource, recorder, host, form)

    def chat(owner: Any) -> Any:
        completions = asked(owner.chat.completions, openai_chat.FORM)
        return _Path(owner.chat, {"completions": completions})

    replaced = {
        "_recorder": recorder,
        "chat": chat(client),
        "embeddings": _Path(
            client.embeddings,
            {"create": traced_embeddings(client.embeddings.create, recorder, host)},
        ),
    }
    # Older clients have no responses.
    if hasattr(client, "responses"):
        replaced["responses"] = asked(client.responses, openai_responses.FORM)
    beta: Any = getattr(client, "beta", None)
    below: dict[str, Any] = {}
    if hasattr(beta, "chat"):
        below["chat"] = chat(beta)
    if hasattr(beta, "responses"):
        below["responses"] = asked(beta.responses, openai_responses.FORM)
    if below:
        replaced["beta"] = _Path(beta, below)
    return TracedClient(client, replaced)


def _resource(resource: Any, recorder: Recorder, host: str, form: Form) -> Any:
    """Chat completions or responses, traced; `stream` asks through the traced `create`."""
    replaced = {
        name: traced_create(getattr(resource, name), recorder, host, form)
        for name in ("create", "parse")
        if hasattr(resource, name)
    }
    path = _Path(resource, replaced)
    stream = getattr(type(resource), "stream", None)
    if stream is not None:
        path.__dict__["stream"] = functools.partial(stream, path)
    return path


def traced_create(
    create: Callable[..., Any],
    recorder: Recorder | Callable[[], Recorder],
    host: str | Callable[[Any], str] = "",
    form: Form = openai_chat.FORM,
) -> Callable[..., Any]:
    """The `create` or `parse` of a resource, sync or async, with a span around each call.

    Args:
        create: A client's bound method, or the method of its class.
        recorder: Takes the spans, or gives what does when the first call comes.
        host: The endpoint's host, or how it is found from the first argument.
        form: How requests and replies are read.
    """

    @functools.wraps(create)
    def called(*args: Any, **kwargs: Any) -> Any:
        into = recorder if isinstance(recorder, Recorder) else recorder()
        # A framework's callback or a wrapped model may have begun the span of this very call.
        current = spans.current_span(into)
        if current is not None and current.kind == "chat":
            return create(*args, **kwargs)
        # What can be read only once is read here and passed on as a list.
        kwargs |= {key: list(v) for key, v in kwargs.items() if isinstance(v, Iterator)}
        model = str(kwargs.get("model") or "unknown")
        span = into.start("chat", f"chat {model}")
        form.note_request(span, model, kwargs)
        where = host if isinstance(host, str) else host(args[0])
        span.set(names.MODEL_SOURCE, where or None)
        body = Stepwise(span)
        try:
            with body.step():
                result = create(*args, **kwargs)
        except BaseException as error:
            span.end(error)
            raise
        if inspect.isawaitable(result):
            return _awaited(result, span, body, form)
        return _ended(result, span, form)

    return called


async def _awaited(call: Any, span: Span, body: Stepwise, form: Form) -> Any:
    try:
        with body.step():
            result = await call
    except BaseException as error:
        span.end(error)
        raise
    return _ended(result, span, form)


def _ended(result: Any, span: Span, form: Form) -> Any:
    """The result as the caller gets it; a stream ends the span itself."""
    if hasattr(result, "__aiter__"):
        return _AsyncStream(result, span, form.pieces())
    if hasattr(result, "__next__"):
        return _Stream(result, span, form.pieces())
    reply = _reply_in(result, span)
    if reply is not None:
        form.note_reply(span, reply)
    span.end()
    return result


def _reply_in(result: Any, span: Span) -> Any:
    """The reply itself; None where only the caller may read the answer that holds it."""
    if not hasattr(result, "http_response"):
        return result
    read = type(result).__name__ == "LegacyAPIResponse" and not span.attributes.get(names.STREAM)
    return result.parse() if read else None


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
        span.set(names.INPUT_TOKENS, number(getattr(result, "usage", None), "prompt_tokens"))
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


class _Open:
    """A stream of the client whose span is open as long as pieces come."""

    def __init__(self, stream: Any, span: Span, pieces: Pieces) -> None:
        self._stream = stream
        self._body = Stepwise(span)
        self._span = span
        self._pieces = pieces

    def __getattr__(self, name: str) -> Any:
        if "_stream" not in self.__dict__:
            raise AttributeError(name)
        return getattr(self._stream, name)

    @property
    def response(self) -> Any:
        """The answer over HTTP; the client's own helpers close it in place of the stream."""
        closing = "aclose" if isinstance(self, _AsyncStream) else "close"
        return _Path(self._stream.response, {closing: self.close})

    def _finish(self, error: BaseException | None = None) -> None:
        if not self._span.ended:
            self._pieces.note(self._span)
            self._span.end(error)

    def __del__(self) -> None:
        self._finish(GeneratorExit())


class _Stream(_Open):
    """A stream of pieces; its span ends with it."""

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
        self._pieces.take(chunk)
        return chunk

    def close(self) -> None:
        """Close the stream; one that was not used up is marked abandoned."""
        self._finish(GeneratorExit())
        self._stream.close()

    def __enter__(self) -> _Stream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _AsyncStream(_Open):
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
        self._pieces.take(chunk)
        return chunk

    async def close(self) -> None:
        """Close the stream; one that was not used up is marked abandoned."""
        self._finish(GeneratorExit())
        await self._stream.close()

    async def __aenter__(self) -> _AsyncStream:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
