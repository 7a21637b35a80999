"""A span of ours as OTLP JSON: redacted, each long value once a trace, long values cut.

Only the writer thread comes here, or a caller that does its work under the same lock.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from tracer import attributes as names
from tracer.formats.otlp_json import encode_value
from tracer.limits import TEXT_BYTES, VALUE_BYTES, Documents, Listed, Snapshot, clean, cut
from tracer.live import Span
from tracer.records import Json
from tracer.redact import Redactor, TraceRedactor
from tracer.references import KEY, LONG, Template, digest_of, digest_of_list
from tracer.stored import CLIENT, INTERNAL

_SHORT_ONES: Final = 4096
_QUOTED_DOCUMENTS: Final = 100
"""So many documents of a trace are looked for in its other texts."""
_TELLING: Final = 6
"""No shorter text is a secret that is looked for elsewhere."""
_LISTS: Final = 8
"""So many lists of messages are tried as the beginning of the next."""
_LOCAL: Final = frozenset({"local", "stagetrace"})
_KEPT_NAMES: Final = frozenset(
    key
    for key, attribute in names.ATTRIBUTES.items()
    if attribute.identity
    or (not attribute.content and key.rsplit(".", 1)[-1] in ("id", "ids", "before", "after"))
)
"""Ids and digests, which redaction never touches."""


class TraceEncoder:
    """Encodes the spans of one trace into one file; knows what the file holds already."""

    def __init__(self, redactor: Redactor | None) -> None:
        self._redaction = None if redactor is None else TraceRedactor(redactor)
        self._seen: set[str] = set()
        self._version = 0
        self._short_ones: dict[tuple[str, object, type], list[dict[str, Any]]] = {}
        self._numbers: set[str] = set()
        """Names under which a number is no secret."""
        self._defined: set[str] = set()
        self._texts: dict[str, str] = {}
        self._documents: dict[str, str] = {}
        self._lists: list[tuple[str, ...]] = []

    def learn(self, span: Span) -> None:
        """Take note of the secrets that a span names, before any span of the batch is encoded."""
        if self._redaction is None:
            return
        for key, value in list(span.attributes.items()):
            if isinstance(value, str):
                if len(value) < _TELLING or value in self._seen or key in _KEPT_NAMES:
                    continue
                self._seen.add(value)
            elif isinstance(value, int | float):
                continue
            self._learn(key, value)
        for _, _, attributes in list(span.events):
            for key, value in attributes.items():
                self._learn(key, value)
        if span.status_message:
            self._redaction.learn(span.status_message)

    def _learn(self, key: str, value: object) -> None:
        redaction = self._redaction
        if redaction is None:
            return
        if isinstance(value, str):
            redaction.learn({key: value})
        elif isinstance(value, Snapshot):
            if not value.learned:
                value.learned = True
                redaction.learn({key: value.value()})
        elif isinstance(value, Listed | tuple):
            for inner in value:
                self._learn(key, inner)

    def encode(self, span: Span, *, refer: bool = True) -> dict[str, Any]:
        """One span as OTLP JSON.

        Args:
            span: What to encode.
            refer: Whether long values are written once a trace; False writes them where they are.
        """
        data: dict[str, Any] = {"traceId": span.trace_id, "spanId": span.span_id}
        if span.parent_number:
            data["parentSpanId"] = f"{span.parent_number:016x}"
        data["name"] = self._short(span.name)
        local = (
            span.kind not in ("chat", "embeddings") or span.attributes.get(names.PROVIDER) in _LOCAL
        )
        data["kind"] = INTERNAL if local else CLIENT
        data["startTimeUnixNano"] = str(span.started_ns)
        if span.ended_ns is not None:
            data["endTimeUnixNano"] = str(span.ended_ns)
        data["attributes"] = self._attributes(dict(span.attributes), refer=refer)
        if span.events:
            data["events"] = [
                {
                    "timeUnixNano": str(time_ns),
                    "name": self._short(name),
                    "attributes": self._attributes(attributes, refer=False),
                }
                for name, time_ns, attributes in list(span.events)
            ]
        if span.links:
            data["links"] = [
                {"traceId": trace_id, "spanId": span_id} for trace_id, span_id in span.links
            ]
        if span.status:
            data["status"] = {"code": span.status}
            if span.status_message:
                data["status"]["message"] = self._short(span.status_message)
        return data

    def _short(self, text: str) -> str:
        return cut(clean(self._clean(text))[0], TEXT_BYTES)[0]

    def _clean(self, text: str, key: str = "") -> str:
        if self._redaction is None or key in _KEPT_NAMES:
            return text
        return self._redaction.text(text, key)

    def _attributes(self, attributes: Mapping[str, Any], *, refer: bool) -> list[dict[str, Any]]:
        out: list[dict[str, Any]] = []
        definitions: dict[str, Template] = {}
        references: dict[str, Template] = {}
        version = 0 if self._redaction is None else self._redaction.version
        if version != self._version:
            self._version = version
            self._short_ones.clear()
        for key, value in attributes.items():
            short = isinstance(value, bool | int | float | str) and not (
                isinstance(value, str) and len(value) > LONG
            )
            if short:
                out.extend(self._short_one(key, value))
                continue
            name = self._name(key)
            template: Template = None
            if isinstance(value, str):
                text, marks = self._text(name, self._clean(str.__str__(value), key))
                out.extend(marks)
                if refer and len(text) > LONG:
                    template = self._text_template(text, definitions)
                else:
                    out.append({"key": name, "value": {"stringValue": text}})
            elif isinstance(value, Snapshot):
                raw, inner = self._rendered(key, value)
                template = self._json(name, raw, inner, definitions, out, refer=refer)
            elif isinstance(value, Listed):
                template = self._list(name, value, definitions, out, refer=refer)
            elif isinstance(value, Documents):
                inner = [self._document(document) for document in value]
                raw = msgspec.json.encode(inner)
                if refer:
                    self._quotable(inner)
                template = self._json(name, raw, inner, definitions, out, refer=refer)
            else:
                out.append({"key": name, "value": self._other(key, value)})
            if template is not None:
                references[name] = template
        if definitions:
            out.append({"key": names.DEFS, "value": {"stringValue": _json(definitions)}})
        if references:
            out.append({"key": names.REFS, "value": {"stringValue": _json(references)}})
        return out

    def _name(self, key: str) -> str:
        return self._clean(clean(key)[0]) if len(key) >= LONG // 10 else key

    def _short_one(self, key: str, value: str | float) -> list[dict[str, Any]]:
        """The entries of a short attribute; most stand on many spans of a trace alike."""
        if type(value) is int and key in self._numbers:
            return [{"key": key, "value": {"intValue": str(value)}}]
        mark = (key, value, type(value))
        known = self._short_ones.get(mark)
        if known is not None:
            return known
        name = self._name(key)
        if isinstance(value, str):
            text, marks = self._text(name, self._clean(str.__str__(value), key))
            entries = [{"key": name, "value": {"stringValue": text}}, *marks]
        else:
            entries = [{"key": name, "value": self._other(key, value)}]
            if entries == [{"key": key, "value": {"intValue": str(value)}}]:
                self._numbers.add(key)
        if len(self._short_ones) < _SHORT_ONES:
            self._short_ones[mark] = entries
        return entries

    def _other(self, key: str, value: Any) -> dict[str, Any]:
        if isinstance(value, tuple) and self._redaction is not None and key not in _KEPT_NAMES:
            value = [self._clean(v, key) if isinstance(v, str) else v for v in value]
        elif isinstance(value, int | float) and self._redaction is not None:
            value = self._redaction.value(value, key)
        return encode_value(value)

    def _text(self, name: str, text: str) -> tuple[str, list[dict[str, Any]]]:
        """The text as it can be stored, and siblings that say what was mended or cut."""
        text, replaced = clean(text)
        text, mark = cut(text, VALUE_BYTES)
        marks = []
        if replaced:
            marks.append({"key": f"{name}.replaced", "value": {"intValue": str(replaced)}})
        if mark is not None:
            marks.append({"key": f"{name}.truncated", "value": {"stringValue": mark}})
        return text, marks

    def _rendered(self, key: str, snapshot: Snapshot) -> tuple[bytes, Json]:
        """JSON and value of a snapshot without its secrets; made once a trace."""
        version = 0 if self._redaction is None else self._redaction.version
        memo = snapshot.memo
        if memo is not None and memo[0] is self and memo[1] == version:
            return memo[2], memo[3]
        value = snapshot.value()
        if self._redaction is not None:
            value = self._redaction.value(value, key)
        raw = msgspec.json.encode(value)
        snapshot.memo = (self, version, raw, value)
        return raw, value

    def _json(
        self,
        name: str,
        raw: bytes,
        value: Json,
        definitions: dict[str, Template],
        out: list[dict[str, Any]],
        *,
        refer: bool,
    ) -> Template:
        """The template of a JSON attribute; None when it was written out."""
        if not refer or (len(raw) <= LONG and KEY.encode() not in raw):
            text, marks = self._text(name, raw.decode())
            out.append({"key": name, "value": {"stringValue": text}})
            out.extend(marks)
            return None
        if len(raw) > VALUE_BYTES:
            text, marks = self._text(name, raw.decode())
            out.extend(marks)
            return self._text_template(text, definitions)
        if isinstance(value, str):
            return {KEY: {"json": self._text_template(value, definitions)}}
        digest = self._define(raw, value, definitions)
        return {KEY: digest}

    def _list(
        self,
        name: str,
        snapshots: Listed,
        definitions: dict[str, Template],
        out: list[dict[str, Any]],
        *,
        refer: bool,
    ) -> Template:
        rendered = [self._rendered(name, snapshot) for snapshot in snapshots]
        if not refer or not rendered:
            raw = b"[" + b",".join(raw for raw, _ in rendered) + b"]"
            text, marks = self._text(name, raw.decode())
            out.append({"key": name, "value": {"stringValue": text}})
            out.extend(marks)
            return None
        digests = tuple(self._define(raw, value, definitions) for raw, value in rendered)
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

    def _define(self, raw: bytes, value: Json, definitions: dict[str, Template]) -> str:
        """The digest of a value; its definition is added when the file does not hold it yet."""
        if isinstance(value, str):
            return str(self._text_template(value, definitions)[KEY])
        digest = digest_of(msgspec.json.encode(value, order="sorted"))
        if digest not in self._defined:
            self._defined.add(digest)
            whole = len(raw) <= LONG and KEY.encode() not in raw
            # Texts inside come first: a definition refers to earlier ones only.
            definitions[digest] = value if whole else self._template(value, definitions)
        return digest

    def _template(self, value: Json, definitions: dict[str, Template]) -> Template:
        if isinstance(value, str):
            return self._text_template(value, definitions) if len(value) > LONG else value
        if isinstance(value, dict):
            if KEY in value:
                return {KEY: {"literal": value}}
            return {key: self._template(inner, definitions) for key, inner in value.items()}
        if isinstance(value, list):
            return [self._template(inner, definitions) for inner in value]
        return value

    def _text_template(self, text: str, definitions: dict[str, Template]) -> Template:
        digest = self._texts.get(text)
        if digest is None:
            digest = digest_of(msgspec.json.encode(text))
            self._texts[text] = digest
        if digest not in self._defined:
            self._defined.add(digest)
            definitions[digest] = self._pieces(text)
        return {KEY: digest}

    def _pieces(self, text: str) -> Template:
        """A text, or what stands between the documents that it quotes whole."""
        pieces: list[Template] = [text]
        for document, digest in self._documents.items():
            if len(document) >= len(text) or document not in text or digest not in self._defined:
                continue
            split: list[Template] = []
            for piece in pieces:
                if not isinstance(piece, str):
                    split.append(piece)
                    continue
                for number, rest in enumerate(piece.split(document)):
                    if number:
                        split.append({KEY: digest})
                    if rest:
                        split.append(rest)
            pieces = split
        return text if len(pieces) == 1 and isinstance(pieces[0], str) else {KEY: pieces}

    def _document(self, document: tuple[str, float | None, str | None]) -> dict[str, Json]:
        doc_id, score, text = document
        out: dict[str, Json] = {"id": clean(doc_id)[0]}
        if score is not None:
            out["score"] = score
        if text is not None:
            out["content"] = clean(self._clean(text, "content"))[0]
        return out

    def _quotable(self, documents: list[dict[str, Json]]) -> None:
        for document in documents:
            text = document.get("content")
            if text is not None and len(text) > LONG and len(self._documents) < _QUOTED_DOCUMENTS:
                self._documents[text] = digest_of(msgspec.json.encode(text))


def _json(value: Json) -> str:
    return msgspec.json.encode(value).decode()
