"""OpenLLMetry (Traceloop): entities with wrapped inputs and outputs.

Source:
    traceloop/openllmetry, opentelemetry-instrumentation-langchain 0.62.4: the arguments of a tool
    stand under `inputs` of a wrapper, documents have their id in their metadata only.
"""

from __future__ import annotations

from typing import Final

from tracer import attributes as names
from tracer.conventions.base import CONVENTIONS, Convention, Extra, without_none
from tracer.conventions.payloads import lenient, result_of, said
from tracer.records import Json
from tracer.stored import StoredSpan

_KINDS: Final = {"workflow": "AGENT", "agent": "AGENT", "tool": "TOOL"}
_NODE: Final = "traceloop.association.properties.langgraph_node"


def _translate(span: StoredSpan) -> Extra:
    given = span.attributes
    kind = _KINDS.get(str(given.get("traceloop.span.kind")))
    name = given.get("traceloop.entity.name")
    incoming = lenient(given.get("traceloop.entity.input"))
    outgoing = given.get("traceloop.entity.output")
    extra: Extra = {names.NODE_NAME: given.get(_NODE)}
    if kind == "TOOL":
        extra |= _tool(given.get(names.TOOL_ARGUMENTS), incoming, outgoing)
        extra[names.TOOL_NAME] = given.get(names.TOOL_NAME) or name
        extra[names.SPAN_KIND] = kind
    elif kind == "AGENT":
        extra |= {
            names.SPAN_KIND: kind,
            names.AGENT_NAME: given.get(names.AGENT_NAME) or name,
            names.INPUT_VALUE: said(incoming, "user"),
            names.OUTPUT_VALUE: said(outgoing, "assistant"),
        }
    elif given.get(names.OPERATION) in ("vector_db_retrieve", "retrieval"):
        query = incoming.get("query") if isinstance(incoming, dict) else None
        extra |= {
            names.SPAN_KIND: "RETRIEVER",
            names.QUERY_TEXT: given.get(names.QUERY_TEXT, query),
            names.DOCUMENTS: given.get(names.DOCUMENTS, outgoing),
        }
    return without_none(extra)


def _tool(offered: Json, incoming: Json, outgoing: Json) -> Extra:
    wrapper = lenient(offered) if offered is not None else incoming
    extra: Extra = {}
    call_id = ""
    if (
        isinstance(wrapper, dict)
        and "inputs" in wrapper
        and ("input_str" in wrapper or "kwargs" in wrapper)
    ):
        extra[names.TOOL_ARGUMENTS] = wrapper["inputs"]
        if wrapper["inputs"] is None and wrapper.get("input_str") is not None:
            extra[names.TOOL_ARGUMENTS] = wrapper["input_str"]
        kwargs = wrapper.get("kwargs")
        call_id = str((kwargs.get("tool_call_id") if isinstance(kwargs, dict) else "") or "")
    elif isinstance(wrapper, dict) and "input_str" in wrapper:
        extra[names.TOOL_ARGUMENTS] = wrapper["input_str"]
    elif offered is None and wrapper is not None:
        extra[names.TOOL_ARGUMENTS] = wrapper
    if outgoing is not None:
        extra[names.TOOL_RESULT], answered = result_of(outgoing)
        call_id = call_id or answered
    if call_id:
        extra[names.TOOL_CALL_ID] = call_id
    return extra


CONVENTIONS.add("openllmetry")(Convention(frozenset({"traceloop"}), _translate))
