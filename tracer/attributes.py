"""Every span attribute: its key, type, unit, convention, stability, and which spans carry it.

The keys are constants, so that a search for one finds each place that writes or reads it, and the
same lines fill the table `ATTRIBUTES`. Conventions: OpenTelemetry GenAI 0.1.0 (all of it
"development"), OpenTelemetry general 1.44 (`error.type`, stable), OpenInference (no stability
levels), and ours, versioned by `SCHEMA_VERSION`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

SCHEMA_VERSION: Final = 2
SCHEMA_URL: Final = "https://stagetrace.invalid/schemas/2"
"""Names our schema; not an address to fetch. An OpenTelemetry one would claim names it lacks."""
SCOPE: Final = "stagetrace"

AttributeType: TypeAlias = Literal[
    "string", "int", "double", "bool", "string[]", "double[]", "json"
]
"""`json` is a string that holds strict JSON."""
Convention: TypeAlias = Literal[
    "OpenTelemetry GenAI 0.1.0", "OpenTelemetry 1.44", "OpenInference", "stagetrace 2"
]


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute of our spans."""

    key: str
    """With `{i}` where a number stands."""
    type: AttributeType
    kinds: tuple[str, ...]
    """Span kinds that carry it; `every` for all."""
    convention: Convention
    stability: Literal["development", "stable", "unversioned"]
    note: str
    content: bool = False
    """True for words of a prompt, argument, result or document; left out when content is off."""
    unit: str = ""
    identity: bool = False
    """True for what says which run, item and wording a span belongs to."""


_table: dict[str, Attribute] = {}


def _add(attribute: Attribute) -> str:
    if attribute.key in _table:
        raise ValueError(f"span attribute {attribute.key!r} is listed twice")
    _table[attribute.key] = attribute
    return attribute.key


def _genai(
    key: str, type_: AttributeType, kinds: str, note: str, *, content: bool = False, unit: str = ""
) -> str:
    return _add(Attribute(key, type_, tuple(kinds.split()), "OpenTelemetry GenAI 0.1.0", "development", note, content, unit))  # fmt: skip


def _inference(
    key: str, type_: AttributeType, kinds: str, note: str, *, content: bool = False, unit: str = ""
) -> str:
    return _add(Attribute(key, type_, tuple(kinds.split()), "OpenInference", "unversioned", note, content, unit))  # fmt: skip


def _ours(
    key: str,
    type_: AttributeType,
    kinds: str,
    note: str,
    *,
    content: bool = False,
    unit: str = "",
    identity: bool = False,
) -> str:
    return _add(Attribute(key, type_, tuple(kinds.split()), "stagetrace 2", "development", note, content, unit, identity))  # fmt: skip


# fmt: off
# ruff: noqa: E501
# Identity: on every span once read; stored once a line.
RUN_ID: Final = _ours("stagetrace.run.id", "string", "every", "The run.", identity=True)
BENCHMARK: Final = _ours("stagetrace.benchmark", "string", "every", "The suite.", identity=True)
ITEM_ID: Final = _ours("stagetrace.item.id", "string", "every", "The item of the suite.", identity=True)
CLUSTER: Final = _ours("stagetrace.cluster", "string", "every", "What rises and falls with the item.", identity=True)
CONDITION_AXIS: Final = _ours("stagetrace.condition.axis", "string", "every", "Axis of the wording; base for the original.", identity=True)
CONDITION_NAME: Final = _ours("stagetrace.condition.name", "string", "every", "Name of the wording.", identity=True)
VARIANT_ID: Final = _ours("stagetrace.variant.id", "string", "every", "First 16 hex digits of the SHA-256 of the request text.", identity=True)
REPLICATE: Final = _ours("stagetrace.replicate", "int", "every", "Number of the repetition, from 0.", identity=True)
TURN: Final = _ours("stagetrace.turn", "int", "every", "Turn of the conversation, from 0.", identity=True)
SESSION_ID: Final = _add(Attribute("session.id", "string", ("every",), "OpenInference", "unversioned", "run/item/condition/replicate.", identity=True))
CONVERSATION_ID: Final = _add(Attribute("gen_ai.conversation.id", "string", ("every",), "OpenTelemetry GenAI 0.1.0", "development", "Equal to session.id; some viewers forward only spans with a gen_ai key.", identity=True))

# Every span.
SPAN_KIND: Final = _inference("openinference.span.kind", "string", "every", "CHAIN AGENT LLM EMBEDDING RETRIEVER RERANKER TOOL.")
SEQUENCE: Final = _ours("stagetrace.sequence", "int", "every", "Order of starts in the trace, from 0.")
INPUT_VALUE: Final = _inference("input.value", "string", "item agent chat retrieval tool", "Short text of what went in, for list views.", content=True)
INPUT_MIME: Final = _inference("input.mime_type", "string", "item agent chat retrieval tool", "text/plain or application/json.")
OUTPUT_VALUE: Final = _inference("output.value", "string", "item agent chat retrieval tool", "Short text of what came out.", content=True)
OUTPUT_MIME: Final = _inference("output.mime_type", "string", "item agent chat retrieval tool", "text/plain or application/json.")
ERROR_TYPE: Final = _add(Attribute("error.type", "string", ("every",), "OpenTelemetry 1.44", "stable", "Class of the exception that ended the span."))
CONTROL_FLOW: Final = _ours("stagetrace.control_flow", "string", "every", "LangGraph's own signal (interrupt, parent command) that ended the span; no error.")
ENDED_BY: Final = _ours("stagetrace.ended_by", "string", "every", "abandoned, exception, timeout, cancelled, exit, terminated or closed: the span was open when its root or the process ended.")
DEFS: Final = _ours("stagetrace.defs", "json", "every", "Values that this span is the first of its trace to use, by digest; restored by every reader.", content=True)
REFS: Final = _ours("stagetrace.refs", "json", "every", "Attributes that are given by digests; restored by every reader.", content=True)
CONTENT_MISSING: Final = _ours("stagetrace.content_missing", "string[]", "every", "Set on reading: digests whose definition was not found.")
DROPPED_EVENTS: Final = _ours("stagetrace.events.dropped", "int", "every", "Events beyond the cap of a span.")

# The run of one item.
SPAN_SCHEMA: Final = _ours("stagetrace.schema_version", "int", "item", "Version of these names.")
SPANS_STARTED: Final = _ours("stagetrace.manifest.spans_started", "int", "item", "Spans begun in the trace when the item ended, this one included.")
OUTCOME: Final = _ours("stagetrace.outcome.{flag}", "bool", "item", "A flag of the sandbox's verdict, set after grading; gold itself is never on a span.")
OUTCOME_MODE: Final = _ours("stagetrace.outcome.mode", "string", "item", "Grading mode.")

# Agent and graph.
OPERATION: Final = _genai("gen_ai.operation.name", "string", "agent chat embeddings retrieval tool", "invoke_agent chat embeddings retrieval execute_tool.")
AGENT_NAME: Final = _genai("gen_ai.agent.name", "string", "agent tool", "Name of the agent.")
AGENT_NAME_OI: Final = _inference("agent.name", "string", "agent", "Name of the agent.")
ASSISTANT_KIND: Final = _ours("stagetrace.assistant.kind", "string", "item agent", "rag, tools, llm or user.")
TURN_INDEX: Final = _ours("stagetrace.turn.index", "int", "agent", "Turn that the agent answers, from 0.")
NODE_ID: Final = _inference("graph.node.id", "string", "node", "Name of the node, with its subgraph path.")
NODE_NAME: Final = _inference("graph.node.name", "string", "node", "Name of the node.")
NODE_PARENT: Final = _inference("graph.node.parent_id", "string", "node", "Id of the node around it.")
GRAPH_STEP: Final = _ours("stagetrace.graph.step", "int", "node", "Step of the graph.")
GRAPH_TASK: Final = _ours("stagetrace.graph.task_id", "string", "node", "Task of the step: the checkpoint name space.")
GRAPH_CHANGED: Final = _ours("stagetrace.graph.changed", "string[]", "node", "State keys that the node wrote; never the state.")

# Models.
PROVIDER: Final = _genai("gen_ai.provider.name", "string", "chat embeddings", "Who serves the model.")
REQUEST_MODEL: Final = _genai("gen_ai.request.model", "string", "chat embeddings", "The model as asked for.")
RESPONSE_MODEL: Final = _genai("gen_ai.response.model", "string", "chat", "The model as the endpoint names it.")
RESPONSE_ID: Final = _genai("gen_ai.response.id", "string", "chat", "The endpoint's id of the reply.")
FINISH_REASONS: Final = _genai("gen_ai.response.finish_reasons", "string[]", "chat", "Why the model stopped.")
TEMPERATURE: Final = _genai("gen_ai.request.temperature", "double", "chat", "As asked for.")
MAX_TOKENS: Final = _genai("gen_ai.request.max_tokens", "int", "chat", "As asked for.", unit="tokens")
SEED: Final = _genai("gen_ai.request.seed", "int", "chat", "As asked for.")
STREAM: Final = _genai("gen_ai.request.stream", "bool", "chat", "As asked for.")
INPUT_TOKENS: Final = _genai("gen_ai.usage.input_tokens", "int", "chat embeddings", "Tokens read.", unit="tokens")
OUTPUT_TOKENS: Final = _genai("gen_ai.usage.output_tokens", "int", "chat", "Tokens written.", unit="tokens")
CACHE_READ: Final = _genai("gen_ai.usage.cache_read.input_tokens", "int", "chat", "Tokens read from a cache.", unit="tokens")
CACHE_WRITE: Final = _genai("gen_ai.usage.cache_write.input_tokens", "int", "chat", "Tokens written to a cache.", unit="tokens")
REASONING_TOKENS: Final = _genai("gen_ai.usage.reasoning.output_tokens", "int", "chat", "Tokens of reasoning.", unit="tokens")
INPUT_MESSAGES: Final = _genai("gen_ai.input.messages", "json", "agent chat", "Messages in, in the parts form.", content=True)
OUTPUT_MESSAGES: Final = _genai("gen_ai.output.messages", "json", "agent chat", "Messages out, in the parts form, each with finish_reason.", content=True)
SYSTEM_INSTRUCTIONS: Final = _genai("gen_ai.system_instructions", "json", "chat", "Parts of the system message.", content=True)
TOOL_DEFINITIONS: Final = _genai("gen_ai.tool.definitions", "json", "agent chat", "Tools that were offered.", content=True)
MODEL_NAME_OI: Final = _inference("llm.model_name", "string", "chat", "The model that answered.")
PROVIDER_OI: Final = _inference("llm.provider", "string", "chat", "Who serves the model.")
PROMPT_TOKENS: Final = _inference("llm.token_count.prompt", "int", "chat", "Tokens read.", unit="tokens")
COMPLETION_TOKENS: Final = _inference("llm.token_count.completion", "int", "chat", "Tokens written.", unit="tokens")
TOTAL_TOKENS: Final = _inference("llm.token_count.total", "int", "chat", "Sum of both.", unit="tokens")
CACHE_READ_OI: Final = _inference("llm.token_count.prompt_details.cache_read", "int", "chat", "Tokens read from a cache.", unit="tokens")
CACHE_WRITE_OI: Final = _inference("llm.token_count.prompt_details.cache_write", "int", "chat", "Tokens written to a cache.", unit="tokens")
COST_OI: Final = _inference("llm.cost.total", "double", "chat", "Cost, where known.", unit="USD")
TOOL_CALLS_COUNT: Final = _ours("stagetrace.llm.tool_calls.count", "int", "chat", "Calls that the reply asks for.", unit="calls")
TOOL_CALL_MODE: Final = _ours("stagetrace.llm.tool_call_mode", "string", "chat", "How calls are got out of the model: `native` by its own tools, `json_schema` by output held to a schema of its steps.")
CACHED_REPLAY: Final = _ours("stagetrace.llm.cached_replay", "bool", "chat", "True when the reply was replayed from a record.")
MODEL_SOURCE: Final = _ours("stagetrace.model.source", "string", "chat embeddings", "Package, file or endpoint host that the weights come from.")
MODEL_SHA256: Final = _ours("stagetrace.model.sha256", "string", "chat embeddings", "Digest of the weights; absent where there are none.")
MODEL_BASELINE: Final = _ours("stagetrace.model.baseline", "bool", "chat", "True for a program that is no language model.")
EMBEDDING_MODEL_OI: Final = _inference("embedding.model_name", "string", "embeddings", "The model; vectors are never recorded.")
EMBEDDING_DIMENSION: Final = _genai("gen_ai.embeddings.dimension.count", "int", "embeddings", "Length of a vector.")

# Retrieval.
DATA_SOURCE: Final = _genai("gen_ai.data_source.id", "string", "retrieval", "The documents that are searched.")
TOP_K: Final = _genai("gen_ai.retrieval.top_k", "int", "retrieval", "Documents asked for.", unit="documents")
QUERY_TEXT: Final = _genai("gen_ai.retrieval.query.text", "string", "retrieval", "The query.", content=True)
DOCUMENTS: Final = _genai("gen_ai.retrieval.documents", "json", "retrieval", "[{id, score, content}]; score left out where the retriever gives none.", content=True)
FLAT_DOCUMENT_ID: Final = _inference("retrieval.documents.{i}.document.id", "string", "retrieval", "View of the first 10 ids.")
FLAT_DOCUMENT_SCORE: Final = _inference("retrieval.documents.{i}.document.score", "double", "retrieval", "View of the first 10 scores.")
FLAT_DOCUMENT_CONTENT: Final = _inference("retrieval.documents.{i}.document.content", "string", "retrieval", "Read from others; ours keeps content in gen_ai.retrieval.documents only.", content=True)
RANKER: Final = _ours("stagetrace.retrieval.ranker", "string", "retrieval rerank", "bm25, splade, ...")
RETRIEVED_IDS: Final = _ours("stagetrace.retrieval.ids", "string[]", "retrieval rerank", "Ids, best first: the truth for recall.")
RETRIEVED_SCORES: Final = _ours("stagetrace.retrieval.scores", "double[]", "retrieval rerank", "Scores in the order of the ids.")
SCORE_KIND: Final = _ours("stagetrace.retrieval.score_kind", "string", "retrieval rerank", "similarity, distance, or rank where the retriever gives no score.")
RETURNED: Final = _ours("stagetrace.retrieval.returned", "int", "retrieval rerank", "Documents that came back.", unit="documents")
RERANK_QUERY: Final = _inference("reranker.query", "string", "rerank", "The query.", content=True)
RERANK_MODEL: Final = _inference("reranker.model_name", "string", "rerank", "The model.")
RERANK_TOP_K: Final = _inference("reranker.top_k", "int", "rerank", "Documents asked for.", unit="documents")
RERANK_INPUT_ID: Final = _inference("reranker.input_documents.{i}.document.id", "string", "rerank", "Ids before, at most 10.")
RERANK_INPUT_SCORE: Final = _inference("reranker.input_documents.{i}.document.score", "double", "rerank", "Scores before, at most 10.")
RERANK_OUTPUT_ID: Final = _inference("reranker.output_documents.{i}.document.id", "string", "rerank", "Ids after, at most 10.")
RERANK_OUTPUT_SCORE: Final = _inference("reranker.output_documents.{i}.document.score", "double", "rerank", "Scores after, at most 10.")

# Tools and the state they change.
TOOL_NAME: Final = _genai("gen_ai.tool.name", "string", "tool", "The tool.")
TOOL_TYPE: Final = _genai("gen_ai.tool.type", "string", "tool", "function.")
TOOL_CALL_ID: Final = _genai("gen_ai.tool.call.id", "string", "tool", "The model's id of the call.")
TOOL_DESCRIPTION: Final = _genai("gen_ai.tool.description", "string", "tool", "What the tool says of itself.")
TOOL_ARGUMENTS: Final = _genai("gen_ai.tool.call.arguments", "json", "tool", "Arguments; absent when they could not be read.", content=True)
TOOL_RESULT: Final = _genai("gen_ai.tool.call.result", "json", "tool", "Result.", content=True)
TOOL_NAME_OI: Final = _inference("tool.name", "string", "tool", "The tool.")
TOOL_ID_OI: Final = _inference("tool.id", "string", "tool", "The model's id of the call.")
TOOL_PARAMETERS_OI: Final = _inference("tool.parameters", "json", "tool", "Arguments.", content=True)
TOOL_EFFECT: Final = _ours("stagetrace.tool.effect", "string", "tool", "read, write, external or unknown.")
TOOL_OUTCOME: Final = _ours("stagetrace.tool.outcome", "string", "tool", "ok, error, rejected or cancelled.")
TOOL_ARGS_VALID: Final = _ours("stagetrace.tool.args_valid", "bool", "tool", "False when the arguments could not be read.")
TOOL_RAW: Final = _ours("stagetrace.tool.raw", "string", "tool", "The call as the model wrote it, where it could not be read.", content=True)
SANDBOX_NAME: Final = _ours("stagetrace.sandbox.name", "string", "tool", "The world that the tool acts on.")
STATE_BEFORE: Final = _ours("stagetrace.state.before", "string", "tool", "Digest of the state before a writing call.")
STATE_AFTER: Final = _ours("stagetrace.state.after", "string", "tool", "Digest of the state after it.")
STATE_CHANGES: Final = _ours("stagetrace.state.changes", "int", "tool", "Number of changes.", unit="changes")
STATE_DIFF: Final = _ours("stagetrace.state.diff", "json", "tool", "Changes as JSON patch operations, with the value before.", content=True)
SIDE_EFFECTS_DROPPED: Final = _ours("stagetrace.side_effect.overflow", "int", "tool", "Changes beyond the cap of events.", unit="changes")

# The side-effect event.
EFFECT_OP: Final = _ours("stagetrace.side_effect.op", "string", "event", "add, remove or replace.")
EFFECT_ENTITY: Final = _ours("stagetrace.side_effect.entity", "string", "event", "Table.")
EFFECT_KEY: Final = _ours("stagetrace.side_effect.key", "string", "event", "Id of the row.")
EFFECT_BEFORE: Final = _ours("stagetrace.side_effect.before", "string", "event", "Digest of the row before.")
EFFECT_AFTER: Final = _ours("stagetrace.side_effect.after", "string", "event", "Digest of the row after.")

# The exception event; its stack trace is left out, since it names files of the machine.
EXCEPTION_TYPE: Final = _add(Attribute("exception.type", "string", ("event",), "OpenTelemetry 1.44", "stable", "Class of the exception."))
EXCEPTION_MESSAGE: Final = _add(Attribute("exception.message", "string", ("event",), "OpenTelemetry 1.44", "stable", "Its text, which may quote arguments.", content=True))

# Resource.
LINE_CRC: Final = _ours("stagetrace.crc32", "string", "resource", "CRC-32 of the line with zeros in its place; only in the store, left out on reading.")
SERVICE_NAME: Final = _add(Attribute("service.name", "string", ("resource",), "OpenTelemetry 1.44", "stable", "stagetrace unless the caller names its service."))
VERSION: Final = _ours("stagetrace.version", "string", "resource", "Version of the writer.")
# fmt: on

SIDE_EFFECT_EVENT: Final = "stagetrace.side_effect"
EXCEPTION_EVENT: Final = "exception"
FLAT_DOCUMENTS: Final = 10
"""Flattened documents are a view; the JSON attribute and our arrays are the truth."""

ATTRIBUTES: Mapping[str, Attribute] = MappingProxyType(_table)
IDENTITY: tuple[str, ...] = tuple(a.key for a in _table.values() if a.identity)

_NUMBER = re.compile(r"(?<=\.)\d+(?=\.)")
_MARKS = (".truncated", ".replaced")


def lookup(key: str) -> Attribute | None:
    """The table's entry for a key as written, None for a key of the user's own.

    Example:
        >>> lookup("retrieval.documents.3.document.id").key
        'retrieval.documents.{i}.document.id'
    """
    found = _table.get(key)
    if found is None and key.startswith("stagetrace.outcome."):
        return _table[OUTCOME]
    if found is None:
        found = _table.get(_NUMBER.sub("{i}", key))
    return found


def is_content(key: str, value: object = "") -> bool:
    """Whether an attribute is left out when content is off.

    A text under a key that the table does not know counts as content, numbers and marks do not.

    Example:
        >>> is_content("gen_ai.input.messages"), is_content("my.note", "Dear Ann"), is_content("my.n", 3)
        (True, True, False)
    """
    if key.endswith(_MARKS):
        return False
    known = lookup(key)
    if known is not None:
        return known.content
    return not isinstance(value, bool | int | float)
