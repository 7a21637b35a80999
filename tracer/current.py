"""What is current: which span of ours new ones start under, and whose identity they carry."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import Token
from typing import Final

from opentelemetry import baggage, trace
from opentelemetry import context as otel_context
from opentelemetry.context import Context

from tracer.attributes import IDENTITY
from tracer.live import Span
from tracer.records import Json

TRACE_KEY: Final = otel_context.create_key("stagetrace-trace")
IDENTITY_KEY: Final = otel_context.create_key("stagetrace-identity")


_OUTWARD: Final = frozenset({"chat", "embeddings", "retrieval", "rerank", "tool"})
"""Steps that call out of the process: what is done inside them carries no identity in baggage."""


def enter(span: Span, context: Context | None = None) -> Token[Context]:
    """Make a span current; the token gives the way back.

    Inside a model, retriever or tool the identity is taken out of OpenTelemetry's baggage, which an
    instrumented HTTP client would send along, unless the recorder is told to leave it.
    """
    base = otel_context.get_current() if context is None else context
    if span.kind in _OUTWARD and not span.recorder.send_identity:
        base = without_identity_baggage(base)
    below = trace.set_span_in_context(span, base)
    if base.get(TRACE_KEY) is not span.trace:
        below = otel_context.set_value(TRACE_KEY, span.trace, below)
    return otel_context.attach(below)


def leave(token: Token[Context]) -> None:
    """Make current what was current before; in another task there is nothing to restore."""
    try:
        token.var.reset(token)
    except (ValueError, RuntimeError):
        return


def without_identity_baggage(context: Context) -> Context:
    """The context with nothing of ours in its baggage; what others put there stays."""
    carried = baggage.get_all(context)
    if not carried or not any(key in carried for key in IDENTITY):
        return context
    context = baggage.clear(context)
    for key, value in carried.items():
        if key not in IDENTITY:
            context = baggage.set_baggage(key, value, context)
    return context


def with_identity(identity: Mapping[str, Json], context: Context | None = None) -> Context:
    """A context whose spans belong to `identity`, which also travels as baggage."""
    base = otel_context.get_current() if context is None else context
    for key, value in identity.items():
        base = baggage.set_baggage(key, str(value), base)
    return otel_context.set_value(IDENTITY_KEY, dict(identity), base)
