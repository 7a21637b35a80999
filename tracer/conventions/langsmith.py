"""LangSmith in OpenTelemetry mode: its kind, and payloads in `gen_ai.prompt`/`gen_ai.completion`.

Source:
    langchain-ai/langsmith-sdk `python/langsmith/_internal/otel/_otel_exporter.py`. Its own kind
    wins over the operation name: retrievers say `embeddings`, and tools have a prompt too.
"""

from __future__ import annotations

from typing import Final

from tracer import attributes as names
from tracer.conventions.base import CONVENTIONS, Convention, Extra, without_none
from tracer.conventions.payloads import lenient, messages_of, result_of, said, token_count
from tracer.records import Json
from tracer.stored import StoredSpan

_KINDS: Final = {
    "chain": "CHAIN",
    "llm": "LLM",
    "tool": "TOOL",
    "retriever": "RETRIEVER",
    "embedding": "EMBEDDING",
    "agent": "AGENT",
}


def _translate(span: StoredSpan) -> Extra:
    given = span.attributes
    kind = _KINDS.get(str(given.get("langsmith.span.kind")))
    if kind is None:
        return {}
    incoming, outgoing = given.get("gen_ai.prompt"), given.get("gen_ai.completion")
    extra: Extra = {
        names.SPAN_KIND: kind,
        names.NODE_NAME: given.get("langsmith.metadata.langgraph_node"),
    }
    if kind == "TOOL":
        result, answered = result_of(outgoing)
        extra |= {
            names.TOOL_NAME: given.get(names.TOOL_NAME) or span.name,
            names.TOOL_ARGUMENTS: given.get(names.TOOL_ARGUMENTS, _input(incoming)),
            names.TOOL_RESULT: result,
            names.TOOL_CALL_ID: given.get(names.TOOL_CALL_ID) or answered or None,
        }
    elif kind == "RETRIEVER":
        extra |= {
            names.QUERY_TEXT: given.get(names.QUERY_TEXT, said(incoming, "user")),
            names.DOCUMENTS: given.get(names.DOCUMENTS, outgoing),
        }
    elif kind == "LLM":
        usage = _usage(lenient(outgoing))
        extra |= {
            names.INPUT_MESSAGES: messages_of(lenient(incoming)) or None,
            names.OUTPUT_MESSAGES: messages_of(lenient(outgoing)) or None,
            names.INPUT_TOKENS: token_count(
                given.get(names.INPUT_TOKENS, usage.get("prompt_tokens"))
            ),
            names.OUTPUT_TOKENS: token_count(
                given.get(names.OUTPUT_TOKENS, usage.get("completion_tokens"))
            ),
        }
    else:
        extra |= {
            names.INPUT_VALUE: said(incoming, "user"),
            names.OUTPUT_VALUE: said(outgoing, "assistant"),
        }
    return without_none(extra)


def _input(payload: Json) -> Json:
    """Arguments of a tool, which stand under `input` when they are a text."""
    found = lenient(payload)
    if isinstance(found, dict) and set(found) == {"input"} and isinstance(found["input"], str):
        return found["input"] if found["input"][:1] == "{" else payload
    return payload


def _usage(outgoing: Json) -> dict[str, Json]:
    told = outgoing.get("llm_output") if isinstance(outgoing, dict) else None
    usage = told.get("token_usage") if isinstance(told, dict) else None
    return usage if isinstance(usage, dict) else {}


CONVENTIONS.add("langsmith")(Convention(frozenset({"langsmith"}), _translate, 2))
