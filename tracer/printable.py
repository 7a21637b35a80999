"""Text from traces made safe for a terminal."""

from __future__ import annotations

import unicodedata


def printable(text: str, *, one_line: bool = True) -> str:
    r"""The text with everything that could steer a terminal shown escaped.

    Control characters (C0, DEL, C1), format characters such as the bidirectional overrides, and
    lone surrogates become text like `\x1b` or `\u202e`. With `one_line`, a line end becomes `⏎`
    and a tab a blank.

    Example:
        >>> printable("a\x1b[31mb\nc")
        'a\\x1b[31mb⏎c'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown(character, one_line) for character in text)


def _shown(character: str, one_line: bool) -> str:
    if character == "\n":
        return "⏎" if one_line else character
    if character == "\t":
        return " " if one_line else character
    category = unicodedata.category(character)
    if category in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp"):
        return escaped(character)
    return character


def escaped(character: str) -> str:
    r"""A character written as Python writes it in a string literal.

    Example:
        >>> escaped("\u202e")
        '\\u202e'
    """
    code = ord(character)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
