"""input_tokens and output_tokens: what the chat model read and wrote."""

from __future__ import annotations

from collections.abc import Iterable

from analyzers.base import metric
from tracer.records import Trace

UNKNOWN = "no model call, or one without token counts"


def _total(counts: Iterable[int | None]) -> float | None:
    known = list(counts)
    if not known or None in known:
        return None
    return float(sum(count for count in known if count is not None))


@metric("input_tokens", stage="cost", better="neither", unit="tokens", undefined=UNKNOWN)
def input_tokens(trace: Trace) -> float | None:
    """Tokens that the chat model read, summed over its calls; None when any call lacks the count.

    Source:
        OpenTelemetry GenAI conventions, `gen_ai.usage.input_tokens`.
    """
    return _total(call.input_tokens for call in trace.model_calls)


@metric("output_tokens", stage="cost", better="neither", unit="tokens", undefined=UNKNOWN)
def output_tokens(trace: Trace) -> float | None:
    """Tokens that the chat model wrote, summed over its calls; None when any call lacks the count.

    Source:
        OpenTelemetry GenAI conventions, `gen_ai.usage.output_tokens`.
    """
    return _total(call.output_tokens for call in trace.model_calls)
