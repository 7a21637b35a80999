"""What an agent and its tools may take: time of an item, time, result and number of tool calls."""

from __future__ import annotations

import functools
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import FrameType

from tracer.records import Json, Tool

CALLS = 500
"""Tool calls of one item, whatever agent makes them."""
SECONDS = 60
"""Of one tool call."""
RESULT_CHARACTERS = 16 * 2**20
"""Of one result, about what the store keeps of a value."""
_AGAIN_S = 1.0
"""How often one that swallows the time limit is told again."""


class ToolLimitError(Exception):
    """A tool call over a limit: the tool's error, which the agent is told; the run goes on."""


@contextmanager
def time_limit(seconds: float | None, over: Callable[[], Exception]) -> Iterator[None]:
    """Raise what `over` makes inside the block once the time is over.

    It works where signals do: in the main thread of a process on a POSIX system. Elsewhere the time
    is not limited. One that swallows the exception gets it again each second. Limits may stand
    inside each other: the one that ends first counts.
    """
    here = threading.current_thread() is threading.main_thread()
    if seconds is None or not here or not hasattr(signal, "setitimer"):
        yield
        return
    left, again = signal.getitimer(signal.ITIMER_REAL)
    if 0 < left <= seconds:
        yield
        return

    def ring(number: int, frame: FrameType | None) -> None:
        raise over()

    started = time.monotonic()
    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if left:
            rest = max(left - (time.monotonic() - started), 0.001)
            signal.setitimer(signal.ITIMER_REAL, rest, again)


def limited(tools: Sequence[Tool], limits: Mapping[str, int]) -> tuple[Tool, ...]:
    """The same tools, of one item, that raise `ToolLimitError` where a call goes over a limit.

    Args:
        tools: The tools of one item; they share the number of calls.
        limits: `tool_calls`, `tool_seconds` and `tool_result_characters`; by default ours.
    """
    meter = _Meter(
        limits.get("tool_calls", CALLS),
        limits.get("tool_seconds", SECONDS),
        limits.get("tool_result_characters", RESULT_CHARACTERS),
    )
    return tuple(replace(tool, run=meter.around(tool)) for tool in tools)


@dataclass(slots=True)
class _Meter:
    """Counts the calls of one item."""

    calls: int
    seconds: int
    characters: int
    made: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def around(self, tool: Tool) -> Callable[..., Json]:
        """The tool's function, measured."""

        @functools.wraps(tool.run)
        def run(**arguments: Json) -> Json:
            with self._lock:
                self.made += 1
            if self.made > self.calls:
                raise ToolLimitError(f"{self.calls} tool calls were made, no more are allowed")
            with time_limit(self.seconds, self._too_long):
                result = tool.run(**arguments)
            if _larger(result, self.characters):
                raise ToolLimitError(
                    f"the result of {tool.name} is larger than {self.characters:,} characters"
                )
            return result

        return run

    def _too_long(self) -> ToolLimitError:
        return ToolLimitError(f"no result within {self.seconds} s")


def _larger(value: Json, most: int) -> bool:
    """Whether a value has more characters than `most`; it is looked at only so far."""
    left = [value]
    size = 0
    while left and size <= most:
        one = left.pop()
        size += len(one) if isinstance(one, str | bytes) else 1
        if isinstance(one, Mapping):
            left += [*one.keys(), *one.values()]
        elif isinstance(one, list | tuple):
            left += one
    return size > most
