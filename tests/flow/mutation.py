"""Inputs that were good, changed a little: byte by byte, or in their JSON."""

from __future__ import annotations

import copy
import json
import random
import zlib
from collections.abc import Sequence
from typing import Any

from tracer.formats.otlp_spans import CRC_PREFIX, NO_CRC

PIECES = (b"null", b"{}", b"[]", b'""', b"-1", b"1e999", b"NaN", b"[" * 2000, b'"\\ud800"', b"true")
VALUES: Sequence[Any] = (
    *(None, True, False, 0, -1, 3, 2**63, -(2**70), 0.5, -1.5, 1e308, float("nan"), float("inf")),
    *("", "x", "7", "base", "\x00", "\ud800", "é\u202e", "2026-13-45", "../x", "a b\nc", "{", "[1"),
    *([], [None], [[]], [1, "x"], {}, {"": None}, {"a": {"b": []}}, {"$st": 1}, "y" * 3000),
)


def mutated(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """The data with its bytes or, where it is JSON or lines of it, its values changed."""
    if rng.random() < 0.6:
        lines = data.splitlines(keepends=True)
        for _ in range(4):
            changed = _lines_mutated(rng, lines) if lines else None
            if changed is not None:
                return changed
    return bytes_mutated(rng, data, others)


def bytes_mutated(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """The data with some of it changed, doubled, taken out, or swapped with another input's."""
    bad = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 5, 20))):
        if not bad:
            break
        at = rng.randrange(len(bad))
        size = min(rng.choice((1, 2, 8, 64, 500)), len(bad) - at)
        kind = rng.randrange(7)
        if kind == 0:
            bad[at] = rng.randrange(256)
        elif kind == 1:
            del bad[at : at + size]
        elif kind == 2:
            bad[at:at] = bad[at : at + size] * rng.choice((1, 3))
        elif kind == 3:
            other = rng.choice(others)
            start = rng.randrange(len(other)) if other else 0
            bad[at : at + size] = other[start : start + size]
        elif kind == 4:
            bad[at : at + size] = rng.choice(PIECES)
        elif kind == 5:
            bad[at : at + size] = b"\n"
        else:
            bad = bytearray(bad.replace(rng.choice((b":", b",", b'"', b"}")), b"", 1))
    return bytes(bad)


def _lines_mutated(rng: random.Random, lines: list[bytes]) -> bytes | None:
    """One line with a value changed, or all of it as one document; None where it is no JSON."""
    whole = lines[0].strip() in (b"{", b"[") or len(lines) == 1
    at = rng.randrange(len(lines))
    text = b"".join(lines) if whole else lines[at]
    try:
        document = json.loads(text)
        for _ in range(rng.choice((1, 1, 1, 2, 4))):
            document = value_mutated(rng, document)
        new = json.dumps(document, separators=(",", ":")).encode() + b"\n"
    except (ValueError, RecursionError):
        return None
    new = signed(new) if rng.random() < 0.9 else new
    return new if whole else b"".join([*lines[:at], new, *lines[at + 1 :]])


def signed(line: bytes) -> bytes:
    """A line of our own store with the checksum that it should have; others as they are."""
    if not line.startswith(CRC_PREFIX):
        return line
    start = len(CRC_PREFIX)
    rest = line[start + len(NO_CRC) :]
    crc = zlib.crc32(rest.removesuffix(b"\n"), zlib.crc32(CRC_PREFIX + NO_CRC.encode()))
    return CRC_PREFIX + b"%08x" % crc + rest


def value_mutated(rng: random.Random, document: Any) -> Any:
    """A JSON value with one value in it changed, left out, doubled, renamed or moved."""
    document = copy.deepcopy(document)
    places = list(_places(document))
    if not places:
        return rng.choice(VALUES)
    holder, key = rng.choice(places)
    kind = rng.randrange(8)
    if kind < 3:
        holder[key] = copy.deepcopy(rng.choice(VALUES))
    elif kind == 3:
        del holder[key]
    elif kind == 4:
        other, there = rng.choice(places)
        holder[key] = copy.deepcopy(other[there])
    elif kind == 5:
        holder[key] = rng.choice(([holder[key]], {"value": holder[key]}, str(holder[key])))
    elif kind == 6 and isinstance(holder, dict):
        other, there = rng.choice(places)
        holder[str(there)] = holder.pop(key)
    elif isinstance(holder, list):
        holder.insert(key, copy.deepcopy(holder[key]))
    else:
        holder[key] = _inner_mutated(rng, holder[key])
    return document


def _inner_mutated(rng: random.Random, value: Any) -> Any:
    """A text that is JSON itself with a value changed; a number a little; else another value."""
    if isinstance(value, str) and value[:1] in ("{", "["):
        try:
            return json.dumps(value_mutated(rng, json.loads(value)))
        except ValueError:
            return value[: len(value) // 2]
    if isinstance(value, bool | None):
        return not value
    if isinstance(value, int | float):
        return value + rng.choice((-1, 1, 0.5, 10**6))
    if isinstance(value, str):
        return rng.choice((value[: len(value) // 2], value + value, value.upper(), value[::-1]))
    return rng.choice(VALUES)


def _places(document: Any) -> list[tuple[Any, Any]]:
    """Every place in a JSON value that a value stands in."""
    found: list[tuple[Any, Any]] = []
    waiting = [document]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            pairs: Any = one.items()
        else:
            pairs = enumerate(one) if isinstance(one, list) else ()
        for key, value in pairs:
            found.append((one, key))
            waiting.append(value)
    return found
