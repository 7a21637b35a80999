"""LangChain's messages, replies and documents in our words, without importing LangChain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tracer.limits import Snapshot, json_text
from tracer.live import LiveTrace
from tracer.records import Json, Passage
from tracer.spans import variant_id

_ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool"}
_ID_KEYS = ("id", "doc_id", "document_id")
_SCORE_KEYS = ("score", "relevance_score", "similarity_score")


def text_of(content: object) -> str:
    """The text of a message's content, which is a text or a list of blocks."""
    if isinstance(content, str):
        return content
    if isinstance(content, Sequence):
        texts = (
            block if isinstance(block, str) else block.get("text", "")
            for block in content
            if isinstance(block, str | Mapping)
        )
        return "".join(text for text in texts if isinstance(text, str))
    return json_text(content)


def parts_of_message(message: Any) -> dict[str, Json]:
    """A LangChain message in the parts form of the GenAI conventions."""
    kind = str(getattr(message, "type", ""))
    parts: list[Json] = []
    content = getattr(message, "content", "")
    if kind == "tool":
        call_id = str(getattr(message, "tool_call_id", ""))
        parts.append({"type": "tool_call_response", "id": call_id, "response": text_of(content)})
    else:
        text = text_of(content)
        if text:
            parts.append({"type": "text", "content": text})
        if not isinstance(content, str):
            parts.extend(
                {"type": str(block.get("type", "unknown"))}
                for block in content
                if isinstance(block, Mapping) and "text" not in block
            )
    # A pydantic model is slow to say that it lacks a field.
    fields = message.__dict__
    for call in fields.get("tool_calls") or ():
        parts.append(
            {
                "type": "tool_call",
                "id": call.get("id") or "",
                "name": call.get("name", ""),
                "arguments": call.get("args"),
            }
        )
    for call in fields.get("invalid_tool_calls") or ():
        parts.append(
            {
                "type": "tool_call",
                "id": call.get("id") or "",
                "name": call.get("name") or "",
                "arguments": None,
                "raw": call.get("args"),
            }
        )
    out: dict[str, Json] = {"role": _ROLES.get(kind, kind or "user"), "parts": parts}
    if name := getattr(message, "name", None):
        out["name"] = name
    return out


def message_snapshot(trace: LiveTrace, message: Any) -> Snapshot:
    """A LangChain message in the parts form, taken down once a trace.

    Told apart by what it says, not by the framework's id, which is given after the first sight.
    """
    # Fields that a kind of message lacks are slow to ask a pydantic model for.
    fields = message.__dict__
    content, calls = fields.get("content", ""), fields.get("tool_calls")
    broken = fields.get("invalid_tool_calls")
    key = (
        fields.get("type", ""),
        content if isinstance(content, str) else Snapshot(content).packed,
        fields.get("tool_call_id"),
        fields.get("name"),
        Snapshot([calls, broken]).packed if calls or broken else b"",
    )
    return trace.message(key, lambda: parts_of_message(message))


def passage_of(document: Any) -> Passage:
    """A LangChain document as a passage; one without any id is named by the digest of its text."""
    metadata = getattr(document, "metadata", None) or {}
    text = str(getattr(document, "page_content", ""))
    found = getattr(document, "id", None)
    if found is None:
        found = next((metadata[key] for key in _ID_KEYS if metadata.get(key) is not None), None)
    score = next((metadata[key] for key in _SCORE_KEYS if _number(metadata.get(key))), None)
    return Passage(
        doc_id=f"sha256:{variant_id(text)}" if found is None else str(found),
        score=None if score is None else float(score),
        text=text,
    )


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
