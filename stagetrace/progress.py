"""How a run goes, on stderr: bars on a terminal, plain lines elsewhere."""

from __future__ import annotations

import statistics
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from rich.console import Console
from rich.live import Live
from rich.text import Text

from assistants.slots import Slot
from tracer.printable import printable
from tracer.records import Done

ROWS = 20
"""Most conditions shown at once."""
BAR = 24
EVERY_S = 30.0
_EIGHTHS = " ▏▎▍▌▋▊▉"
_ERROR_CHARACTERS = 200
_LAST = 50
_ETA_FROM = 10


@dataclass(slots=True)
class Tally:
    """Counts of a run, fed by the run loop.

    Args:
        totals: Condition to the slots it has in all, in the order of the run.
        workers: Processes that run at once.
        clock: Seconds that only go forward.
    """

    totals: Mapping[str, int]
    workers: int = 1
    clock: Callable[[], float] = time.monotonic
    ok: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    interrupted: Counter[str] = field(default_factory=Counter)
    classes: Counter[str] = field(default_factory=Counter)
    examples: dict[str, Done] = field(default_factory=dict)
    retried: int = 0
    last_failure: Done | None = None
    earlier: int = 0
    """Finished in earlier sittings."""
    _seconds: deque[float] = field(default_factory=lambda: deque(maxlen=_LAST))
    _began: float = field(default=0.0)

    def __post_init__(self) -> None:
        self._began = self.clock()

    def add_earlier(self, done: Done) -> None:
        """Count a slot that an earlier sitting finished."""
        self.ok[done.condition] += 1
        self.earlier += 1

    def add(self, done: Done, retries: int) -> bool:
        """Count a done-record; True when it is the first failure of its class."""
        self.retried += retries
        if done.status == "interrupted":
            self.interrupted[done.condition] += 1
            return False
        self._seconds.append((done.ended_ns - done.started_ns) / 1e9)
        if done.status == "ok":
            self.ok[done.condition] += 1
            return False
        self.failed[done.condition] += 1
        self.last_failure = done
        self.classes[done.error_class] += 1
        self.examples.setdefault(done.error_class, done)
        return self.classes[done.error_class] == 1

    def finished(self, condition: str | None = None) -> int:
        """Slots with a record, of one condition or of all."""
        if condition is not None:
            return self.ok[condition] + self.failed[condition]
        return self.ok.total() + self.failed.total()

    @property
    def total(self) -> int:
        """All slots of the run."""
        return sum(self.totals.values())

    @property
    def rate(self) -> float:
        """Slots a second in this sitting."""
        passed = self.clock() - self._began
        return (self.finished() - self.earlier) / passed if passed > 0 else 0.0

    @property
    def left_s(self) -> float | None:
        """Seconds that are left by the median of the last; None before the tenth."""
        if len(self._seconds) < _ETA_FROM:
            return None
        return statistics.median(self._seconds) * (self.total - self.finished()) / self.workers


def failure_line(done: Done) -> str:
    """Where and how a slot failed, in one line fit for a terminal."""
    text = printable(f"{done.error_class}: {done.error}", one_line=True)
    place = printable(f"{done.item} {done.condition}", one_line=True)
    return f"{place} run {done.replicate + 1}: {text[:_ERROR_CHARACTERS]}"


def line(tally: Tally) -> str:
    """The state of a run in one plain line.

    Example:
        >>> line(Tally({"base": 2}, clock=lambda: 0.0))
        'progress 0/2 ok=0 failed=0 retried=0 rate=0.0/s left=-'
    """
    left = tally.left_s
    return (
        f"progress {tally.finished()}/{tally.total} ok={tally.ok.total()} "
        f"failed={tally.failed.total()} retried={tally.retried} rate={tally.rate:.1f}/s "
        f"left={'-' if left is None else f'{left:.0f}s'}"
    )


def rows(tally: Tally, *, unicode: bool = True) -> list[str]:
    """One line a condition, then all; beyond twenty conditions those with failures come first."""
    names = list(tally.totals)
    width = max([20, *map(len, names)])
    shown, hidden = names, 0
    if len(names) > ROWS:
        order = sorted(names, key=lambda name: (tally.failed[name] == 0, names.index(name)))
        shown = sorted(order[: ROWS - 1], key=names.index)
        hidden = len(names) - len(shown)
    lines = []
    for name in shown:
        done, total = tally.finished(name), tally.totals[name]
        counts = f"{done:>6}/{total}  ok {tally.ok[name]}"
        failed = f"  failed {tally.failed[name]}" if tally.failed[name] else ""
        lines.append(f"{name:<{width}} {bar(done, total, unicode=unicode)} {counts}{failed}")
    if hidden:
        rest = [name for name in names if name not in shown]
        failures = sum(tally.failed[name] for name in rest)
        lines.append(f"... {hidden} more, {failures or 'no'} failures")
    return [*lines, _all_line(tally, width)]


def _all_line(tally: Tally, width: int) -> str:
    left = tally.left_s
    parts = [
        f"{tally.finished()}/{tally.total}",
        f"{tally.rate:.1f}/s",
        "about \u2013" if left is None else f"about {int(left) // 60}:{int(left) % 60:02d} left",
        *([f"failed {tally.failed.total()}"] if tally.failed else []),
        *([f"retried {tally.retried}"] if tally.retried else []),
    ]
    return f"{'all':<{width}} " + "  ".join(parts)


def bar(done: int, total: int, *, unicode: bool = True, width: int = BAR) -> str:
    """A bar of a fixed width.

    Example:
        >>> bar(1, 2, unicode=False, width=4), bar(19, 24, width=6)
        ('##..', '████▊ ')
    """
    eighths = round(8 * width * done / total) if total else 0
    if not unicode:
        full = eighths // 8
        return "#" * full + "." * (width - full)
    full, part = divmod(eighths, 8)
    return ("█" * full + (_EIGHTHS[part] if part else "")).ljust(width)


class LineProgress:
    """Plain lines: at the start, every 30 seconds or tenth, at first failures, at the end."""

    def __init__(self, tally: Tally, note: Callable[[str], None]) -> None:
        self.tally = tally
        self._note = note
        self._noted_at = tally.clock()
        self._noted = tally.finished()

    def __enter__(self) -> LineProgress:
        self._note(line(self.tally))
        return self

    def __exit__(self, *_: object) -> None:
        self._note(line(self.tally))

    def begun(self, slot: Slot) -> None:
        """Nothing is said of a beginning."""

    def done(self, slot: Slot, done: Done, retries: int) -> None:
        """Say a line when it is time for one."""
        first = self.tally.add(done, retries)
        if first:
            self._note(f"failed {failure_line(done)}")
        late = self.tally.clock() - self._noted_at >= EVERY_S
        tenth = (self.tally.finished() - self._noted) * 10 >= self.tally.total
        if first or late or (tenth and self.tally.finished() < self.tally.total):
            self._noted_at, self._noted = self.tally.clock(), self.tally.finished()
            self._note(line(self.tally))

    def waiting(self, text: str) -> None:
        """Say that a model waits."""
        self._note(printable(text, one_line=True))

    def stopping(self, running: int) -> None:
        """Say that the run ends after what is running."""
        self._note(stopping_line(running))


class LiveProgress:
    """Bars that are drawn anew while the run goes on."""

    def __init__(self, tally: Tally, console: Console, *, unicode: bool = True) -> None:
        self.tally = tally
        self._unicode = unicode
        self._said = ""
        self._live = Live(
            console=console, get_renderable=self._shown, refresh_per_second=4, transient=False
        )

    def __enter__(self) -> LiveProgress:
        self._live.start(refresh=True)
        return self

    def __exit__(self, *_: object) -> None:
        self._said = ""
        self._live.stop()

    def _shown(self) -> Text:
        lines = rows(self.tally, unicode=self._unicode)
        if self.tally.last_failure is not None:
            lines.append(f"{'last failure':<20} {failure_line(self.tally.last_failure)}")
        if self._said:
            lines.append(self._said)
        return Text("\n".join(lines), no_wrap=True, overflow="ellipsis")

    def begun(self, slot: Slot) -> None:
        """The next drawing shows it."""

    def done(self, slot: Slot, done: Done, retries: int) -> None:
        """Count it; the next drawing shows it."""
        self.tally.add(done, retries)
        if not self._said.startswith("stopping"):
            self._said = ""

    def waiting(self, text: str) -> None:
        """Show that a model waits, until the next record."""
        self._said = printable(text, one_line=True)

    def stopping(self, running: int) -> None:
        """Show that the run ends after what is running."""
        self._said = stopping_line(running)


def stopping_line(running: int) -> str:
    """What Ctrl-C is answered with.

    Example:
        >>> stopping_line(1)
        'stopping: 1 item finishes; again to abandon it'
    """
    if running == 1:
        return "stopping: 1 item finishes; again to abandon it"
    return f"stopping: {running} items finish; again to abandon them"


def summary(tally: Tally) -> list[str]:
    """Counts of each condition, then failures by class with an example each."""
    width = max([20, *map(len, tally.totals)])
    lines = []
    for name, total in tally.totals.items():
        text = f"{name:<{width}} {tally.finished(name)}/{total}  ok {tally.ok[name]}"
        text += f"  failed {tally.failed[name]}" if tally.failed[name] else ""
        text += f"  interrupted {tally.interrupted[name]}" if tally.interrupted[name] else ""
        lines.append(text)
    lines += [
        f"failed {count} x {name}, such as {failure_line(tally.examples[name])}"
        for name, count in tally.classes.most_common()
    ]
    return lines


def complete_items(done: Mapping[tuple[str, str, int], Done], slots: Sequence[Slot]) -> int:
    """Items all of whose slots are finished."""
    wanted: dict[str, bool] = {}
    for slot in slots:
        record = done.get(slot.key)
        finished = record is not None and record.status == "ok"
        wanted[slot.task.item] = wanted.get(slot.task.item, True) and finished
    return sum(wanted.values())
