"""One span of ours while it runs: a light object that keeps the OpenTelemetry API."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from opentelemetry import trace

from tracer import attributes as names
from tracer.limits import INT64, Documents, Listed, Snapshot, digits
from tracer.records import Json
from tracer.stored import STATUS_ERROR, STATUS_OK

if TYPE_CHECKING:
    from tracer.record import Recorder

Kind: TypeAlias = Literal[
    "item", "agent", "node", "chat", "embeddings", "retrieval", "rerank", "tool", "chain"
]
EndedBy: TypeAlias = Literal[
    "abandoned", "exception", "timeout", "cancelled", "closed", "exit", "terminated"
]


KINDS: Final[Mapping[str, str]] = {
    "item": "CHAIN",
    "agent": "AGENT",
    "node": "CHAIN",
    "chain": "CHAIN",
    "chat": "LLM",
    "embeddings": "EMBEDDING",
    "retrieval": "RETRIEVER",
    "rerank": "RERANKER",
    "tool": "TOOL",
}
"""Our kinds and OpenInference's."""


_EVENTS: Final = 1024
_TEXTS: Final = {str}
_SPAN_OVERHEAD: Final = 400


class TerminatedExit(SystemExit):
    """The process was asked to end by SIGTERM; open spans end with this reason."""


class LiveTrace:
    """What the spans of one trace share while it runs."""

    __slots__ = (
        *("__weakref__", "flags", "interned", "kept", "sequence", "started", "state"),
        "trace_id",
    )

    def __init__(self, trace_id: int, flags: trace.TraceFlags, state: trace.TraceState) -> None:
        self.trace_id = trace_id
        self.flags = flags
        self.state = state
        self.sequence = itertools.count()
        self.started = 0
        self.kept: list[bytes] | None = None
        self.interned: dict[Hashable, Snapshot] = {}
        """Messages by what tells them apart, so that each is taken down once a trace."""

    def message(self, key: Hashable, make: Callable[[], Json]) -> Snapshot:
        """A message as it was when the trace first met one with this key."""
        known = self.interned.get(key)
        if known is None:
            known = self.interned.setdefault(key, Snapshot(make()))
        return known


class Span(trace.Span):
    """One span of ours, from its start to its end; afterwards nothing changes it."""

    __slots__ = (
        "_context",
        "_generation",
        "attributes",
        "bytes",
        "dropped_events",
        "ended_ns",
        "events",
        "framework",
        "identity",
        "kind",
        "links",
        "name",
        "number",
        "parent",
        "parent_number",
        "recorder",
        "root",
        "started_ns",
        "status",
        "status_message",
        "trace",
    )

    def __init__(
        self,
        recorder: Recorder,
        kind: str,
        name: str,
        trace_: LiveTrace,
        number: int,
        parent: Span | None,
        parent_number: int,
        identity: Mapping[str, Json],
        root: bool,
    ) -> None:
        self.recorder = recorder
        self.kind = kind
        self.name = name
        self.trace = trace_
        self.number = number
        self.parent = parent
        self.parent_number = parent_number
        self.identity = identity
        self.root = root
        """True for the first span of ours in its trace."""
        self.framework = False
        """True when a framework's callback made it: a wrapped part inside fills it."""
        self.attributes: dict[str, Any] = {
            names.SPAN_KIND: KINDS[kind],
            names.SEQUENCE: next(trace_.sequence),
        }
        self.events: list[tuple[str, int, dict[str, Any]]] = []
        self.links: list[tuple[str, str]] = []
        """Trace and span ids of other runs that this one goes on with."""
        self.dropped_events = 0
        self.status = 0
        self.status_message = ""
        self.bytes = _SPAN_OVERHEAD
        self.ended_ns: int | None = None
        self.started_ns = recorder.clock()
        self._context: trace.SpanContext | None = None
        self._generation = recorder.generation

    @property
    def trace_id(self) -> str:
        """32 hexadecimal digits."""
        return f"{self.trace.trace_id:032x}"

    @property
    def span_id(self) -> str:
        """16 hexadecimal digits."""
        return f"{self.number:016x}"

    @property
    def ended(self) -> bool:
        """Whether the span is over."""
        return self.ended_ns is not None

    def set(self, key: str, value: Any) -> None:
        """Note an attribute; None is left out, what is no plain value is kept as JSON text."""
        if value is None or self.ended_ns is not None:
            return
        if not self.recorder.content and self.recorder.hides(key, value):
            return
        kind = type(value)
        # Nearly all are of these, and there are some ten a span.
        if kind is str:
            self.attributes[key] = value
            self.bytes += len(key) + len(value)
        elif kind is float or kind is bool or (kind is int and value in INT64):
            self.attributes[key] = value
            self.bytes += len(key) + 8
        elif kind is list and {*map(type, value)} == _TEXTS:
            self.attributes[key] = tuple(value)
            self.bytes += len(key) + sum(map(len, value))
        else:
            frozen = _frozen(value)
            self.attributes[key] = frozen
            self.bytes += len(key) + _size(frozen)

    def set_json(self, key: str, value: Json) -> None:
        """Note an attribute as JSON text, whatever its type; a `Snapshot` is taken as it is."""
        if self._keeps(key):
            snapshot = value if type(value) is Snapshot else Snapshot(value)
            self.attributes[key] = snapshot
            self.bytes += len(key) + len(snapshot.packed)

    def set_messages(self, key: str, messages: Iterable[Json]) -> None:
        """Note a list of messages in the parts form, or of snapshots from the trace's `message`."""
        if self._keeps(key):
            noted = []
            for message in messages:
                snapshot = message if isinstance(message, Snapshot) else Snapshot(message)
                known = self.trace.interned.setdefault(snapshot.packed, snapshot)
                if known is snapshot:
                    self.bytes += len(snapshot.packed)
                noted.append(known)
            self.attributes[key] = Listed(noted)
            self.bytes += len(key) + 8 * len(noted)

    def set_documents(
        self, key: str, documents: Iterable[tuple[str, float | None, str | None]]
    ) -> None:
        """Note documents as id, score and text."""
        if self._keeps(key):
            noted = Documents(documents)
            self.attributes[key] = noted
            self.bytes += len(key) + sum(len(text or "") + 40 for _, _, text in noted)

    def _keeps(self, key: str) -> bool:
        recorder = self.recorder
        return self.ended_ns is None and (recorder.content or not recorder.hides(key))

    def event(self, name: str, attributes: Mapping[str, object] | None = None) -> None:
        """Note an event at this moment; beyond the cap it is counted only."""
        if self.ended_ns is not None:
            return
        if len(self.events) >= _EVENTS:
            self.dropped_events += 1
            return
        recorder = self.recorder
        kept = {
            key: _frozen(value)
            for key, value in (attributes or {}).items()
            if value is not None and (recorder.content or not recorder.hides(key, value))
        }
        self.events.append((name, self.recorder.clock(), kept))
        self.bytes += len(name) + sum(len(key) + _size(value) for key, value in kept.items())

    def fail(self, error: BaseException | str) -> None:
        """Note an error: status, `error.type` and an exception event; the span goes on."""
        if isinstance(error, BaseException):
            kind, text = type(error).__qualname__, _message(error)
        else:
            kind, text = "error", error
        self.status = STATUS_ERROR
        self.status_message = text if self.recorder.content else ""
        self.set(names.ERROR_TYPE, kind)
        self.event(
            names.EXCEPTION_EVENT, {names.EXCEPTION_TYPE: kind, names.EXCEPTION_MESSAGE: text}
        )

    def end(
        self,
        end_time: int | BaseException | str | None = None,
        *,
        error: BaseException | str | None = None,
    ) -> None:
        """Close the span, once; an error gives it status, `error.type` and an exception event.

        LangGraph's own signals (an interrupt, a command for the parent graph) are no errors.
        """
        if isinstance(end_time, BaseException | str):
            error, end_time = end_time, None
        if self.ended_ns is not None or self._generation != self.recorder.generation:
            return
        if error is not None:
            self._note_end(error)
        if self.dropped_events:
            self.set(names.DROPPED_EVENTS, self.dropped_events)
        if self.root:
            self.recorder.sweep(self, reason_of(error), error)
            if self.kind == "item":
                self.set(names.SPANS_STARTED, self.trace.started)
        self.ended_ns = end_time if isinstance(end_time, int) else self.recorder.clock()
        self.recorder.put(self)

    def _note_end(self, error: BaseException | str) -> None:
        if isinstance(error, GeneratorExit):
            self.set(names.ENDED_BY, "abandoned")
        elif isinstance(error, BaseException) and is_control_flow(error):
            self.set(names.CONTROL_FLOW, type(error).__qualname__)
        elif isinstance(error, SystemExit):
            self.set(names.ENDED_BY, reason_of(error))
            if error.code:
                self.fail(error)
        else:
            self.fail(error)

    # The OpenTelemetry API, for code that asks for the current span.

    def get_span_context(self) -> trace.SpanContext:
        """The context that children in other tracers take their parent from."""
        if self._context is None:
            self._context = trace.SpanContext(
                self.trace.trace_id, self.number, False, self.trace.flags, self.trace.state
            )
        return self._context

    def set_attribute(self, key: str, value: Any) -> None:
        """As `set`; None is kept as JSON text."""
        self.set(key, Snapshot(None) if value is None else value)

    def set_attributes(self, attributes: Mapping[str, Any]) -> None:
        """As `set`, for several."""
        for key, value in attributes.items():
            self.set_attribute(key, value)

    def add_event(
        self,
        name: str,
        attributes: Mapping[str, Any] | None = None,
        timestamp: int | None = None,
    ) -> None:
        """As `event`; the moment is ours, and None is kept as JSON text."""
        del timestamp
        nothing = Snapshot(None)
        given = {k: nothing if v is None else v for k, v in (attributes or {}).items()}
        self.event(name, given)

    def add_link(
        self, context: trace.SpanContext, attributes: Mapping[str, Any] | None = None
    ) -> None:
        """Note another span that this one has to do with, and what is told of it as an event."""
        if self.ended_ns is None and context.is_valid:
            self.links.append((f"{context.trace_id:032x}", f"{context.span_id:016x}"))
            if attributes:
                self.add_event("link", attributes)

    def update_name(self, name: str) -> None:
        """Rename the span."""
        if self.ended_ns is None:
            self.name = name

    def is_recording(self) -> bool:
        """True until the end."""
        return self.ended_ns is None

    def set_status(
        self, status: trace.Status | trace.StatusCode, description: str | None = None
    ) -> None:
        """Note a status."""
        if self.ended_ns is None:
            code = status.status_code if isinstance(status, trace.Status) else status
            text = status.description if isinstance(status, trace.Status) else description
            self.status = {
                trace.StatusCode.OK: STATUS_OK,
                trace.StatusCode.ERROR: STATUS_ERROR,
            }.get(code, 0)
            self.status_message = (text or "") if self.recorder.content else ""

    def record_exception(
        self,
        exception: BaseException,
        attributes: Mapping[str, Any] | None = None,
        timestamp: int | None = None,
        escaped: bool = False,
    ) -> None:
        """Note an exception as an event."""
        del timestamp, escaped
        kind, text = type(exception).__qualname__, _message(exception)
        self.event(
            names.EXCEPTION_EVENT,
            {names.EXCEPTION_TYPE: kind, names.EXCEPTION_MESSAGE: text} | dict(attributes or {}),
        )


def is_control_flow(error: BaseException) -> bool:
    """Whether an exception is a signal of LangGraph's own (interrupt, parent command)."""
    return any(
        cls.__name__ == "GraphBubbleUp" and cls.__module__.startswith("langgraph")
        for cls in type(error).__mro__
    )


def reason_of(error: BaseException | str | None) -> EndedBy:
    """Why spans that are still open end with their root."""
    if error is None or isinstance(error, GeneratorExit):
        return "abandoned"
    if isinstance(error, TimeoutError):
        return "timeout"
    if isinstance(error, SystemExit):
        return "terminated" if type(error) is TerminatedExit else "exit"
    if isinstance(error, BaseException) and type(error).__name__ in (
        "CancelledError",
        "KeyboardInterrupt",
    ):
        return "cancelled"
    return "exception"


def _frozen(value: object) -> object:
    try:
        return _as_it_is(value)
    except Exception:
        # A proxy whose object is gone, say; its snapshot says what it was.
        return Snapshot(value)


def _as_it_is(value: object) -> object:
    if isinstance(value, int) and value not in INT64:
        return digits(int(value))
    if isinstance(value, str | bool | int | float | bytes | Snapshot):
        return value
    if isinstance(value, list | tuple) and all(
        isinstance(item, str | bool | int | float) for item in value
    ):
        return tuple(value)
    return Snapshot(value)


def _size(value: object) -> int:
    if isinstance(value, str | bytes):
        return len(value)
    if isinstance(value, Snapshot):
        return len(value.packed)
    if isinstance(value, tuple):
        return sum(_size(item) for item in value)
    return 8


def _message(error: BaseException) -> str:
    try:
        return str(error)
    except Exception as again:
        return f"<text raised {type(again).__name__}>"


def is_below(span: Span, root: Span) -> bool:
    """Whether a span stands below another; below the first of a trace stands all of it."""
    if span is root or span.trace is not root.trace:
        return False
    if root.root:
        return True
    above = span.parent
    while above is not None and above is not root:
        above = above.parent
    return above is root
