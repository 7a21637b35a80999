"""Stand-ins that make spans comparable: an in-memory sink, counting ids, a stepping clock."""

from __future__ import annotations

import itertools

from tracer.formats.otlp_json import decode_line
from tracer.references import restored
from tracer.stored import StoredSpan


class MemorySink:
    """Keeps the lines it is given.

    Example:
        >>> from tracer.record import Recorder
        >>> sink = MemorySink()
        >>> with Recorder(sink) as recorder, recorder.span("chain", "step"):
        ...     pass
        >>> [span.name for span in sink.spans()]
        ['step']
    """

    def __init__(self) -> None:
        self._written: list[bytes] = []

    @property
    def data(self) -> bytes:
        """All that was written."""
        return b"".join(self._written)

    def write(self, lines: bytes) -> None:
        """Keep the lines."""
        self._written.append(lines)

    def sync(self) -> None:
        """Nothing: memory is all there is."""

    def close(self) -> None:
        """Nothing: the lines stay."""

    def lines(self) -> list[bytes]:
        """What was written, line by line."""
        return self.data.splitlines(keepends=True)

    def spans(self) -> list[StoredSpan]:
        """The spans that were written, in the order of their ends."""
        return list(restored(span for line in self.lines() for span in decode_line(line)))


class CountingIds:
    """Ids 1, 2, 3, ... so that two runs of one program are equal."""

    def __init__(self) -> None:
        self._traces = itertools.count(1)
        self._spans = itertools.count(1)

    def trace_id(self) -> int:
        """The next number."""
        return next(self._traces)

    def span_id(self) -> int:
        """The next number."""
        return next(self._spans)


class SteppingClock:
    """A clock that is `step_ns` later each time it is read."""

    def __init__(self, start_ns: int = 1_700_000_000_000_000_000, step_ns: int = 1_000_000) -> None:
        self._times = itertools.count(start_ns, step_ns)

    def __call__(self) -> int:
        """The next time."""
        return next(self._times)
