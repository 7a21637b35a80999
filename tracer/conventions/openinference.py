"""OpenInference: kinds, flattened messages and documents, payloads in `input.value`/`output.value`.

Source:
    Arize-ai/openinference `spec/semantic_conventions.md`; openinference-instrumentation-langchain
    0.1.80 (documents whose id and score stand in their metadata only).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tracer import attributes as names
from tracer.conventions.base import CONVENTIONS, Convention, Extra, without_none
from tracer.conventions.payloads import (
    documents_of,
    lenient,
    messages_of,
    numbered,
    result_of,
    said,
    token_count,
)
from tracer.records import Json
from tracer.stored import StoredSpan

_CALL_IDS: Final = (
    names.TOOL_CALL_ID,
    names.TOOL_ID_OI,
    "tool_call.id",
    "tool.call_id",
    "tool_call_id",
)


def _translate(span: StoredSpan) -> Extra:
    given = span.attributes
    kind = given.get(names.SPAN_KIND)
    extra: Extra = {}
    metadata = lenient(given.get("metadata"))
    node = metadata.get("langgraph_node") if isinstance(metadata, dict) else None
    if isinstance(node, str):
        extra[names.NODE_NAME] = node
    if kind == "TOOL":
        extra |= _tool(span)
    elif kind == "RETRIEVER":
        extra |= _retrieval(given)
    elif kind == "LLM":
        extra |= _model(given)
    elif kind in ("AGENT", "CHAIN"):
        extra |= without_none(
            {
                names.INPUT_VALUE: said(given.get(names.INPUT_VALUE), "user"),
                names.OUTPUT_VALUE: said(given.get(names.OUTPUT_VALUE), "assistant"),
                names.AGENT_NAME: given.get(names.AGENT_NAME, given.get(names.AGENT_NAME_OI)),
            }
        )
    return extra


def _tool(span: StoredSpan) -> Extra:
    given = span.attributes
    name = given.get(names.TOOL_NAME) or given.get(names.TOOL_NAME_OI) or span.name
    extra: Extra = {names.TOOL_NAME: name}
    if names.TOOL_ARGUMENTS not in given:
        offered = given.get(names.TOOL_PARAMETERS_OI)
        if offered is None or (_is_schema(offered) and names.INPUT_VALUE in given):
            offered = given.get(names.INPUT_VALUE)
        if offered is not None:
            extra[names.TOOL_ARGUMENTS] = offered
    result, call_id = result_of(given.get(names.OUTPUT_VALUE))
    for key in _CALL_IDS:
        if isinstance(given.get(key), str):
            call_id = given[key]
            break
    if call_id:
        extra[names.TOOL_CALL_ID] = call_id
    if names.OUTPUT_VALUE in given and names.TOOL_RESULT not in given:
        extra[names.TOOL_RESULT] = result
    return extra


def _is_schema(value: Json) -> bool:
    """Whether the parameters are what the tool takes, not what it was given."""
    found = lenient(value)
    return isinstance(found, dict) and found.get("type") == "object" and "properties" in found


def _retrieval(given: Mapping[str, Json]) -> Extra:
    extra: Extra = {}
    if names.QUERY_TEXT not in given and isinstance(given.get(names.INPUT_VALUE), str):
        extra[names.QUERY_TEXT] = said(given[names.INPUT_VALUE], "user")
    if names.DOCUMENTS not in given:
        flat = [
            {key.removeprefix("document."): value for key, value in entry.items()}
            for entry in numbered(given, "retrieval.documents")
        ]
        if flat:
            extra[names.DOCUMENTS] = flat
        elif documents_of(given.get(names.OUTPUT_VALUE)) is not None:
            extra[names.DOCUMENTS] = given[names.OUTPUT_VALUE]
    return without_none(extra)


def _model(given: Mapping[str, Json]) -> Extra:
    extra: Extra = {
        names.INPUT_TOKENS: token_count(given.get(names.PROMPT_TOKENS)),
        names.OUTPUT_TOKENS: token_count(given.get(names.COMPLETION_TOKENS)),
    }
    for ours, base, payload in (
        (names.INPUT_MESSAGES, "llm.input_messages", names.INPUT_VALUE),
        (names.OUTPUT_MESSAGES, "llm.output_messages", names.OUTPUT_VALUE),
    ):
        if ours in given:
            continue
        flat = [_flat_message(entry) for entry in numbered(given, base)]
        messages = messages_of(flat) or messages_of(lenient(given.get(payload)))
        if messages:
            extra[ours] = messages
    return without_none(extra)


def _flat_message(entry: Mapping[str, Json]) -> dict[str, Json]:
    message = {key.removeprefix("message."): value for key, value in entry.items()}
    calls = [
        {
            "id": call.get("tool_call.id"),
            "name": call.get("tool_call.function.name"),
            "arguments": call.get("tool_call.function.arguments"),
        }
        for call in numbered(message, "tool_calls")
    ]
    content = message.get("content")
    if content is None:
        content = [
            {"text": part.get("message_content.text")} for part in numbered(message, "contents")
        ]
    return {
        "role": message.get("role", "assistant"),
        "content": content,
        "tool_calls": calls,
        "tool_call_id": message.get("tool_call_id"),
    }


CONVENTIONS.add("openinference")(Convention(frozenset({"openinference"}), _translate))
