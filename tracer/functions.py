"""A span around each call of a function: plain, async, or a generator of either kind."""

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any, Final

from opentelemetry import context as otel_context

from tracer.current import enter, leave
from tracer.live import Span

Begin = Callable[[tuple[Any, ...], dict[str, Any]], Span]
"""Starts the span of a call from its arguments, without making it current."""
End = Callable[[Span, Any], None]
"""Notes a result on the span; of a generator its texts joined, or else its last item."""

_KEPT_ITEMS: Final = 10_000


def traced(function: Callable[..., Any], begin: Begin, end: End) -> Callable[..., Any]:
    """The function; each call has a span that ends with it, of a generator with its last step.

    Between two steps of a generator what its consumer had current is current again; one that is
    broken off ends its span as abandoned.
    """
    if inspect.isasyncgenfunction(function):

        @functools.wraps(function)
        async def agenerate(*args: Any, **kwargs: Any) -> AsyncIterator[Any]:
            async for item in _asteps(function(*args, **kwargs), begin(args, kwargs), end):
                yield item

        return agenerate
    if inspect.isgeneratorfunction(function):

        @functools.wraps(function)
        def generate(*args: Any, **kwargs: Any) -> Generator[Any, None, Any]:
            return (yield from steps(function(*args, **kwargs), begin(args, kwargs), end))

        return generate
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def call_async(*args: Any, **kwargs: Any) -> Any:
            with _around(begin(args, kwargs)) as span:
                result = await function(*args, **kwargs)
                end(span, result)
                return result

        return call_async

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        with _around(begin(args, kwargs)) as span:
            result = function(*args, **kwargs)
            end(span, result)
            return result

    return call


@contextmanager
def _around(span: Span) -> Iterator[Span]:
    token = enter(span)
    try:
        yield span
    except BaseException as error:
        leave(token)
        span.end(error)
        raise
    leave(token)
    span.end()
    if span.root:
        span.recorder.check()


class Stepwise:
    """A span whose body runs in steps, each under the body's own context."""

    def __init__(self, span: Span) -> None:
        self.span = span
        before = otel_context.get_current()
        enter(span)
        self._context = otel_context.get_current()
        otel_context.attach(before)

    @contextmanager
    def step(self) -> Iterator[None]:
        """The body's context inside, the caller's again afterwards."""
        caller = otel_context.get_current()
        otel_context.attach(self._context)
        try:
            yield
        finally:
            self._context = otel_context.get_current()
            otel_context.attach(caller)


def steps(generator: Any, span: Span, end: End) -> Generator[Any, None, Any]:
    """The generator's items, each step under the span; what it returns comes back."""
    body, items = Stepwise(span), []
    try:
        while True:
            with body.step():
                try:
                    item = next(generator)
                except StopIteration as stop:
                    value = stop.value
                    break
            items.append(item)
            del items[:-_KEPT_ITEMS]
            yield item
    except BaseException as error:
        close = getattr(generator, "close", None)
        if close is not None:
            with body.step():
                close()
        span.end(error)
        raise
    end(span, _gathered(items) if value is None else value)
    span.end()
    return value


async def _asteps(generator: Any, span: Span, end: End) -> AsyncIterator[Any]:
    body, items, waiting = Stepwise(span), [], False
    try:
        while True:
            with body.step():
                try:
                    item = await anext(generator)
                except StopAsyncIteration:
                    break
            items.append(item)
            del items[:-_KEPT_ITEMS]
            waiting = True
            yield item
            waiting = False
    except BaseException as error:
        try:
            with body.step():
                await generator.aclose()
        finally:
            span.end(GeneratorExit() if waiting else error)
        raise
    end(span, _gathered(items))
    span.end()


def _gathered(items: list[Any]) -> Any:
    if items and all(isinstance(item, str) for item in items):
        return "".join(items)
    return items[-1] if items else None
