"""Limits of tools: time, result size and number of calls are tool errors, and the run goes on."""

from __future__ import annotations

import time

import pytest

from assistants.limits import ToolLimitError, limited, time_limit
from tracer.records import Json, Tool


def tool(run: object) -> Tool:
    return Tool("t", "", {"type": "object"}, False, run)  # type: ignore[arg-type]


def test_a_tool_that_sleeps_is_stopped_and_the_next_call_runs() -> None:
    waits = iter([5.0, 0.0])
    bound = limited([tool(lambda: time.sleep(next(waits)))], {"tool_seconds": 0.05})  # type: ignore[dict-item]
    started = time.monotonic()
    with pytest.raises(ToolLimitError, match=r"no result within 0.05 s"):
        bound[0].run()
    assert time.monotonic() - started < 2
    assert bound[0].run() is None


@pytest.mark.parametrize("big", ["x" * 101, ["x"] * 60, {"k" * 60: {"v": "x" * 60}}, b"x" * 101])
def test_a_result_that_is_too_large_is_an_error(big: Json) -> None:
    with pytest.raises(ToolLimitError, match="larger than 50 characters"):
        limited([tool(lambda: big)], {"tool_result_characters": 50})[0].run()


def test_a_hundred_megabytes_are_an_error_by_default() -> None:
    with pytest.raises(ToolLimitError, match="larger than 16,777,216"):
        limited([tool(lambda: "x" * 10**8)], {})[0].run()


def test_all_tools_of_an_item_share_the_number_of_calls() -> None:
    made = []
    first, second = limited([tool(lambda: made.append(1))] * 2, {"tool_calls": 2})
    first.run()
    second.run()
    for _ in range(3):
        with pytest.raises(ToolLimitError, match="2 tool calls were made"):
            first.run()
    assert len(made) == 2


class OuterError(Exception):
    """The time of the item is over."""


def test_the_outer_limit_goes_on_after_an_inner_one() -> None:
    with pytest.raises(OuterError), time_limit(0.2, OuterError):  # noqa: PT012
        with time_limit(0.05, TimeoutError):
            pass
        time.sleep(5)


def test_an_outer_limit_that_ends_first_counts() -> None:
    with pytest.raises(OuterError), time_limit(0.05, OuterError), time_limit(1, TimeoutError):
        time.sleep(5)
