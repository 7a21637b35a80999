"""JSON text to values, strict first; what strict JSON refuses is read as far as it goes, and said.

Everything that a hostile text can do ends as `BadJsonError`: no RecursionError, no other exception.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

from tracer.formats.report import Report
from tracer.limits import clean
from tracer.records import Json


class BadJsonError(ValueError):
    """A text that cannot be read.

    Args:
        kind: `bad_json_line` or `nested_too_deep`.
        text: What is wrong with it.
        line: Line inside the text, counted from 1.
    """

    def __init__(self, kind: str, text: str, line: int = 1) -> None:
        super().__init__(text)
        self.kind = kind
        self.line = line


def read_json(data: bytes, report: Report) -> Json:
    """The value of a JSON text; replaced bytes and non-finite numbers are noted in the report.

    Raises:
        BadJsonError: It is no JSON at all, or nested too deep.
    """
    try:
        return msgspec.json.decode(data)
    except RecursionError:
        raise BadJsonError("nested_too_deep", "nested too deep to be read") from None
    except (msgspec.DecodeError, UnicodeDecodeError):
        return _lenient(data, report)


def text_of(data: bytes, report: Report) -> str:
    """The text of bytes; what is no UTF-8 is replaced and noted."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        report.warn("invalid_utf8")
        return data.decode(errors="replace")


def _lenient(data: bytes, report: Report) -> Json:
    try:
        text = data.decode()
        broken = False
    except UnicodeDecodeError:
        text = data.decode(errors="replace")
        broken = True
    odd = _Constants()
    try:
        value = json.loads(text, parse_constant=odd.take)
        half = [0]
        if "\\ud" in text or "\\uD" in text:
            value = _whole(value, half)
    except RecursionError:
        raise BadJsonError("nested_too_deep", "nested too deep to be read") from None
    except json.JSONDecodeError as error:
        what = f"no JSON ({error.msg} at column {error.colno})"
        raise BadJsonError("bad_json_line", what, error.lineno) from None
    except ValueError as error:
        raise BadJsonError("bad_json_line", f"no JSON ({error})") from None
    if broken:
        report.warn("invalid_utf8")
    if odd.count:
        report.warn("non_finite_number", "NaN or Infinity as a bare word", count=odd.count)
    if half[0]:
        report.warn("lone_surrogate", count=half[0])
    return value


class _Constants:
    """Reads NaN, Infinity and -Infinity, and counts them."""

    def __init__(self) -> None:
        self.count = 0

    def take(self, name: str) -> float:
        """The number of a name."""
        self.count += 1
        return float(name)


def _whole(value: Any, half: list[int]) -> Any:
    """The value with halves of surrogate pairs replaced."""
    if isinstance(value, str):
        text, replaced = clean(value)
        half[0] += replaced
        return text
    if isinstance(value, list):
        return [_whole(item, half) for item in value]
    if isinstance(value, dict):
        return {_whole(key, half): _whole(item, half) for key, item in value.items()}
    return value


def read_documents(data: bytes, report: Report) -> list[tuple[int, Json]]:
    """The JSON values that stand one after another, each with the line it begins on.

    Raises:
        BadJsonError: Something between them is no JSON; `line` says where.
    """
    text = text_of(data, report)
    odd = _Constants()
    decoder = json.JSONDecoder(parse_constant=odd.take)
    found: list[tuple[int, Json]] = []
    at, line, size = 0, 1, len(text)
    while True:
        start = at
        while at < size and text[at] in " \t\r\n\ufeff":
            at += 1
        line += text.count("\n", start, at)
        if at == size:
            break
        try:
            value, end = decoder.raw_decode(text, at)
            half = [0]
            found.append((line, _whole(value, half) if "\\ud" in text or "\\uD" in text else value))
        except RecursionError:
            raise BadJsonError("nested_too_deep", "nested too deep to be read", line) from None
        except json.JSONDecodeError as error:
            raise BadJsonError(
                "bad_json_line", f"no JSON ({error.msg} at column {error.colno})", error.lineno
            ) from None
        except ValueError as error:
            raise BadJsonError("bad_json_line", f"no JSON ({error})", line) from None
        if half[0]:
            report.warn("lone_surrogate", count=half[0])
        line += text.count("\n", at, end)
        at = end
    if odd.count:
        report.warn("non_finite_number", "NaN or Infinity as a bare word", count=odd.count)
    return found
