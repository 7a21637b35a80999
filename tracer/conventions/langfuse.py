"""Langfuse over OpenTelemetry: observations with a type, an input and an output.

Source:
    langfuse/langfuse-python 5.0.4 `_client/attributes.py`; metadata values are JSON text.
"""

from __future__ import annotations

from typing import Final

from tracer import attributes as names
from tracer.conventions.base import CONVENTIONS, FAILED, Convention, Extra, without_none
from tracer.conventions.payloads import (
    lenient,
    messages_of,
    result_of,
    said,
    token_count,
    unquoted,
)
from tracer.stored import StoredSpan

_KINDS: Final = {
    "agent": "AGENT",
    "generation": "LLM",
    "retriever": "RETRIEVER",
    "tool": "TOOL",
    "embedding": "EMBEDDING",
    "chain": "CHAIN",
    "span": "CHAIN",
}
_NODE: Final = "langfuse.observation.metadata.langgraph_node"


def _translate(span: StoredSpan) -> Extra:
    given = span.attributes
    kind = _KINDS.get(unquoted(given.get("langfuse.observation.type")))
    if kind is None:
        return {}
    incoming = given.get("langfuse.observation.input")
    outgoing = given.get("langfuse.observation.output")
    extra: Extra = {
        names.SPAN_KIND: kind,
        names.NODE_NAME: unquoted(given.get(_NODE)) or None,
    }
    if unquoted(given.get("langfuse.observation.level")) == "ERROR":
        extra[FAILED] = given.get("langfuse.observation.status_message") or "error"
    if kind == "TOOL":
        call_id = unquoted(given.get("langfuse.observation.metadata.tool_call_id"))
        result, answered = result_of(outgoing)
        extra |= {
            names.TOOL_NAME: given.get(names.TOOL_NAME) or span.name,
            names.TOOL_ARGUMENTS: incoming,
            names.TOOL_RESULT: result,
            names.TOOL_CALL_ID: given.get(names.TOOL_CALL_ID) or call_id or answered or None,
        }
    elif kind == "RETRIEVER":
        extra |= {names.QUERY_TEXT: said(incoming, "user"), names.DOCUMENTS: outgoing}
    elif kind == "LLM":
        usage = lenient(given.get("langfuse.observation.usage_details"))
        usage = usage if isinstance(usage, dict) else {}
        extra |= {
            names.REQUEST_MODEL: given.get("langfuse.observation.model.name"),
            names.INPUT_TOKENS: token_count(usage.get("input", usage.get("prompt_tokens"))),
            names.OUTPUT_TOKENS: token_count(usage.get("output", usage.get("completion_tokens"))),
            names.INPUT_MESSAGES: messages_of(lenient(incoming)) or None,
            names.OUTPUT_MESSAGES: messages_of(lenient(outgoing)) or None,
        }
        if names.OUTPUT_MESSAGES not in extra and isinstance(outgoing, str):
            extra[names.OUTPUT_VALUE] = outgoing
    else:
        extra |= {
            names.INPUT_VALUE: said(incoming, "user"),
            names.OUTPUT_VALUE: said(outgoing, "assistant"),
        }
    return without_none(extra)


CONVENTIONS.add("langfuse")(Convention(frozenset({"langfuse"}), _translate, 2))
