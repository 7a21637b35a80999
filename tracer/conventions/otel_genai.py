"""OpenTelemetry GenAI: current names, those of 1.27 to 1.36, and messages in span events.

Source:
    open-telemetry/semantic-conventions-genai 0.1.0; open-telemetry/semantic-conventions 1.27, 1.36
    (`gen_ai.system`, `gen_ai.prompt.N.*`, `gen_ai.usage.prompt_tokens`, message events).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tracer import attributes as names
from tracer.conventions.base import CONVENTIONS, FROM_EVENT, Convention, Extra, without_none
from tracer.conventions.payloads import (
    last_text,
    lenient,
    messages_of,
    numbered,
    token_count,
)
from tracer.records import Json
from tracer.stored import StoredEvent, StoredSpan, Value

_DETAILS: Final = "gen_ai.client.inference.operation.details"
_AGENTS: Final = ("invoke_agent", "create_agent", "invoke_workflow")


def _translate(span: StoredSpan) -> Extra:
    given = span.attributes
    extra: Extra = {}
    operation = given.get(names.OPERATION)
    if given.get("llm.request.type") in ("chat", "completion"):
        extra[names.SPAN_KIND] = "LLM"
    source = _messages(span, extra)
    incoming = messages_of(lenient(source.get(names.INPUT_MESSAGES)))
    outgoing = messages_of(lenient(source.get(names.OUTPUT_MESSAGES)))
    if incoming:
        extra[names.INPUT_MESSAGES] = incoming
    if outgoing:
        extra[names.OUTPUT_MESSAGES] = outgoing
    for key, old in (
        (names.INPUT_TOKENS, "gen_ai.usage.prompt_tokens"),
        (names.OUTPUT_TOKENS, "gen_ai.usage.completion_tokens"),
    ):
        count = token_count(given.get(key, given.get(old)))
        if count is not None:
            extra[key] = count
    if operation in _AGENTS:
        extra |= without_none(
            {
                names.INPUT_VALUE: given.get(names.INPUT_VALUE) or last_text(incoming, "user"),
                names.OUTPUT_VALUE: given.get(names.OUTPUT_VALUE)
                or last_text(outgoing, "assistant"),
            }
        )
    return extra


def _messages(span: StoredSpan, extra: Extra) -> dict[str, Json]:
    """Messages in and out, wherever they stand: on the span, flattened, or in events."""
    given = span.attributes
    found: dict[str, Json] = {
        key: given[key] for key in (names.INPUT_MESSAGES, names.OUTPUT_MESSAGES) if key in given
    }
    for key, base in (
        (names.INPUT_MESSAGES, "gen_ai.prompt"),
        (names.OUTPUT_MESSAGES, "gen_ai.completion"),
    ):
        if key not in found and f"{base}.0.role" in given:
            found[key] = [_flat_message(entry) for entry in numbered(given, base)]
    spoken: list[Json] = []
    for event in span.events:
        if event.name == _DETAILS:
            for key in (names.INPUT_MESSAGES, names.OUTPUT_MESSAGES):
                if key not in found and key in event.attributes:
                    found[key] = event.attributes[key]
                    extra[FROM_EVENT] = True
        elif event.name == "gen_ai.choice" and names.OUTPUT_MESSAGES not in given:
            chosen = found.setdefault(names.OUTPUT_MESSAGES, [])
            if isinstance(chosen, list):
                chosen.append(_event_message(event, "assistant"))
                extra[FROM_EVENT] = True
        elif event.name.startswith("gen_ai.") and event.name.endswith(".message"):
            spoken.append(_event_message(event, event.name.split(".")[1]))
    if spoken:
        found.setdefault(names.INPUT_MESSAGES, spoken)
    return found


def _flat_message(entry: Mapping[str, Json]) -> dict[str, Json]:
    return {
        "role": entry.get("role", "assistant"),
        "content": entry.get("content", ""),
        "tool_calls": numbered(entry, "tool_calls"),
        "tool_call_id": entry.get("tool_call_id"),
    }


def _event_message(event: StoredEvent, role: str) -> dict[str, Json]:
    body: Value = lenient(event.attributes.get("message"))
    if not isinstance(body, dict):
        body = {key: lenient(value) for key, value in event.attributes.items()}
        if isinstance(body.get("content"), int | float | list | dict):
            body["content"] = event.attributes["content"]
    return {"role": role, "content": "", **body}


CONVENTIONS.add("otel_genai")(Convention(frozenset({"gen_ai", "llm", "event"}), _translate, 0))
