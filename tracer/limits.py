"""Strict JSON text of any value, and long values cut with a mark.

What JSON cannot hold is tagged, so that nothing is silently changed: `{"$float": "NaN"}`,
`{"$int": "..."}` beyond 64 bits, `{"$object": class, "repr": ...}`, `{"$deep": class}` below the
depth limit. Bytes become base64 text, sets a list in the order of their JSON texts.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence, Set
from typing import Final

import msgspec

from tracer.records import Json

VALUE_BYTES: Final = 16 * 2**20
"""Longest value that the store keeps whole."""
EXPORT_VALUE_BYTES: Final = 256 * 2**10
"""Longest value that an export sends whole."""
TEXT_BYTES: Final = 64 * 2**10
"""Longest event name or status text."""
DEPTH: Final = 100
"""Deepest nesting that is written out."""
_REPR_CHARS: Final = 200
INT64: Final = range(-(2**63), 2**63)
_SURROGATE = re.compile("[\ud800-\udfff]")
_MSGPACK_NONFINITE = re.compile(rb"\xcb[\x7f\xff][\xf0-\xff]")


class Snapshot:
    """A value as it was at the moment it was noted; later changes by the user do not reach it."""

    __slots__ = ("learned", "memo", "packed")

    def __init__(self, value: Json) -> None:
        self.learned = False
        self.memo: object = None
        """What the writer has made of it, and for whom."""
        try:
            self.packed = msgspec.msgpack.encode(value)
        except Exception:
            self.packed = msgspec.msgpack.encode(plain(value))

    @classmethod
    def of(cls, packed: bytes) -> Snapshot:
        """A snapshot from bytes that are packed already."""
        snapshot = cls.__new__(cls)
        snapshot.learned = False
        snapshot.memo = None
        snapshot.packed = packed
        return snapshot

    def value(self) -> Json:
        """The value as strict JSON can hold it."""
        value = msgspec.msgpack.decode(self.packed, strict=False)
        return plain(value) if _MSGPACK_NONFINITE.search(self.packed) else value

    def text(self) -> str:
        """The value as strict JSON text."""
        return _encode(self.value())


class Listed(tuple[Snapshot, ...]):
    """A list of values, such as messages, each of which a trace holds once."""

    __slots__ = ()


class Documents(tuple[tuple[str, float | None, str | None], ...]):
    """Documents as id, score and text."""

    __slots__ = ()


def json_text(value: Json) -> str:
    """Strict JSON text of any value; never raises because of what the value is.

    Example:
        >>> json_text({"score": float("nan"), "ids": (1, 2)})
        '{"score":{"$float":"NaN"},"ids":[1,2]}'
    """
    return Snapshot(value).text()


def whole_number(text: str) -> int | None:
    """The number that a text of at most 20 digits writes; None for any other text.

    Example:
        >>> whole_number("042"), whole_number("\N{SUPERSCRIPT TWO}"), whole_number("-1")
        (42, None, None)
    """
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 20 else None


def json_value(text: str) -> Json:
    """The value of a JSON text that somebody else wrote.

    Raises:
        ValueError: It is no JSON, or nested too deep to be read.

    Example:
        >>> json_value('{"a": [1]}')
        {'a': [1]}
    """
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("nested too deep") from error


def _encode(value: Json) -> str:
    try:
        return msgspec.json.encode(value).decode()
    except (TypeError, ValueError, RecursionError, OverflowError):
        return msgspec.json.encode(plain(value)).decode()


def plain(value: object, depth: int = 0) -> Json:
    """The value as None, bool, int, float, str, list and dict only, with tags for the rest."""
    try:
        return _plain(value, depth)
    except Exception:
        # Also a proxy may raise as soon as anybody asks for its class.
        return _placeholder(value)


def _plain(value: object, depth: int) -> Json:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return clean(str.__str__(value))[0]
    if isinstance(value, int):
        number = int(value)
        return number if number in INT64 else {"$int": digits(number)}
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else {"$float": float_name(value)}
    if isinstance(value, bytes | bytearray | memoryview):
        return base64.b64encode(bytes(value)).decode()
    if depth >= DEPTH:
        return {"$deep": _class_name(value)}
    try:
        return _plain_container(value, depth)
    except RecursionError:
        return {"$deep": _class_name(value)}
    except Exception:
        return _placeholder(value)


def _plain_container(value: object, depth: int) -> Json:
    if isinstance(value, Mapping):
        return {_key(key): plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, Set):
        items = [plain(item, depth + 1) for item in value]
        return sorted(items, key=lambda item: msgspec.json.encode(item))
    if isinstance(value, Sequence):
        return [plain(item, depth + 1) for item in value]
    if type(value).__module__ == "numpy":
        return plain(value.tolist(), depth + 1)  # type: ignore[attr-defined]
    dump = getattr(value, "model_dump", None)
    if callable(dump) and not isinstance(value, type):
        return plain(dump(), depth + 1)
    return plain(msgspec.to_builtins(value, enc_hook=_placeholder), depth + 1)


def _key(key: object) -> str:
    return clean(key)[0] if isinstance(key, str) else clean(_safe_repr(key))[0]


def digits(number: int) -> str:
    """A whole number as text, however long."""
    # str() refuses beyond 4300 digits; hexadecimal has no such limit.
    return str(number) if number.bit_length() < 14_000 else hex(number)


def _class_name(value: object) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"


def _safe_repr(value: object) -> str:
    try:
        return repr(value)[:_REPR_CHARS]
    except Exception as error:
        return f"<repr raised {type(error).__name__}>"


# An address differs from run to run and tells nothing.
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def _placeholder(value: object) -> dict[str, str]:
    text = clean(_ADDRESS.sub("", _safe_repr(value)))[0]
    return {"$object": _class_name(value), "repr": text}


def float_name(value: float) -> str:
    """`NaN`, `Infinity` or `-Infinity`, as OTLP JSON and our tags write them."""
    return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")


def clean(text: str) -> tuple[str, int]:
    """The text with lone surrogates replaced by U+FFFD, and how many were.

    Example:
        >>> clean("a" + chr(0xD83D)) == ("a" + chr(0xFFFD), 1)
        True
    """
    if text.isascii():
        return text, 0
    try:
        text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.subn("\ufffd", text)
    return text, 0


def cut(text: str, limit: int) -> tuple[str, str | None]:
    """The text within `limit` UTF-8 bytes, and a mark with full length and digest when it was cut.

    Never cuts inside a character.

    Example:
        >>> cut("añb", 2)[0]
        'a'
        >>> cut("abc", 3)
        ('abc', None)
    """
    if len(text) * 4 <= limit:
        return text, None
    raw = text.encode()
    if len(raw) <= limit:
        return text, None
    mark = {"length": len(raw), "sha256": hashlib.sha256(raw).hexdigest()}
    return raw[:limit].decode(errors="ignore"), msgspec.json.encode(mark).decode()


def digest(value: Json) -> str:
    """First 16 hex digits of the SHA-256 over the canonical JSON of a value."""
    text = msgspec.json.encode(plain(value), order="sorted")
    return hashlib.sha256(text).hexdigest()[:16]
