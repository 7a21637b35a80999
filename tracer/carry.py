"""A trace that goes on elsewhere: in threads, in pools, in other processes."""

from __future__ import annotations

import contextvars
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec, TypeVar

from opentelemetry import context as otel_context
from opentelemetry.baggage.propagation import W3CBaggagePropagator
from opentelemetry.context import Context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from tracer.attributes import ATTRIBUTES, IDENTITY
from tracer.current import IDENTITY_KEY, with_identity
from tracer.limits import whole_number
from tracer.records import Json

P = ParamSpec("P")
R = TypeVar("R")


def carried(function: Callable[P, R]) -> Callable[P, R]:
    """The function, run under the span that is current now, in whatever thread it is called.

    Example:
        threading.Thread(target=carried(work)).start()
    """
    context = contextvars.copy_context()

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        # A copy each call: one context cannot be entered by two threads at once.
        return context.copy().run(function, *args, **kwargs)

    return run


class CarryingExecutor(ThreadPoolExecutor):
    """A thread pool whose tasks run under the span that was current where they were submitted."""

    def submit(self, fn: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        """As `ThreadPoolExecutor.submit`."""
        return super().submit(carried(fn), *args, **kwargs)


def carrier() -> dict[str, str]:
    """The current span and identity as W3C headers, to be given to another process.

    Example:
        >>> carrier()
        {}
    """
    out: dict[str, str] = {}
    context = otel_context.get_current()
    TraceContextTextMapPropagator().inject(out, context)
    identity = context.get(IDENTITY_KEY)
    if isinstance(identity, Mapping):
        W3CBaggagePropagator().inject(out, with_identity(identity, Context()))
    return out


@contextmanager
def continued(headers: Mapping[str, str]) -> Iterator[None]:
    """Have spans that start inside belong to the trace that `carrier` was called in."""
    before = otel_context.get_current()
    context = TraceContextTextMapPropagator().extract(dict(headers), before)
    otel_context.attach(_with_carried_identity(headers, context))
    try:
        yield
    finally:
        otel_context.attach(before)


def _with_carried_identity(headers: Mapping[str, str], context: Context) -> Context:
    from opentelemetry import baggage

    given = baggage.get_all(W3CBaggagePropagator().extract(dict(headers), Context()))
    identity: dict[str, Json] = {}
    for key in IDENTITY:
        if key in given:
            text = str(given[key])
            number = whole_number(text) if ATTRIBUTES[key].type == "int" else None
            identity[key] = text if number is None else number
    return with_identity(identity, context) if identity else context
