"""Responses of the `openai` client: what their requests, replies and pieces say.

A response's items are put into the messages of the GenAI conventions; what the server keeps of the
turns before (`previous_response_id`, `conversation`) is not in the request and so not on the span.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tracer import attributes as names
from tracer import spans
from tracer.live import Span
from tracer.openai_chat import Form, call_part, content_parts, note_tools, number, plain, text_of
from tracer.records import Json

_FINISHED = ("response.completed", "response.incomplete", "response.failed")
_REASONS = {"max_output_tokens": "length", "max_messages": "length"}


def note_request(span: Span, model: str, kwargs: Mapping[str, Any]) -> None:
    """Note input, instructions, tools and settings."""
    given = kwargs.get("input")
    items = [given] if isinstance(given, str) else list(given or ())
    messages = _messages([plain(item) for item in items])
    users = [m for m in messages if m["role"] == "user"]
    spans.set_chat_request(
        span,
        model,
        messages,
        provider="openai",
        last_user_text=_said(users[-1]) if users else "",
        settings={
            "temperature": kwargs.get("temperature"),
            "max_tokens": kwargs.get("max_output_tokens"),
            "stream": kwargs.get("stream"),
        },
    )
    if isinstance(instructions := kwargs.get("instructions"), str):
        told: Json = [{"type": "text", "content": instructions}]
        span.set_json(names.SYSTEM_INSTRUCTIONS, told)
    note_tools(span, kwargs)


def note_reply(span: Span, reply: Any) -> None:
    """Note the items of a response; one that failed is an error on the span."""
    items = [plain(item) for item in getattr(reply, "output", None) or ()]
    _set_reply(span, items, reply)
    error = getattr(reply, "error", None)
    if error is not None:
        _fail(span, getattr(error, "code", None), getattr(error, "message", None))


def _messages(items: Sequence[Mapping[str, Any]]) -> list[dict[str, Json]]:
    """Items as messages: each its own, but calls that follow one another share one."""
    out: list[dict[str, Json]] = []
    for item in items:
        role, parts = _item(item)
        if role == "assistant" and out and out[-1]["role"] == "assistant":
            out[-1]["parts"] += parts
        else:
            out.append({"role": role, "parts": parts})
    return out


def _item(item: Mapping[str, Any]) -> tuple[str, list[Json]]:
    """Whose an item is, and its parts."""
    kind = str(item.get("type") or "message")
    if kind == "message":
        content = item.get("content")
        blocks = [plain(block) for block in content] if isinstance(content, list) else content
        return str(item.get("role") or "user"), content_parts(blocks)
    if kind == "function_call":
        part = call_part(item.get("call_id"), item.get("name"), item.get("arguments"))
        return "assistant", [part]
    if kind == "function_call_output":
        said = text_of(item.get("output"))
        return "tool", [
            {"type": "tool_call_response", "id": item.get("call_id") or "", "response": said}
        ]
    # A tool of the server's own, a line of reasoning: that it was there, not what it held.
    return ("tool" if kind.endswith("_output") else "assistant"), [{"type": kind}]


def _said(message: Mapping[str, Json]) -> str:
    return "".join(p["content"] for p in message["parts"] if p["type"] == "text")


def _set_reply(
    span: Span, items: Sequence[Mapping[str, Any]], response: Any, said: str = ""
) -> None:
    parts: list[Json] = [part for item in items for part in _item(item)[1]]
    if said:
        parts.append({"type": "text", "content": said})
    calls = [part for part in parts if part["type"] == "tool_call"]
    reason = _reason(response, bool(calls))
    message: dict[str, Json] = {"role": "assistant", "parts": parts, "finish_reason": reason}
    usage = getattr(response, "usage", None)
    read = getattr(usage, "input_tokens_details", None)
    spans.set_chat_reply(
        span,
        [message],
        text=_said(message),
        calls=len(calls),
        finish_reasons=(reason,),
        model=str(getattr(response, "model", "") or ""),
        response_id=str(getattr(response, "id", "") or ""),
        usage={
            "input": number(usage, "input_tokens"),
            "output": number(usage, "output_tokens"),
            "cache_read": number(read, "cached_tokens"),
            "cache_write": number(read, "cache_write_tokens"),
            "reasoning": number(getattr(usage, "output_tokens_details", None), "reasoning_tokens"),
        },
    )


def _reason(response: Any, calls: bool) -> str:
    status = str(getattr(response, "status", "") or "completed")
    if status == "incomplete":
        why = str(getattr(getattr(response, "incomplete_details", None), "reason", "") or status)
        return _REASONS.get(why, why)
    if status == "completed":
        return "tool_calls" if calls else "stop"
    return "error" if status == "failed" else status


def _fail(span: Span, code: Any, message: Any) -> None:
    span.fail(str(message or code or "the response failed"))
    if code:
        span.set(names.ERROR_TYPE, str(code))


class _Events:
    """What the events of a response add up to."""

    def __init__(self) -> None:
        self._response: Any = None
        self._items: list[Mapping[str, Any]] = []
        self._said = ""
        self._finished = False
        self._error: tuple[Any, Any] | None = None

    def take(self, piece: Any) -> None:
        """Add one event."""
        kind = str(getattr(piece, "type", ""))
        self._response = getattr(piece, "response", None) or self._response
        if kind in _FINISHED:
            self._finished = True
        elif kind == "response.output_text.delta":
            self._said += getattr(piece, "delta", "") or ""
        elif kind == "response.output_item.done":
            self._items.append(plain(piece.item))
            if getattr(piece.item, "type", "") == "message":
                self._said = ""
        elif kind == "error":
            self._error = (getattr(piece, "code", None), getattr(piece, "message", None))

    def note(self, span: Span) -> None:
        """Note the finished response, or its items and words as far as they came."""
        if self._finished:
            note_reply(span, self._response)
        else:
            _set_reply(span, self._items, self._response, self._said)
        if self._error is not None:
            _fail(span, *self._error)


FORM = Form(note_request, note_reply, _Events)
