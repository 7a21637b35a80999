"""What is current: which span of ours new ones start under, and whose identity they carry."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import Token
from typing import Final

from opentelemetry import baggage, trace
from opentelemetry import context as otel_context
from opentelemetry.context import Context

from tracer.live import Span
from tracer.records import Json

TRACE_KEY: Final = otel_context.create_key("stagetrace-trace")
IDENTITY_KEY: Final = otel_context.create_key("stagetrace-identity")


def enter(span: Span, context: Context | None = None) -> Token[Context]:
    """Make a span current; the token gives the way back."""
    base = otel_context.get_current() if context is None else context
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


def with_identity(identity: Mapping[str, Json], context: Context | None = None) -> Context:
    """A context whose spans belong to `identity`, which also travels as baggage."""
    base = otel_context.get_current() if context is None else context
    for key, value in identity.items():
        base = baggage.set_baggage(key, str(value), base)
    return otel_context.set_value(IDENTITY_KEY, dict(identity), base)
