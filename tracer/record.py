"""The recording path: the calling thread notes, one writer thread encodes and writes lines.

Spans are light objects of our own that keep the OpenTelemetry API, so that a user's own spans land
under ours and ours under the caller's; no provider, sampler or processor of the process is used.
"""

from __future__ import annotations

import logging
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import metadata
from typing import Final, Literal, Protocol, TypeAlias

from opentelemetry import baggage, trace
from opentelemetry import context as otel_context
from opentelemetry.context import Context

from tracer import attributes as names
from tracer.bell import Bell
from tracer.content import Content, content_of
from tracer.current import IDENTITY_KEY, TRACE_KEY, enter, leave
from tracer.encode import Short, TraceEncoder
from tracer.errors import StoreError
from tracer.formats.otlp_json import decode_line, encode_line, latest
from tracer.ids import Ids, RandomIds
from tracer.limits import whole_number
from tracer.live import EndedBy, Kind, LiveTrace, is_below
from tracer.live import Span as Span  # a recorder's callers name both
from tracer.process import watch
from tracer.records import Json
from tracer.redact import Redactor
from tracer.references import restored
from tracer.stored import StoredSpan

Durability: TypeAlias = Literal["span", "tool", "item"]
_log = logging.getLogger(__name__)
QUEUE_BYTES: Final = 16 * 2**20
_WAKE_BYTES: Final = 256 * 2**10
_POLL_S: Final = 0.05
_IDLE_S: Final = 0.5
_WAIT_S: Final = 60.0
_YIELD_SPANS: Final = 16
WRITING: Final = frozenset({"write", "external"})
"""Effects of tools around which the durability `tool` waits."""


class _Current:
    """Stands for the span that is current when another starts."""


CURRENT: Final = _Current()


class Sink(Protocol):
    """Where complete lines go."""

    def write(self, lines: bytes) -> None:
        """Write all of `lines`, or nothing.

        Raises:
            StoreError: They could not be written; the same lines are offered again.
        """
        ...

    def sync(self) -> None:
        """Have what was written survive a loss of power."""
        ...

    def close(self) -> None:
        """Let go of the file."""
        ...


class Beside(Protocol):
    """Is given each line once it is stored."""

    def offer(self, line: bytes, spans: int) -> None:
        """Take a line of so many spans, or drop and count it; never wait."""
        ...

    def start_over(self) -> None:
        """Forget what the parent of this forked process will send itself."""
        ...


class Recorder:
    """Notes spans and has one thread write them.

    Args:
        sink: Where complete lines go.
        run: Name of the run; on every span where no other identity is set.
        clock: Nanoseconds since 1970.
        ids: Makes ids of traces and spans.
        content: False leaves out every prompt, argument, result and document.
        redactor: Takes out secrets; by default one with the standard rules.
        durability: When the caller waits for the disk: at each end of a span, also around tools
            that write, or at the end of an item only.
        fsync: Whether a wait includes the disk itself, not only the operating system.
        queue_bytes: At this many waiting bytes the caller writes them itself: slower, never lossy.
        send_identity: Whether OpenTelemetry's baggage keeps the identity inside models and tools,
            so that an instrumented HTTP client sends it along.
        beside: Live exporters, which are given what is stored; whoever made them closes them.
        service: The resource's `service.name`.
    """

    def __init__(
        self,
        sink: Sink,
        *,
        run: str = "",
        clock: Callable[[], int] = time.time_ns,
        ids: Ids | None = None,
        content: bool | Content = True,
        redactor: Redactor | None = None,
        durability: Durability = "tool",
        fsync: bool = False,
        queue_bytes: int = QUEUE_BYTES,
        send_identity: bool = False,
        beside: Sequence[Beside] = (),
        service: str = "stagetrace",
    ) -> None:
        self.sink = sink
        self.run = run
        self.clock = clock
        self.ids: Ids = ids or RandomIds()
        what = content_of(content)
        self.content = what.whole
        self.hides = what.hides
        self.redactor = Redactor() if redactor is None else redactor
        self.durability = durability
        self.send_identity = send_identity
        self._beside = tuple(beside)
        self.generation = 0
        self._fsync = fsync
        self._queue_bytes = queue_bytes
        self._resource = {
            names.SERVICE_NAME: service,
            names.VERSION: package_version(),
            names.SPAN_SCHEMA: names.SCHEMA_VERSION,
        }
        self._closed = False
        self._reset()
        watch(self)

    def _reset(self) -> None:
        """Start with nothing noted: at the beginning, and in a forked child."""
        self._queue: deque[Span | Bell] = deque()
        self._open: dict[int, Span] = {}
        self._pending: list[tuple[bytes, int, LiveTrace]] = []
        # A child's file defines anew what its spans use, since it is another file.
        self._encoders: weakref.WeakKeyDictionary[LiveTrace, TraceEncoder] = (
            weakref.WeakKeyDictionary()
        )
        self._short: Short = {}
        self._failure: StoreError | None = None
        self._waiting_bytes = 0
        self._made = 0
        self._stored = 0
        self._note_lock = threading.Lock()
        self._drain_lock = threading.Lock()
        self._wake = Bell()
        self._thread: threading.Thread | None = None

    @property
    def made(self) -> int:
        """Spans that have ended."""
        return self._made

    @property
    def stored(self) -> int:
        """Spans that the sink has taken."""
        return self._stored

    @property
    def open(self) -> int:
        """Spans that have started and not ended."""
        return len(self._open)

    def start(
        self,
        kind: Kind,
        name: str,
        attributes: Mapping[str, object] | None = None,
        *,
        parent: Span | _Current | None = CURRENT,
    ) -> Span:
        """A span that has begun, not made current.

        Args:
            kind: Kind of step.
            name: Name of the span.
            attributes: First attributes.
            parent: The span it belongs under; by default the current one, None for a new trace.
        """
        ours: Span | None = None
        context: Context | None = None
        above = 0
        state: LiveTrace | None = None
        identity: Mapping[str, Json] | None = None
        if isinstance(parent, _Current):
            context = otel_context.get_current()
            current = trace.get_current_span(context)
            identity = context.get(IDENTITY_KEY)  # type: ignore[assignment]
            if isinstance(current, Span) and current.recorder is self:
                ours = current
            else:
                state, above = self._join(current, context)
        elif parent is None:
            context = otel_context.get_current()
        else:
            # Below a span of ours nothing has to be looked up.
            ours = parent
        if ours is not None:
            state, above = ours.trace, ours.number
            identity = identity or ours.identity
        root = state is None or state.started == 0
        if state is None:
            state = LiveTrace(
                self.ids.trace_id(),
                trace.TraceFlags(trace.TraceFlags.SAMPLED),
                trace.TraceState(),
            )
        state.started += 1
        span = Span(
            self,
            kind,
            name,
            state,
            self.ids.span_id(),
            ours,
            above,
            identity or self._identity(context or Context(), state),
            root,
        )
        for key, value in (attributes or {}).items():
            span.set(key, value)
        self._open[span.number] = span
        return span

    def _join(self, current: trace.Span, context: Context) -> tuple[LiveTrace | None, int]:
        """The trace of somebody else's current span, and that span's number."""
        above = current.get_span_context()
        if not above.is_valid:
            return None, 0
        state = context.get(TRACE_KEY)
        if isinstance(state, LiveTrace) and state.trace_id == above.trace_id:
            return state, above.span_id
        return LiveTrace(above.trace_id, above.trace_flags, above.trace_state), above.span_id

    def _identity(self, context: Context, state: LiveTrace) -> Mapping[str, Json]:
        """The identity that came in by baggage, or one made from the trace."""
        carried = baggage.get_all(context)
        found: dict[str, Json] = {}
        for key in names.IDENTITY:
            value = carried.get(key)
            if value is not None:
                known = names.ATTRIBUTES[key]
                text = str(value)
                number = whole_number(text) if known.type == "int" else None
                found[key] = text if number is None else number
        if self.run:
            found.setdefault(names.RUN_ID, self.run)
        found.setdefault(names.SESSION_ID, f"{state.trace_id:032x}")
        found[names.CONVERSATION_ID] = found[names.SESSION_ID]
        return found

    @contextmanager
    def span(
        self,
        kind: Kind,
        name: str,
        attributes: Mapping[str, object] | None = None,
        *,
        parent: Span | _Current | None = CURRENT,
    ) -> Iterator[Span]:
        """A span around a block, current inside it; an exception is noted and passes on.

        Raises:
            StoreError: The span was the first of its trace and could not be stored.
        """
        span = self.start(kind, name, attributes, parent=parent)
        token = enter(span)
        try:
            yield span
        except BaseException as error:
            leave(token)
            span.end(error)
            raise
        leave(token)
        span.end()
        if span.root:
            self.check()

    def sweep(self, root: Span, reason: EndedBy, error: BaseException | str | None = None) -> None:
        """End what is still open below `root`, latest first, and mark it with the reason."""
        for span in reversed([s for s in list(self._open.values()) if is_below(s, root)]):
            span.set(names.ENDED_BY, reason)
            span.end(error=error)

    def put(self, span: Span) -> None:
        """Queue a span that has ended."""
        self._open.pop(span.number, None)
        with self._note_lock:
            self._made += 1
            self._waiting_bytes += span.bytes
            waiting = self._waiting_bytes
            self._queue.append(span)
            if self._thread is None and not self._closed:
                self._thread = _start_writer(self)
        if waiting >= self._queue_bytes or self._closed:
            self.drain()
        elif span.root or self._waits_for(span):
            self._wait()
        elif waiting >= _WAKE_BYTES:
            self._wake.ring()

    def _waits_for(self, span: Span) -> bool:
        """Whether the caller waits at the end of a span that is not a trace's first."""
        if self.durability == "tool":
            return span.attributes.get(names.TOOL_EFFECT) in WRITING
        return self.durability == "span"

    def drain(self) -> None:
        """Encode and write what is queued, on the calling thread; a failure is kept for `flush`."""
        with self._drain_lock:
            spans: list[Span] = []
            waiting: list[Bell] = []
            while self._queue:
                entry = self._queue.popleft()
                if isinstance(entry, Span):
                    spans.append(entry)
                else:
                    waiting.append(entry)
            if spans:
                self._encode(spans)
            try:
                self._write(sync=bool(waiting))
            finally:
                for bell in waiting:
                    bell.ring()

    def _encode(self, spans: list[Span]) -> None:
        try:
            self._pending.extend(self._lines(spans))
        except BaseException:
            # A signal's exception may arrive here when a caller drains; nothing may be lost by it.
            self._queue.extendleft(reversed(spans))
            raise
        with self._note_lock:
            self._waiting_bytes -= sum(span.bytes for span in spans)

    def _lines(self, spans: list[Span]) -> list[tuple[bytes, int, LiveTrace]]:
        groups: dict[tuple[int, int], list[Span]] = {}
        for span in spans:
            groups.setdefault((span.trace.trace_id, id(span.identity)), []).append(span)
        version = str(self._resource[names.VERSION])
        lines = []
        for group in groups.values():
            first = group[0]
            encoder = self._encoder(first.trace)
            for span in group:
                encoder.learn(span)
            encoded = []
            for number, span in enumerate(group, 1):
                try:
                    encoded.append(encoder.encode(span))
                except Exception as error:
                    # All other spans must not wait for this one for ever.
                    what = type(error).__name__
                    _log.warning("span %s could not be written whole: %s", span.span_id, what)
                    encoded.append(encoder.encode_plain(span))
                if number % _YIELD_SPANS == 0 and threading.current_thread() is self._thread:
                    # Lets the agent's thread run: a long batch would hold it up by milliseconds.
                    time.sleep(0)
            resource = encoder.resource(first.identity, self._resource)
            line = encode_line(resource, encoded, version)
            lines.append((line, len(group), first.trace))
        return lines

    def _encoder(self, trace_: LiveTrace) -> TraceEncoder:
        known = self._encoders.get(trace_)
        if known is None:
            known = self._encoders[trace_] = TraceEncoder(self.redactor, self._short)
        return known

    def _write(self, *, sync: bool) -> None:
        try:
            if self._pending:
                self.sink.write(b"".join(line for line, _, _ in self._pending))
                for line, count, state in self._pending:
                    self._stored += count
                    if state.kept is not None:
                        state.kept.append(line)
                    for other in self._beside:
                        other.offer(line, count)
                self._pending.clear()
            if sync and self._fsync:
                self.sink.sync()
            self._failure = None
        except StoreError as error:
            self._failure = error
        except Exception as error:
            self._failure = StoreError(f"the sink {self.sink!r} failed: {error!r}")
            self._failure.__cause__ = error

    def _wait(self) -> None:
        """Block until the writer has taken all that was noted before."""
        thread = self._thread
        if thread is None or not thread.is_alive() or thread is threading.current_thread():
            self.drain()
            return
        done = Bell()
        self._queue.append(done)
        self._wake.ring()
        if not done.wait(_WAIT_S):
            self._failure = StoreError(
                f"the store did not take {len(self._queue)} records within {_WAIT_S:.0f} s; "
                "look whether the disk of the run folder answers"
            )

    def check(self) -> None:
        """Nothing, unless the last try to write failed.

        Raises:
            StoreError: It did; what was to be written is kept and tried again.
        """
        failure = self._failure
        if failure is not None:
            raise failure.with_traceback(None)

    def flush(self) -> None:
        """Have every ended span written.

        Raises:
            StoreError: The sink could not take them; they are kept and tried again.
        """
        self._wait()
        self.check()

    def before_write(self) -> None:
        """Wait for the disk before a tool that writes, where the durability asks for it.

        Raises:
            StoreError: What happened before the tool could not be stored.
        """
        if self.durability != "item":
            self.flush()

    def after_write(self) -> None:
        """Say so when the span of a tool that writes could not be stored; its end has waited.

        Raises:
            StoreError: It could not be stored, where the durability asks for it.
        """
        if self.durability != "item":
            self.check()

    def keep(self, span: Span) -> None:
        """Keep the lines of the span's trace at hand for `so_far`."""
        if span.trace.kept is None:
            with self._drain_lock:
                span.trace.kept = []
                # What is kept must be readable by itself.
                self._encoders.pop(span.trace, None)

    def so_far(self, item: Span) -> list[StoredSpan]:
        """The spans of an item as they stand on disk, and the open item span as if it ended now.

        Raises:
            StoreError: They could not be written.
            ValueError: The trace was not kept; open the item by `tracer.spans.item_span`.
        """
        kept = item.trace.kept
        if kept is None:
            raise ValueError(f"span {item.span_id}: its trace is not kept; use item_span")
        self.flush()
        version = str(self._resource[names.VERSION])
        with self._drain_lock:
            encoder = self._encoder(item.trace)
            encoder.learn(item)
            own = encoder.encode(item, refer=False)
        own["endTimeUnixNano"] = str(item.ended_ns or self.clock())
        line = encode_line(self._resource | dict(item.identity), [own], version)
        return latest(restored(span for text in [*kept, line] for span in decode_line(text)))

    def write_at_exit(self) -> None:
        """End what is open and write what is queued when the interpreter ends.

        Raises:
            StoreError: It could not be written.
        """
        if not self._closed:
            self.end_open("exit")
            self.drain()
            self.check()

    def end_open(self, reason: EndedBy) -> None:
        """End whatever is open, and say why."""
        for span in reversed(list(self._open.values())):
            span.set(names.ENDED_BY, reason)
            span.end()

    def hold_for_fork(self) -> None:
        """Let nobody note or write while the process is copied."""
        self._drain_lock.acquire()
        self._note_lock.acquire()

    def go_on_after_fork(self) -> None:
        """Undo `hold_for_fork` in the parent."""
        self._note_lock.release()
        self._drain_lock.release()

    def start_over(self) -> None:
        """Forget in a forked child what its parent has noted and will write itself."""
        self.generation += 1
        if type(self.ids) is RandomIds:
            self.ids = RandomIds()
        for other in self._beside:
            other.start_over()
        self._reset()

    def close(self) -> None:
        """End what is open, write everything and let go of the sink.

        Raises:
            StoreError: Something could not be written.
        """
        if self._closed:
            return
        self.end_open("closed")
        self._wait()
        self._closed = True
        self._wake.ring()
        try:
            self.check()
        finally:
            self.sink.close()

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@cache
def package_version() -> str:
    """The installed version of stagetrace; `0` when it runs from loose files."""
    try:
        return metadata.version("stagetrace")
    except metadata.PackageNotFoundError:
        return "0"


def _start_writer(recorder: Recorder) -> threading.Thread:
    thread = threading.Thread(
        target=_write_on,
        args=(weakref.ref(recorder), recorder._wake),
        name="stagetrace-writer",
        daemon=True,
    )
    thread.start()
    return thread


def _write_on(reference: weakref.ref[Recorder], wake: threading.Event) -> None:
    """The writer's loop; it holds the recorder only while it works, so that both can go."""
    pause = _POLL_S
    while True:
        wake.wait(pause)
        recorder = reference()
        if recorder is None:
            return
        busy = bool(recorder._queue)
        recorder.drain()
        if recorder._closed:
            return
        pause = _POLL_S if busy else min(_IDLE_S, pause * 2)
        del recorder
