"""Mailboxes as corpora, and which mails of one are equal."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

_RULE = re.compile(r"^={5,}\s*$", re.MULTILINE)
_HEAD = re.compile(r"(?:[A-Za-z][\w-]*:[^\n]*\n)+\s*\n")


def parts_of(text: str) -> tuple[str, str]:
    r"""Head and body of a mail's text; the head is empty when it has none.

    The head ends at a line of equals signs, or at the first empty line after lines `Name: value`.

    Example:
        >>> parts_of("Subject: Lamps\nSender: a@b.example\n=====\nTwo are broken.")[1]
        'Two are broken.'
    """
    rule = _RULE.search(text)
    if rule is not None:
        return text[: rule.start()].strip(), text[rule.end() :].strip()
    head = _HEAD.match(text)
    return (head[0].strip(), text[head.end() :].strip()) if head else ("", text.strip())


def normal_body(text: str) -> str:
    """What two equal mails share: the body, case folded, with single spaces.

    A mail without a body is equal to itself only, so its head is taken too.
    """
    head, body = parts_of(text)
    return " ".join(unicodedata.normalize("NFKC", body or head).casefold().split())


def equal_mails(mails: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Each mail's path to the paths of all mails of the mailbox with an equal body, in order.

    Source:
        Ours: newsletters and copies stand in a mailbox many times, and a ranking cannot be blamed
        for showing another copy than the one that the question was made from.
    """
    groups: dict[str, list[str]] = {}
    for path, text in mails.items():
        groups.setdefault(normal_body(text), []).append(path)
    return {path: tuple(group) for group in groups.values() for path in group}
