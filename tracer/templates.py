"""What the file of a trace holds already, and the templates that refer to it.

The other half of `tracer.references`, which tells the form and reads it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from tracer.limits import plain
from tracer.records import Json
from tracer.references import KEY, LONG, Template, digest_of, digest_of_list

_encode = msgspec.json.encode
_QUOTED_DOCUMENTS: Final = 100
"""So many documents of a trace are looked for in its other texts."""
_LISTS: Final = 8
"""So many lists of messages are tried as the beginning of the next."""
_HEAD: Final = 64
_TRIES: Final = 100


class Rendered:
    """What becomes of a snapshot in one trace."""

    __slots__ = ("_digest", "owner", "raw", "value", "version")

    def __init__(self, owner: object, version: int, value: Json) -> None:
        self.owner = owner
        self.version = version
        try:
            self.raw = _encode(value)
        except (TypeError, ValueError, OverflowError, RecursionError):
            # A mapping may have keys that JSON has no text for.
            value = plain(value)
            self.raw = _encode(value)
        self.value = value
        self._digest = ""

    @property
    def digest(self) -> str:
        """By which others refer to it."""
        if not self._digest:
            self._digest = digest_of(msgspec.json.encode(self.value, order="sorted"))
        return self._digest


class Written:
    """What one file holds of one trace.

    Where a method takes `definitions`, it adds what the file does not hold yet.
    """

    def __init__(self) -> None:
        self._defined: set[str] = set()
        self._digests: dict[str, str] = {}
        self._documents: dict[str, str] = {}
        self._lists: list[tuple[str, ...]] = []

    def forget(self) -> None:
        """Define anew what comes, since a definition may have been lost."""
        self._defined.clear()
        self._lists.clear()

    def whole(self, rendered: Rendered) -> bool:
        """Whether a value is short enough to stand where it is."""
        return len(rendered.raw) <= LONG and KEY.encode() not in rendered.raw

    def define(self, rendered: Rendered, definitions: dict[str, Template]) -> str:
        """The digest of a value; its definition is added when the file does not hold it yet."""
        value = rendered.value
        if isinstance(value, str):
            return str(self.text(value, definitions)[KEY])
        digest = rendered.digest
        if digest not in self._defined:
            self._defined.add(digest)
            # Texts inside come first: a definition refers to earlier ones only.
            definitions[digest] = (
                value if self.whole(rendered) else self._template(value, definitions)
            )
        return digest

    def _template(self, value: Json, definitions: dict[str, Template]) -> Template:
        if isinstance(value, str):
            return self.text(value, definitions) if len(value) > LONG else value
        if isinstance(value, dict):
            if KEY in value:
                return {KEY: {"literal": value}}
            return {key: self._template(inner, definitions) for key, inner in value.items()}
        if isinstance(value, list):
            return [self._template(inner, definitions) for inner in value]
        return value

    def text(self, text: str, definitions: dict[str, Template]) -> Template:
        """A text, by its digest."""
        digest = self._digest(text)
        if digest not in self._defined:
            self._defined.add(digest)
            definitions[digest] = self._pieces(text)
        return {KEY: digest}

    def _digest(self, text: str) -> str:
        digest = self._digests.get(text)
        if digest is None:
            digest = self._digests[text] = digest_of(_encode(text))
        return digest

    def _pieces(self, text: str) -> Template:
        """A text, or what stands between the documents that it quotes whole."""
        pieces: list[Template] = [text]
        for document, digest in self._documents.items():
            if len(document) >= len(text) or digest not in self._defined:
                continue
            split: list[Template] = []
            for piece in pieces:
                if not isinstance(piece, str):
                    split.append(piece)
                    continue
                for number, rest in enumerate(_split(piece, document)):
                    if number:
                        split.append({KEY: digest})
                    if rest:
                        split.append(rest)
            pieces = split
        return text if len(pieces) == 1 and isinstance(pieces[0], str) else {KEY: pieces}

    def listed(self, values: Sequence[Rendered], definitions: dict[str, Template]) -> Template:
        """A list of values, which may go on where an earlier one ends."""
        digests = tuple([self.define(one, definitions) for one in values])
        before = next(
            (
                known
                for known in reversed(self._lists)
                if len(known) > 1 and digests[: len(known)] == known
            ),
            None,
        )
        if digests not in self._lists:
            self._lists = [*self._lists[-_LISTS:], digests]
        if before is None:
            return {KEY: {"list": list(digests)}}
        return {KEY: {"after": digest_of_list(before), "more": list(digests[len(before) :])}}

    def quotable(self, documents: list[dict[str, Json]]) -> None:
        """Look for these documents in the texts that come."""
        for document in documents:
            text = document.get("content")
            if text is not None and len(text) > LONG and len(self._documents) < _QUOTED_DOCUMENTS:
                self._documents[text] = self._digest(text)


def _split(text: str, document: str) -> list[str]:
    """As `text.split(document)`; quicker, since only a document's beginning is looked for."""
    head = document[:_HEAD]
    rests: list[str] = []
    begin = at = 0
    for _ in range(_TRIES):
        at = text.find(head, at)
        if at < 0:
            return [*rests, text[begin:]]
        if text.startswith(document, at):
            rests.append(text[begin:at])
            begin = at = at + len(document)
        else:
            at += 1
    return text.split(document)
