"""What a run shows while it goes on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from rich.console import Console

from assistants.slots import Slot, base_wording
from stagetrace.progress import (
    LineProgress,
    LiveProgress,
    Tally,
    bar,
    complete_items,
    line,
    rows,
    stopping_line,
    summary,
)
from tracer.records import Done, Request, Task, Turn

SECOND = 1_000_000_000


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def done(item: str = "t1", condition: str = "base", status: str = "ok", error: str = "") -> Done:
    return Done(
        item,
        condition,
        0,
        status,  # type: ignore[arg-type]  # a parameter of the tests
        "1",
        Request(item, "text"),
        error_class="EndpointError" if error else "",
        error=error,
        ended_ns=2 * SECOND,
    )


def slot(item: str = "t1") -> Slot:
    task = Task(item, "s", "actions", (Turn("text"),))
    return Slot(task, base_wording(task))


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_time_left_is_the_median_times_what_is_left_over_the_workers(clock: Clock) -> None:
    tally = Tally({"base": 30}, workers=2, clock=clock)
    for _ in range(9):
        tally.add(done(), 0)
    assert tally.left_s is None
    tally.add(done(), 0)
    assert tally.left_s == 2.0 * 20 / 2


def test_rate_counts_this_sitting_only(clock: Clock) -> None:
    tally = Tally({"base": 4}, clock=clock)
    tally.add_earlier(done())
    clock.now = 2.0
    tally.add(done(), 0)
    assert tally.rate == 0.5
    assert tally.finished() == 2


def test_errors_move_the_bar_too(clock: Clock) -> None:
    tally = Tally({"base": 2}, clock=clock)
    tally.add(done(status="failed", error="down"), 3)
    assert line(tally).startswith("progress 1/2 ok=0 failed=1 retried=3")
    assert "     1/2  ok 0  failed 1" in rows(tally)[0]


@pytest.mark.parametrize("unicode", [True, False])
def test_bar_has_one_width_whatever_is_done(unicode: bool) -> None:
    assert {len(bar(n, 7, unicode=unicode)) for n in range(8)} == {24}
    assert len(bar(0, 0, unicode=unicode)) == 24


def test_beyond_twenty_conditions_those_with_failures_are_shown(clock: Clock) -> None:
    tally = Tally({f"c{n:02d}": 1 for n in range(31)}, clock=clock)
    tally.add(done(condition="c30", status="failed", error="down"), 0)
    shown = rows(tally)
    assert len(shown) == 21
    assert any(row.startswith("c30 ") for row in shown)
    assert "... 12 more, no failures" in shown


def noted(clock: Clock, total: int) -> tuple[LineProgress, list[str]]:
    lines: list[str] = []
    return LineProgress(Tally({"base": total}, clock=clock), lines.append), lines


def test_plain_progress_says_a_line_each_tenth(clock: Clock) -> None:
    progress, lines = noted(clock, 100)
    with progress:
        for _ in range(100):
            progress.done(slot(), done(), 0)
    assert len(lines) == 1 + 9 + 1
    assert lines[-1].startswith("progress 100/100 ok=100")


def test_plain_progress_says_a_line_after_thirty_seconds(clock: Clock) -> None:
    progress, lines = noted(clock, 1000)
    progress.done(slot(), done(), 0)
    clock.now = 31.0
    progress.done(slot(), done(), 0)
    assert [text[:15] for text in lines] == ["progress 2/1000"]


def test_plain_progress_names_the_first_failure_of_each_class(clock: Clock) -> None:
    progress, lines = noted(clock, 1000)
    for _ in range(3):
        progress.done(slot(), done(status="failed", error="down\x1b[2J"), 0)
    assert [text for text in lines if text.startswith("failed")] == [
        r"failed t1 base run 1: EndpointError: down\x1b[2J"
    ]


def test_live_progress_shows_failures_waits_and_stops_without_control_characters() -> None:
    console = Console(force_terminal=True, width=80, record=True)
    tally = Tally({"base": 2, "typos": 2})
    with LiveProgress(tally, console, unicode=False) as progress:
        progress.done(slot(), done(item="t\u202e", status="failed", error="bad\x07"), 1)
        progress.waiting("waiting for the endpoint 4 s (429, retry 3 of 4)")
        progress.stopping(2)
        shown = progress._shown().plain
    assert "last failure" in shown
    assert "stopping: 2 items finish" in shown
    assert "\x07" not in shown
    assert "\u202e" not in shown


def test_stopping_line_counts_what_still_runs() -> None:
    assert stopping_line(2) == "stopping: 2 items finish; again to abandon them"


def test_summary_groups_failures_by_class_with_an_example(clock: Clock) -> None:
    tally = Tally({"base": 3}, clock=clock)
    for text in ("down", "still down"):
        tally.add(done(status="failed", error=text), 0)
    tally.add(done(), 0)
    assert summary(tally) == [
        "base                 3/3  ok 1  failed 2",
        "failed 2 x EndpointError, such as t1 base run 1: EndpointError: down",
    ]


def test_item_is_complete_when_all_its_slots_are(clock: Clock) -> None:
    def two(item: str) -> Iterator[Slot]:
        task = Task(item, "s", "actions", (Turn("text"),))
        for replicate in (0, 1):
            yield Slot(task, base_wording(task), replicate)

    slots = [*two("a"), *two("b")]
    records = {
        ("a", "base", 0): done("a"),
        ("a", "base", 1): done("a"),
        ("b", "base", 0): done("b"),
    }
    assert complete_items(records, slots) == 1
