"""What frameworks put into attributes: wrapped JSON, messages, documents, tool arguments."""

from __future__ import annotations

import ast
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tracer.records import Json

_LITERAL_CHARS: Final = 1_000_000
_ROLES: Final = {
    "human": "user",
    "humanmessage": "user",
    "humanmessagechunk": "user",
    "ai": "assistant",
    "aimessage": "assistant",
    "aimessagechunk": "assistant",
    "model": "assistant",
    "systemmessage": "system",
    "toolmessage": "tool",
    "function": "tool",
}
_INSIDE: Final = ("messages", "outputs", "output", "inputs", "choices", "generations", "message")


_AROUND: Final = ("output", "kwargs", "data")
_SAYS: Final = ("output", "outputs", "answer", "result", "input", "inputs", "question", "query")


class UnreadableError(ValueError):
    """A text that gives no arguments; the text of the error is a short reason."""


def loads(text: str) -> Json:
    """The value of a JSON text; a key that stands twice and a bare NaN or Infinity are refused.

    Raises:
        UnreadableError: It is no such text.
    """

    def pairs(items: list[tuple[str, Json]]) -> dict[str, Json]:
        found = dict(items)
        if len(found) < len(items):
            raise UnreadableError("duplicate key")
        return found

    def constant(name: str) -> Json:
        raise UnreadableError(f"{name} is no JSON")

    try:
        return json.loads(text, object_pairs_hook=pairs, parse_constant=constant)
    except UnreadableError:
        raise
    except RecursionError:
        raise UnreadableError("nested too deep") from None
    except ValueError:
        raise UnreadableError("not JSON") from None


def lenient(value: Json) -> Json:
    """The value, or what its text says where it is JSON text; the text itself otherwise.

    Example:
        >>> lenient('{"a": 1}'), lenient("word"), lenient('"TOOL"')
        ({'a': 1}, 'word', 'TOOL')
    """
    if not isinstance(value, str) or value[:1] not in '{["0123456789-tfnNI':
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def unquoted(value: Json) -> str:
    """A text that may be JSON inside; empty for what is no text.

    Example:
        >>> unquoted('"TOOL"'), unquoted("tool"), unquoted(None)
        ('TOOL', 'tool', '')
    """
    found = lenient(value) if isinstance(value, str) and value.startswith('"') else value
    return found if isinstance(found, str) else ""


def arguments_of(value: Json) -> dict[str, Json]:
    """Arguments of a call from whatever stands for them.

    Read as JSON, then as JSON inside a JSON text, then as a Python literal; an empty text and null
    are a call without arguments.

    Raises:
        UnreadableError: It gives no object.

    Example:
        >>> arguments_of("{'query': 'x'}"), arguments_of("")
        ({'query': 'x'}, {})
    """
    if isinstance(value, Mapping):
        return dict(value)
    if value is None:
        return {}
    if not isinstance(value, str):
        raise UnreadableError("not an object")
    found: Json = value
    for _ in range(3):
        if not isinstance(found, str):
            break
        if not found.strip():
            return {}
        found = _read(found)
    if found is None:
        return {}
    if not isinstance(found, dict) or not all(isinstance(key, str) for key in found):
        raise UnreadableError("not an object")
    return found


def _read(text: str) -> Json:
    try:
        return loads(text)
    except UnreadableError as error:
        if str(error) != "not JSON" or text.lstrip()[:1] != "{":
            raise
        return _literal(text)


def _literal(text: str) -> Json:
    if len(text) > _LITERAL_CHARS:
        raise UnreadableError("not JSON")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
        if not isinstance(tree, ast.Dict):
            raise UnreadableError("not JSON")
        value = ast.literal_eval(tree)
        if len(value) < len(tree.keys):
            raise UnreadableError("duplicate key")
        # Sets, bytes and the like have no JSON form.
        return json.loads(json.dumps(value, allow_nan=False))
    except UnreadableError:
        raise
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        raise UnreadableError("not JSON") from None


def messages_of(value: Json) -> list[dict[str, Json]]:
    """Messages in the parts form, from a list, a state, a choice, a generation or one message."""
    return [message for item in _unwrapped(value, 0) if (message := _message(item)) is not None]


def _unwrapped(value: Json, depth: int) -> list[Json]:
    """The messages inside a payload, still as they are written."""
    if depth > 6:
        return []
    if isinstance(value, list):
        if _is_pair(value):
            return [{"role": value[0], "content": value[1]}]
        return [item for inner in value for item in _unwrapped(inner, depth + 1)]
    if not isinstance(value, dict):
        return []
    if _is_message(value):
        return [value]
    for key in _INSIDE:
        if key in value and isinstance(value[key], list | dict):
            found = _unwrapped(value[key], depth + 1)
            if found:
                return found
    return [{"role": "assistant", "content": value["text"]}] if "text" in value else []


def _is_pair(value: list[Json]) -> bool:
    return len(value) == 2 and all(isinstance(one, str) for one in value) and value[0] in (
        "user", "human", "assistant", "ai", "system",
    )  # fmt: skip


def _is_message(value: Mapping[str, Json]) -> bool:
    if "parts" in value or value.get("lc") == 1:
        return True
    if isinstance(value.get("data"), dict) and "type" in value:
        return True
    kind = str(value.get("role", value.get("type", ""))).lower()
    known = kind in _ROLES or kind in ("user", "assistant", "system", "tool", "developer")
    return known and ("content" in value or "tool_calls" in value)


def _message(value: dict[str, Json]) -> dict[str, Json] | None:
    if isinstance(value.get("parts"), list):
        return value
    inner: dict[str, Json] = value
    kind = str(value.get("role") or value.get("type") or "")
    if value.get("lc") == 1:
        names = value.get("id")
        kind = str(names[-1]) if isinstance(names, list) and names else ""
        inner = value["kwargs"] if isinstance(value.get("kwargs"), dict) else {}
    elif isinstance(value.get("data"), dict):
        inner = value["data"]
    role = _ROLES.get(kind.lower(), kind.lower())
    parts: list[Json] = []
    text = content_text(inner.get("content"))
    call_id = inner.get("tool_call_id")
    if role == "tool":
        parts.append({"type": "tool_call_response", "id": call_id, "response": text})
    elif text:
        parts.append({"type": "text", "content": text})
    calls = inner.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        if isinstance(call, dict):
            parts.append(_call_part(call))
    return {"role": role, "parts": parts}


def _call_part(call: Mapping[str, Json]) -> dict[str, Json]:
    call = call["tool_call"] if isinstance(call.get("tool_call"), dict) else call
    named = call["function"] if isinstance(call.get("function"), dict) else call
    return {
        "type": "tool_call",
        "id": call.get("id") or "",
        "name": named.get("name") or "",
        "arguments": named.get("arguments", named.get("args")),
    }


def content_text(content: Json) -> str:
    """The text of a message's content: a text, or a list of blocks."""
    if isinstance(content, str):
        return content
    texts = [
        block if isinstance(block, str) else block.get("text", block.get("content"))
        for block in (content if isinstance(content, list) else ())
        if isinstance(block, str | dict)
    ]
    return "".join(text for text in texts if isinstance(text, str))


def text_of_message(message: Mapping[str, Json]) -> str:
    """The text parts of a message in the parts form, joined."""
    parts = message.get("parts")
    return "".join(
        part["content"]
        for part in (parts if isinstance(parts, list) else ())
        if isinstance(part, dict)
        and part.get("type") == "text"
        and isinstance(part.get("content"), str)
    )


def last_text(messages: Sequence[Mapping[str, Json]], role: str) -> str | None:
    """The text of the last message of a role that has any."""
    for message in reversed(messages):
        if isinstance(message, Mapping) and message.get("role") == role:
            text = text_of_message(message)
            if text:
                return text
    return None


def said(value: Json, role: str) -> str | None:
    """What a payload says: the last text of the role in it, or itself where it is a plain text."""
    found = lenient(value)
    messages = messages_of(found)
    if messages:
        return last_text(messages, role)
    if isinstance(found, dict):
        for key in _SAYS:
            if isinstance(found.get(key), str):
                return str(found[key])
        return None
    return value if isinstance(value, str) and not isinstance(found, list) else None


def result_of(value: Json) -> tuple[Json, str]:
    """Result of a tool and the id of the call it answers, from the message around it if any."""
    found = lenient(value)
    for _ in range(4):
        if not isinstance(found, dict):
            break
        if "tool_call_id" in found and "content" in found:
            return lenient(found["content"]), str(found["tool_call_id"] or "")
        inner = next(
            (found[key] for key in _AROUND if isinstance(found.get(key), dict)),
            None,
        )
        if inner is None:
            if set(found) == {"output"}:
                return lenient(found["output"]), ""
            break
        found = inner
    return lenient(value), ""


@dataclass(frozen=True, slots=True)
class Document:
    """A ranked document as a payload gives it."""

    doc_id: str | None
    score: float | None
    text: str | None
    finite: bool = True
    """False where the score is NaN or infinite, and left out."""


def documents_of(value: Json) -> list[Document] | None:
    """Ranked documents of a payload; None where it holds no list of them."""
    found = lenient(value)
    if isinstance(found, dict):
        found = next(
            (found[key] for key in ("documents", "output", "outputs") if key in found), None
        )
    if not isinstance(found, list):
        return None
    return [document_of(one) for one in found]


def document_of(value: Json) -> Document:
    """One document; id and score are its own, else those of its metadata."""
    if isinstance(value, dict) and isinstance(value.get("document"), dict):
        value = value["document"]
    if not isinstance(value, dict):
        return Document(None, None, value if isinstance(value, str) else None)
    if value.get("lc") == 1 and isinstance(value.get("kwargs"), dict):
        value = value["kwargs"]
    metadata = lenient(value.get("metadata"))
    metadata = metadata if isinstance(metadata, dict) else {}
    doc_id = value.get("id")
    if doc_id is None:
        doc_id = metadata.get("document_id")
    score = value.get("score")
    if score is None:
        score = metadata.get("score")
    number, finite = score_of(score)
    text = next((value[key] for key in ("content", "page_content", "text") if key in value), None)
    return Document(
        None if doc_id is None else str(doc_id),
        number,
        text if isinstance(text, str) else None,
        finite,
    )


def score_of(score: Json) -> tuple[float | None, bool]:
    """A score as a finite number, and whether it was one or absent."""
    if isinstance(score, str):
        try:
            score = float(score)
        except ValueError:
            return None, True
    if isinstance(score, bool) or not isinstance(score, int | float):
        return None, True
    try:
        number = float(score)
    except OverflowError:
        return None, False
    return (number, True) if math.isfinite(number) else (None, False)


def numbered(attributes: Mapping[str, Json], base: str) -> list[dict[str, Json]]:
    """The entries of a flattened list, by number, each with what follows the number in its keys.

    Example:
        >>> numbered({"d.10.id": "k", "d.2.id": "b", "d.x": 0}, "d")
        [{'id': 'b'}, {'id': 'k'}]
    """
    found: dict[int, dict[str, Json]] = {}
    start = f"{base}."
    for key, value in attributes.items():
        if key.startswith(start):
            number, _, rest = key[len(start) :].partition(".")
            if number.isdecimal() and len(number) < 9:
                found.setdefault(int(number), {})[rest] = value
    return [found[number] for number in sorted(found)]


def flat_documents(attributes: Mapping[str, Json], base: str) -> list[Document] | None:
    """Documents flattened as OpenInference writes them; None where there are none."""
    flat = [
        {key.removeprefix("document."): value for key, value in one.items()}
        for one in numbered(attributes, base)
    ]
    return documents_of(flat) if flat else None


def token_count(value: Json) -> int | None:
    """A number of tokens; None for what is none."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return int(value) if isinstance(value, str) and value.isdecimal() else None
