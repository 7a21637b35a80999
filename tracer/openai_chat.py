"""Chat completions of the `openai` client: what their requests, replies and pieces say."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from tracer import attributes as names
from tracer import spans
from tracer.live import Span
from tracer.records import Json

_SETTINGS = ("temperature", "seed", "stream")


class Pieces(Protocol):
    """What the pieces of a stream add up to."""

    def take(self, piece: Any) -> None:
        """Add one piece."""
        ...

    def note(self, span: Span) -> None:
        """Note what has come so far."""
        ...


@dataclass(frozen=True, slots=True)
class Form:
    """How one of the client's ways to ask a model is read."""

    note_request: Callable[[Span, str, Mapping[str, Any]], None]
    """Notes on the span what is asked of a model with these arguments."""
    note_reply: Callable[[Span, Any], None]
    """Notes what came back."""
    pieces: Callable[[], Pieces]
    """Takes the pieces of a stream."""


def note_request(span: Span, model: str, kwargs: Mapping[str, Any]) -> None:
    """Note messages, tools and settings."""
    messages = [plain(message) for message in kwargs.get("messages") or ()]
    users = [m for m in messages if m.get("role") == "user"]
    spans.set_chat_request(
        span,
        model,
        [_parts(message) for message in messages],
        provider="openai",
        last_user_text=text_of(users[-1].get("content")) if users else "",
        settings={key: kwargs.get(key) for key in _SETTINGS}
        | {"max_tokens": kwargs.get("max_tokens") or kwargs.get("max_completion_tokens")},
    )
    note_tools(span, kwargs)


def note_reply(span: Span, reply: Any) -> None:
    """Note the choices of a completion."""
    choices = [plain(choice) for choice in getattr(reply, "choices", None) or ()]
    messages = [plain(choice.get("message") or {}) for choice in choices]
    reasons = [str(choice.get("finish_reason") or "stop") for choice in choices]
    _set_reply(span, messages, reasons, reply, getattr(reply, "usage", None))


def note_tools(span: Span, kwargs: Mapping[str, Any]) -> None:
    """Note the tools that a request offers."""
    if isinstance(tools := kwargs.get("tools"), Sequence):
        span.set_json(names.TOOL_DEFINITIONS, [_definition(tool) for tool in tools])


def _definition(tool: Any) -> Json:
    function = tool.get("function") if isinstance(tool, Mapping) else None
    return {"type": "function", **function} if isinstance(function, Mapping) else tool


def plain(message: Any) -> Mapping[str, Any]:
    """A message or item of either form as a mapping."""
    if isinstance(message, Mapping):
        return message
    dump = getattr(message, "model_dump", None)
    # A parsed answer may be an object of any class; it repeats the text.
    return (
        dump(exclude_none=True, exclude={"parsed"}, warnings=False)
        if callable(dump)
        else {"role": "user", "content": str(message)}
    )


def text_of(content: Any) -> str:
    """The text of a content that is one, or of its blocks."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, Sequence) else ()
    return "".join(str(b.get("text") or "") for b in blocks if isinstance(b, Mapping))


def content_parts(content: Any) -> list[Json]:
    """A content in the parts form: its text, and the type of whatever else it holds."""
    text = text_of(content)
    parts: list[Json] = [{"type": "text", "content": text}] if text else []
    if not isinstance(content, str):
        parts.extend(
            {"type": str(block.get("type", "unknown"))}
            for block in content or ()
            if isinstance(block, Mapping) and "text" not in block
        )
    return parts


def _parts(message: Mapping[str, Any]) -> dict[str, Json]:
    role, content = str(message.get("role") or "user"), message.get("content")
    if role == "tool":
        call_id = message.get("tool_call_id") or ""
        parts: list[Json] = [
            {"type": "tool_call_response", "id": call_id, "response": text_of(content)}
        ]
    else:
        parts = content_parts(content)
    for call in message.get("tool_calls") or ():
        known = plain(call)
        function = plain(known.get("function") or {})
        parts.append(call_part(known.get("id"), function.get("name"), function.get("arguments")))
    return {"role": role, "parts": parts}


def call_part(call_id: Any, name: Any, raw: Any) -> dict[str, Json]:
    """A requested call in the parts form; arguments that are no JSON stay as text."""
    part: dict[str, Json] = {"type": "tool_call", "id": call_id or "", "name": name or ""}
    try:
        part["arguments"] = json.loads(raw) if isinstance(raw, str) else raw
    except (ValueError, RecursionError):
        part |= {"arguments": None, "raw": raw}
    return part


def _set_reply(
    span: Span,
    messages: Sequence[Mapping[str, Any]],
    reasons: Sequence[str],
    result: Any,
    usage: Any,
) -> None:
    read = getattr(usage, "prompt_tokens_details", None)
    written = getattr(usage, "completion_tokens_details", None)
    spans.set_chat_reply(
        span,
        [
            _parts({"role": "assistant", **message}) | {"finish_reason": reason}
            for message, reason in zip(messages, reasons, strict=True)
        ],
        text=text_of(messages[0].get("content")) if messages else "",
        calls=sum(len(message.get("tool_calls") or ()) for message in messages),
        finish_reasons=reasons,
        model=str(getattr(result, "model", "") or ""),
        response_id=str(getattr(result, "id", "") or ""),
        usage={
            "input": number(usage, "prompt_tokens"),
            "output": number(usage, "completion_tokens"),
            "cache_read": number(read, "cached_tokens"),
            "reasoning": number(written, "reasoning_tokens"),
        },
    )


def number(holder: Any, name: str) -> int | None:
    """A whole number that an object of the client may hold."""
    value = getattr(holder, name, None)
    return value if isinstance(value, int) else None


class _Chunks:
    """What the chunks of a completion add up to."""

    def __init__(self) -> None:
        self._messages: dict[int, dict[str, Any]] = {}
        self._reasons: dict[int, str] = {}
        self._last: Any = None
        self._usage: Any = None

    def take(self, piece: Any) -> None:
        """Add one chunk."""
        self._last = piece
        self._usage = getattr(piece, "usage", None) or self._usage
        for choice in getattr(piece, "choices", None) or ():
            message = self._messages.setdefault(choice.index, {"content": "", "calls": {}})
            message["content"] += getattr(choice.delta, "content", None) or ""
            for call in getattr(choice.delta, "tool_calls", None) or ():
                known = message["calls"].setdefault(call.index, {"id": "", "name": "", "args": ""})
                known["id"] = known["id"] or call.id or ""
                if call.function is not None:
                    known["name"] += call.function.name or ""
                    known["args"] += call.function.arguments or ""
            if choice.finish_reason:
                self._reasons[choice.index] = choice.finish_reason

    def note(self, span: Span) -> None:
        """Note the choices as far as they came."""
        messages = [
            {
                "content": message["content"],
                "tool_calls": [
                    {"id": c["id"], "function": {"name": c["name"], "arguments": c["args"]}}
                    for c in message["calls"].values()
                ],
            }
            for message in self._messages.values()
        ]
        reasons = [self._reasons.get(index, "stop") for index in self._messages]
        _set_reply(span, messages, reasons, self._last, self._usage)


FORM = Form(note_request, note_reply, _Chunks)
