"""MLflow tracing: span types, inputs and outputs, all of them JSON text.

Source:
    mlflow/mlflow 3.17.2 `tracing/constant.py` and `entities/span.py`.
"""

from __future__ import annotations

from typing import Final

from tracer import attributes as names
from tracer.conventions.base import CONVENTIONS, Convention, Extra, without_none
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
    "AGENT": "AGENT",
    "CHAIN": "CHAIN",
    "CHAT_MODEL": "LLM",
    "LLM": "LLM",
    "TOOL": "TOOL",
    "RETRIEVER": "RETRIEVER",
    "RERANKER": "RERANKER",
    "EMBEDDING": "EMBEDDING",
}


def _translate(span: StoredSpan) -> Extra:
    given = span.attributes
    kind = _KINDS.get(unquoted(given.get("mlflow.spanType")))
    if kind is None:
        return {}
    incoming = given.get("mlflow.spanInputs")
    outgoing = given.get("mlflow.spanOutputs")
    metadata = lenient(given.get("metadata"))
    node = metadata.get("langgraph_node") if isinstance(metadata, dict) else None
    extra: Extra = {names.SPAN_KIND: kind, names.NODE_NAME: node}
    if kind == "TOOL":
        result, answered = result_of(outgoing)
        call_id = unquoted(given.get("tool_call_id")) or answered
        extra |= {
            names.TOOL_NAME: given.get(names.TOOL_NAME) or span.name,
            names.TOOL_ARGUMENTS: incoming,
            names.TOOL_RESULT: result,
            names.TOOL_CALL_ID: given.get(names.TOOL_CALL_ID) or call_id or None,
        }
    elif kind == "RETRIEVER":
        extra |= {names.QUERY_TEXT: said(lenient(incoming), "user"), names.DOCUMENTS: outgoing}
    elif kind == "LLM":
        usage = lenient(given.get("mlflow.chat.tokenUsage"))
        usage = usage if isinstance(usage, dict) else {}
        extra |= {
            names.PROVIDER: unquoted(given.get("mlflow.llm.provider")) or None,
            names.REQUEST_MODEL: unquoted(given.get("mlflow.llm.model")) or None,
            names.INPUT_TOKENS: token_count(usage.get("input_tokens")),
            names.OUTPUT_TOKENS: token_count(usage.get("output_tokens")),
            names.INPUT_MESSAGES: messages_of(lenient(incoming)) or None,
            names.OUTPUT_MESSAGES: messages_of(lenient(outgoing)) or None,
        }
    else:
        extra |= {
            names.INPUT_VALUE: said(lenient(incoming), "user"),
            names.OUTPUT_VALUE: said(lenient(outgoing), "assistant"),
        }
    return without_none(extra)


CONVENTIONS.add("mlflow")(Convention(frozenset({"mlflow"}), _translate, 2))
