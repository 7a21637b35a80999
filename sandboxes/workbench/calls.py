"""Call strings as the benchmark publishes them, to calls and back; nothing is ever evaluated."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tracer.records import Json

_SUFFIX = ".func"


@dataclass(frozen=True, slots=True)
class ParsedCall:
    """A call string taken apart."""

    name: str
    """Tool, such as `email.send_email`."""
    positional: tuple[Json, ...]
    keywords: Mapping[str, Json]

    def arguments(self, parameters: Sequence[str]) -> dict[str, Json] | None:
        """All arguments by keyword; None when the positional ones do not fit.

        Args:
            parameters: The tool's parameters in the order of its signature.
        """
        named = dict(zip(parameters, self.positional, strict=False))
        if len(self.positional) > len(parameters) or named.keys() & self.keywords.keys():
            return None
        return {**named, **self.keywords}


def replace_newlines(text: str) -> str:
    """The string with each raw newline as backslash and n, as all strings are before they are read.

    Source:
        WorkBench at 42f1b6d, `src/evals/utils.py`.
    """
    return text.replace("\n", "\\n")


def call_string(name: str, arguments: Mapping[str, Json]) -> str:
    """The call as the benchmark writes it down: values between double quotes, nothing escaped.

    A value with a double quote in it makes a string that cannot be read back; so it is published.

    Source:
        WorkBench at 42f1b6d, `src/evals/utils.py`.

    Example:
        >>> call_string("email.delete_email", {"email_id": "00000001"})
        'email.delete_email.func(email_id="00000001")'
    """
    inner = ", ".join(f'{key}="{value}"' for key, value in arguments.items())
    return f"{name}{_SUFFIX}({inner})"


def tool_of(text: str) -> str:
    """The tool a call string names, readable or not: its first two dotted parts.

    Example:
        >>> tool_of('email.delete_email.func(email_id="1"')
        'email.delete_email'
    """
    return ".".join(text.partition("(")[0].split(".")[:2])


def parse(text: str) -> ParsedCall | None:
    """The call that a string holds; None when it is no `TOOL.func(...)` with literal arguments.

    Escapes inside texts are read as Python reads them.

    Example:
        >>> parse('email.delete_email.func("00000001")').positional
        ('00000001',)
        >>> parse("email.delete_email.func(open('x'))") is None
        True
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # unknown escapes such as \d are kept, as published
            node = ast.parse(text.lstrip(" \t"), mode="eval").body
        return _call(node)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return None


def _call(node: ast.expr) -> ParsedCall | None:
    if not isinstance(node, ast.Call):
        return None
    name = _dotted(node.func)
    if name is None or not name.endswith(_SUFFIX):
        return None
    keywords: dict[str, Json] = {}
    for keyword in node.keywords:
        if keyword.arg is None:
            return None
        keywords[keyword.arg] = ast.literal_eval(keyword.value)
    positional = tuple(ast.literal_eval(argument) for argument in node.args)
    return ParsedCall(name.removesuffix(_SUFFIX), positional, keywords)


def _dotted(node: ast.expr) -> str | None:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join([node.id, *reversed(parts)])
