"""A span of ours as OTLP JSON: redacted, each long value once a trace, long values cut.

Only the writer thread comes here, or a caller that does its work under the same lock.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

import msgspec

from tracer import attributes as names
from tracer.formats.otlp_json import encode_resource, encode_value
from tracer.limits import TEXT_BYTES, VALUE_BYTES, Documents, Listed, Snapshot, clean, cut
from tracer.live import Span
from tracer.records import Json
from tracer.redact import Redactor, TraceRedactor
from tracer.references import KEY, LONG, Template
from tracer.stored import CLIENT, INTERNAL, Value
from tracer.templates import Rendered, Written

_encode = msgspec.json.encode
_SHORT_ONES: Final = 2048
"""So many short attributes are kept as JSON; then they are made anew."""
_FEW: Final = 16
"""A list of no more texts counts as short."""
_TEXTS: Final = {str}
_TELLING: Final = 6
"""No shorter text is a secret that is looked for elsewhere."""
_LOCAL: Final = frozenset({"local", "stagetrace"})
_KEPT_NAMES: Final = frozenset(
    key
    for key, attribute in names.ATTRIBUTES.items()
    if attribute.identity
    or (not attribute.content and key.rsplit(".", 1)[-1] in ("id", "ids", "before", "after"))
)
"""Ids and digests, which redaction never touches."""


Short: TypeAlias = dict[tuple[str, object, type], bytes]
"""Short attributes by name, value and type, as JSON."""


class TraceEncoder:
    """Encodes the spans of one trace into one file; knows what the file holds already.

    Args:
        redactor: The rules of the run.
        short: Short attributes that hold no secret, shared by the traces of a recorder.
    """

    def __init__(self, redactor: Redactor | None, short: Short | None = None) -> None:
        self._redactor = redactor
        self._redaction = None if redactor is None else TraceRedactor(redactor)
        self._seen: set[str] = set()
        self._version = 0
        self._shared: Short = {} if short is None else short
        self._short_ones: Short = {}
        self._written = Written()
        self._resource: tuple[object, msgspec.Raw] = (None, msgspec.Raw())

    def resource(
        self, identity: Mapping[str, Json], attributes: Mapping[str, Value]
    ) -> msgspec.Raw:
        """Resource and identity of a line, made once as long as the identity is the same object."""
        if self._resource[0] is not identity:
            self._resource = (identity, encode_resource({**attributes, **identity}))
        return self._resource[1]

    def learn(self, span: Span) -> None:
        """Take note of the secrets that a span names, before any span of the batch is encoded."""
        redaction, redactor, seen = self._redaction, self._redactor, self._seen
        if redaction is None or redactor is None:
            return
        for key, value in list(span.attributes.items()):
            if type(value) is str:
                # A text is searched once, but under a telling name it is itself a secret.
                if value in seen and (key in names.ATTRIBUTES or not redactor.kind_of(key)):
                    continue
                seen.add(value)
                if len(value) >= _TELLING and key not in _KEPT_NAMES:
                    redaction.learn(value, key)
            elif not isinstance(value, int | float):
                self._learn(key, value)
        for _, _, attributes in list(span.events):
            for key, value in attributes.items():
                self._learn(key, value)
        if span.status_message:
            redaction.learn(span.status_message)

    def _learn(self, key: str, value: object) -> None:
        redaction, redactor = self._redaction, self._redactor
        if redaction is None or redactor is None:
            return
        if isinstance(value, Listed):
            for snapshot in value:
                if not snapshot.learned:
                    self._learn(key, snapshot)
        elif isinstance(value, Snapshot):
            if not value.learned:
                value.learned = True
                if redactor.kind_of(key) or not redactor.is_clean(value.packed):
                    redaction.learn(value.value(), key)
        elif isinstance(value, str):
            redaction.learn(value, key)
        elif isinstance(value, tuple):
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

    def encode_plain(self, span: Span) -> dict[str, Any]:
        """A span that could not be encoded, with its plain values and a count of what is left out.

        What the file holds already is written anew, since a definition may have been lost.
        """
        self._written.forget()
        kept = {k: v for k, v in span.attributes.items() if type(v) in (str, bool, int, float)}
        lost = len(span.attributes) - len(kept)
        span.attributes = kept
        span.events = []
        return self.encode(span) | {"droppedAttributesCount": max(1, lost)}

    def _short(self, text: str) -> str:
        return cut(clean(self._clean(text))[0], TEXT_BYTES)[0]

    def _clean(self, text: str, key: str = "") -> str:
        if self._redaction is None or key in _KEPT_NAMES:
            return text
        return self._redaction.text(text, key)

    def _attributes(self, attributes: Mapping[str, Any], *, refer: bool) -> msgspec.Raw:
        out: list[bytes] = []
        definitions: dict[str, Template] = {}
        references: dict[str, Template] = {}
        version = 0 if self._redaction is None else self._redaction.version
        if version != self._version:
            self._version = version
            self._short_ones.clear()
        # What the trace has named as a secret may stand in a short text as well.
        known = self._short_ones if version else self._shared
        for key, value in attributes.items():
            kind = type(value)
            if kind is str:
                short = len(value) <= LONG
            elif kind is tuple:
                short = 0 < len(value) <= _FEW and {*map(type, value)} == _TEXTS
            else:
                short = kind is int or kind is bool
            if short:
                out.append(known.get((key, value, kind)) or self._short_one(key, value))
                continue
            name = self._name(key)
            template: Template = None
            if isinstance(value, str):
                text, marks = self._text(name, self._clean(str.__str__(value), key))
                out.extend(marks)
                if refer and len(text) > LONG:
                    template = self._written.text(text, definitions)
                else:
                    out.append(_entry(name, {"stringValue": text}))
            elif isinstance(value, Snapshot):
                template = self._json(name, self._rendered(key, value), definitions, out, refer)
            elif isinstance(value, Listed):
                template = self._list(name, value, definitions, out, refer)
            elif isinstance(value, Documents):
                inner = [self._document(document) for document in value]
                if refer:
                    self._written.quotable(inner)
                template = self._json(name, Rendered(self, version, inner), definitions, out, refer)
            else:
                out.append(_entry(name, encode_value(self._redacted(key, value))))
            if template is not None:
                references[name] = template
        if definitions:
            out.append(_entry(names.DEFS, {"stringValue": _encode(definitions).decode()}))
        if references:
            out.append(_entry(names.REFS, {"stringValue": _encode(references).decode()}))
        return msgspec.Raw(b"[" + b",".join(out) + b"]")

    def _name(self, key: str) -> str:
        if len(key) < LONG // 10 or key in names.ATTRIBUTES:
            return key
        return self._clean(clean(key)[0])

    def _short_one(self, key: str, value: Any) -> bytes:
        """A short attribute as JSON; most stand on many spans alike."""
        mark = (key, value, type(value))
        known = self._short_ones.get(mark)
        if known is not None:
            return known
        name = self._name(key)
        if isinstance(value, str):
            text, marks = self._text(name, self._clean(value, key))
            entry = b",".join([_entry(name, {"stringValue": text}), *marks])
            same = text == value
        else:
            kept = self._redacted(key, value)
            entry = _entry(name, encode_value(kept))
            same = kept == value
        # What is as it was is so in every trace, unless this one has named a secret.
        memo = self._shared if same and name == key and not self._version else self._short_ones
        if len(memo) >= _SHORT_ONES:
            memo.clear()
        memo[mark] = entry
        return entry

    def _redacted(self, key: str, value: Any) -> Any:
        if self._redaction is None:
            return value
        if isinstance(value, tuple):
            return tuple([self._clean(v, key) if isinstance(v, str) else v for v in value])
        return self._redaction.value(value, key) if isinstance(value, int) else value

    def _text(self, name: str, text: str) -> tuple[str, list[bytes]]:
        """The text as it can be stored, and siblings that say what was mended or cut."""
        text, replaced = clean(text)
        text, mark = cut(text, VALUE_BYTES)
        marks = []
        if replaced:
            marks.append(_entry(f"{name}.replaced", {"intValue": str(replaced)}))
        if mark is not None:
            marks.append(_entry(f"{name}.truncated", {"stringValue": mark}))
        return text, marks

    def _rendered(self, key: str, snapshot: Snapshot) -> Rendered:
        """A snapshot without its secrets; made once a trace."""
        version = 0 if self._redaction is None else self._redaction.version
        memo = snapshot.memo
        if isinstance(memo, Rendered) and memo.owner is self and memo.version == version:
            return memo
        value = snapshot.value()
        redaction, redactor = self._redaction, self._redactor
        if redaction is not None and redactor is not None:
            kind = redactor.kind_of(key)
            if kind or not redaction.is_clean(snapshot.packed):
                known, value = value, redaction.value(value, key)
                if known == value and not kind:
                    redactor.note_clean(snapshot.packed)
        snapshot.memo = memo = Rendered(self, version, value)
        return memo

    def _json(
        self,
        name: str,
        rendered: Rendered,
        definitions: dict[str, Template],
        out: list[bytes],
        refer: bool,
    ) -> Template:
        """The template of a JSON attribute; None when it was written out."""
        raw, value = rendered.raw, rendered.value
        if not refer or self._written.whole(rendered):
            self._write_out(name, raw, out)
            return None
        if len(raw) > VALUE_BYTES:
            text, marks = self._text(name, raw.decode())
            out.extend(marks)
            return self._written.text(text, definitions)
        if isinstance(value, str):
            return {KEY: {"json": self._written.text(value, definitions)}}
        return {KEY: self._written.define(rendered, definitions)}

    def _write_out(self, name: str, raw: bytes, out: list[bytes]) -> None:
        text, marks = self._text(name, raw.decode())
        out.append(_entry(name, {"stringValue": text}))
        out.extend(marks)

    def _list(
        self,
        name: str,
        snapshots: Listed,
        definitions: dict[str, Template],
        out: list[bytes],
        refer: bool,
    ) -> Template:
        rendered = [self._rendered(name, snapshot) for snapshot in snapshots]
        if not refer or not rendered:
            self._write_out(name, b"[" + b",".join([one.raw for one in rendered]) + b"]", out)
            return None
        return self._written.listed(rendered, definitions)

    def _document(self, document: tuple[str, float | None, str | None]) -> dict[str, Json]:
        doc_id, score, text = document
        out: dict[str, Json] = {"id": clean(doc_id)[0]}
        if score is not None:
            out["score"] = score
        if text is not None:
            out["content"] = clean(self._clean(text, "content"))[0]
        return out


def _entry(key: str, value: dict[str, Any]) -> bytes:
    return _encode({"key": key, "value": value})
