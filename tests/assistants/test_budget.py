"""Limits of a run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assistants.budget import Budget, Price, read_price
from tracer.errors import InputError
from tracer.records import Done, Request

DONE = Done("i", "base", 0, "ok", "t", Request("i", "?", "s"), input_tokens=60, output_tokens=40)


def test_nothing_is_limited_by_default() -> None:
    budget = Budget()
    budget.add(DONE)
    assert budget.over() == ""


def test_tokens_of_both_kinds_count() -> None:
    budget = Budget(tokens=150)
    budget.add(DONE)
    assert budget.over() == ""
    budget.add(replace(DONE, output_tokens=0))
    assert "160 tokens are used" in budget.over()


def test_cost_is_by_the_price_of_each_kind() -> None:
    budget = Budget(cost=0.0005, price=Price(5.0, 10.0))
    budget.add(DONE)
    assert "0.0007 is spent" in budget.over()


def test_time_is_that_of_the_clock() -> None:
    now = [0.0]
    budget = Budget(seconds=10, clock=lambda: now[0])
    now[0] = 11
    assert "--max-time" in budget.over()


def test_cost_without_a_price_is_refused() -> None:
    with pytest.raises(InputError, match="--prices"):
        Budget(cost=1.0)


@pytest.mark.parametrize("text", ["[1]", "{", '{"m": {"input": 1}}', "{}"])
def test_file_of_prices_that_has_none(tmp_path: Path, text: str) -> None:
    path = tmp_path / "prices.json"
    path.write_text(text)
    with pytest.raises(InputError, match="price"):
        read_price(path, "m")


@pytest.mark.parametrize("price", ["1e300", "-1", "NaN", "1" + "0" * 400])
def test_a_price_that_no_sum_can_hold_is_refused(tmp_path: Path, price: str) -> None:
    path = tmp_path / "prices.json"
    path.write_text(f'{{"m": {{"input": {price}, "output": 2}}}}')
    with pytest.raises(InputError, match=r"prices\.json"):
        read_price(path, "m")
