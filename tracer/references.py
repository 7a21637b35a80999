"""Values that a trace holds once: how a span refers to them, and how a reader puts them back.

A message, a document's text or any text above 300 characters is written whole on the first span
that uses it, in `stagetrace.defs` = JSON object of digest to value. Every span that uses it names
it in `stagetrace.refs` = JSON object of attribute key to *template*; the attribute itself is left
out. A template is JSON in which an object with the one key `$st` stands for something else:

    {"$st": "0123456789abcdef"}                   the value of this digest
    {"$st": ["a text ", {"$st": "..."}, "."]}     the pieces, joined
    {"$st": {"list": ["...", "..."]}}             the list of the values of these digests
    {"$st": {"after": "...", "more": ["..."]}}    the list of this digest, and more after it
    {"$st": {"json": template}}                   the JSON text of a text
    {"$st": {"literal": value}}                   the value as it is, should it hold the key itself

A template that gives a text is the attribute; what gives anything else is the attribute's JSON
text. Values in `stagetrace.defs` are templates too.

Source:
    Ours: peers write the same texts 25 to 45 times a run.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

import msgspec
from msgspec.structs import replace

from tracer.attributes import CONTENT_MISSING, DEFS, REFS
from tracer.limits import json_text
from tracer.records import Json
from tracer.stored import StoredSpan, Value

KEY: Final = "$st"
LONG: Final = 300
"""Texts of more characters are written once a trace."""
Template: TypeAlias = Json


def digest_of(raw: bytes) -> str:
    """First 16 hex digits of the SHA-256 over the JSON of a value, its keys sorted."""
    return hashlib.sha256(raw).hexdigest()[:16]


def digest_of_list(digests: Sequence[str]) -> str:
    """First 16 hex digits of the SHA-256 over the digests of a list, one a line."""
    return hashlib.sha256("\n".join(digests).encode()).hexdigest()[:16]


class MissingDefinitionError(LookupError):
    """No span that was read defines the value."""

    def __init__(self, digest: str) -> None:
        super().__init__(digest)
        self.digest = digest


class Definitions:
    """What the spans of one trace define, as far as it was read."""

    def __init__(self) -> None:
        self._templates: dict[str, Template] = {}
        self._values: dict[str, Json] = {}
        self._lists: dict[str, tuple[str, ...]] = {}

    def take(self, span: StoredSpan) -> None:
        """Note what a span defines."""
        text = span.attributes.get(DEFS)
        found = _decode(text) if isinstance(text, str) else None
        if isinstance(found, dict):
            self._templates.update(found)

    def fill(self, template: Template) -> Json:
        """The value that a template stands for.

        Raises:
            MissingDefinitionError: A digest in it is not defined.
        """
        if isinstance(template, list):
            return [self.fill(inner) for inner in template]
        if not isinstance(template, dict):
            return template
        if len(template) != 1 or KEY not in template:
            return {key: self.fill(inner) for key, inner in template.items()}
        how = template[KEY]
        if isinstance(how, str):
            return self._value(how)
        if isinstance(how, list):
            return "".join(str(self.fill(piece)) for piece in how)
        if "literal" in how:
            return how["literal"]
        if "json" in how:
            return json_text(self.fill(how["json"]))
        return [self._value(digest) for digest in self._list(how)]

    def _value(self, digest: str) -> Json:
        if digest not in self._values:
            if digest not in self._templates:
                raise MissingDefinitionError(digest)
            # A definition refers to earlier ones only; this cuts off one that does not.
            template = self._templates.pop(digest)
            try:
                self._values[digest] = self.fill(template)
            finally:
                self._templates[digest] = template
        return self._values[digest]

    def _list(self, how: Mapping[str, Json]) -> tuple[str, ...]:
        digests = tuple(how.get("list") or ())
        if "after" in how:
            before = self._lists.get(how["after"])
            if before is None:
                raise MissingDefinitionError(str(how["after"]))
            digests = (*before, *(how.get("more") or ()))
        self._lists[digest_of_list(digests)] = digests
        return digests

    def restore(self, span: StoredSpan, *, final: bool = False) -> StoredSpan | None:
        """The span with its attributes as a direct writer would have written them.

        Args:
            span: As it was read.
            final: No more definitions will come: name what is missing on the span.

        Returns:
            None when a definition is missing and may still come.
        """
        if REFS not in span.attributes and DEFS not in span.attributes:
            return span
        attributes = {k: v for k, v in span.attributes.items() if k not in (REFS, DEFS)}
        templates = _decode(span.attributes.get(REFS, "{}"))
        missing: list[str] = []
        for key, template in (templates if isinstance(templates, dict) else {}).items():
            try:
                value = self.fill(template)
            except MissingDefinitionError as error:
                missing.append(error.digest)
            else:
                attributes[key] = value if isinstance(value, str) else json_text(value)
        if missing and not final:
            return None
        if missing:
            attributes[CONTENT_MISSING] = sorted(set(missing))
        return replace(span, attributes=attributes)


def _decode(text: Value) -> Json:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, TypeError):
        return None


_KEPT_TRACES: Final = 256
"""So many traces are remembered at once while a file is read through."""


def restored(spans: Iterable[StoredSpan]) -> Iterator[StoredSpan]:
    """The spans with every reference put back; whatever order they come in.

    A span whose definition has not been seen waits for it; what still waits at the end is given
    without the attribute, and `stagetrace.content_missing` names the digest.
    """
    known: dict[str, Definitions] = {}
    waiting: dict[str, list[StoredSpan]] = {}
    for span in spans:
        if REFS not in span.attributes and DEFS not in span.attributes:
            yield span
            continue
        definitions = known.pop(span.trace_id, None) or Definitions()
        known[span.trace_id] = definitions
        while len(known) > _KEPT_TRACES:
            oldest = next((key for key in known if key not in waiting), None)
            if oldest is None:
                break
            del known[oldest]
        definitions.take(span)
        queue = [*waiting.pop(span.trace_id, ()), span]
        yield from _filled(definitions, queue)
        if queue:
            waiting[span.trace_id] = queue
    for trace_id, queue in waiting.items():
        for span in queue:
            whole = known[trace_id].restore(span, final=True)
            if whole is not None:
                yield whole


def _filled(definitions: Definitions, queue: list[StoredSpan]) -> Iterator[StoredSpan]:
    """The spans that can be restored by now; they leave the queue."""
    again = True
    while again:
        again = False
        for span in list(queue):
            whole = definitions.restore(span)
            if whole is not None:
                queue.remove(span)
                again = bool(queue)
                yield whole
