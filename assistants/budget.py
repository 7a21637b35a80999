"""What a run may use up: tokens, money and time; it ends in good order when that is used up."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tracer.errors import InputError
from tracer.limits import json_value
from tracer.records import Done

PER = 1_000_000
"""Prices are for so many tokens."""
MOST = 1e9
"""Highest price of so many tokens; a sum of higher ones might be no number."""


@dataclass(frozen=True, slots=True)
class Price:
    """Of a million tokens of one model, in the user's own currency."""

    input: float
    output: float

    def of(self, input_tokens: int, output_tokens: int) -> float:
        """What these tokens cost.

        Example:
            >>> Price(2.0, 8.0).of(500_000, 250_000)
            3.0
        """
        return (self.input * input_tokens + self.output * output_tokens) / PER


def read_price(path: Path, model: str) -> Price:
    """The price of a model in a file such as `{"openai:small": {"input": 0.5, "output": 2}}`.

    Raises:
        InputError: The file cannot be read, or does not have the model.
    """
    try:
        prices = json_value(path.read_text(encoding="utf-8"))
        # The options after a model's name do not change its price, unless the file says so.
        known = model if model in prices else model.partition("?")[0]
        if known not in prices:
            raise InputError(f"{path}: no price of {model!r}; it has {', '.join(prices) or 'none'}")
        price = Price(float(prices[known]["input"]), float(prices[known]["output"]))
        if not (0 <= price.input <= MOST and 0 <= price.output <= MOST):
            raise ValueError(f"a price is from 0 to {MOST:g}")
        return price
    except (OSError, ValueError, KeyError, TypeError, OverflowError) as error:
        raise InputError(
            f"{path}: no file of prices ({type(error).__name__}: {error}); it holds an object such "
            'as {"openai:NAME": {"input": 0.5, "output": 2.0}}, for a million tokens each'
        ) from error


@dataclass(slots=True)
class Budget:
    """Limits of one run and what of them is used; what runs when one is reached is finished."""

    tokens: int | None = None
    cost: float | None = None
    price: Price | None = None
    seconds: float | None = None
    """Of this sitting."""
    clock: Callable[[], float] = time.monotonic
    used_input: int = 0
    used_output: int = 0
    _began: float = field(init=False)

    def __post_init__(self) -> None:
        if self.cost is not None and self.price is None:
            raise InputError("--max-cost needs --prices FILE with the price of the model")
        self._began = self.clock()

    def add(self, done: Done) -> None:
        """Count what a slot has used, in this sitting or before."""
        self.used_input += done.input_tokens
        self.used_output += done.output_tokens

    def over(self) -> str:
        """Which limit is reached, in words; empty while none is."""
        used = self.used_input + self.used_output
        if self.tokens is not None and used >= self.tokens:
            return f"{used:,} tokens are used, --max-tokens is {self.tokens:,}"
        if self.cost is not None and self.price is not None:
            spent = self.price.of(self.used_input, self.used_output)
            if spent >= self.cost:
                return f"{spent:.4f} is spent, --max-cost is {self.cost:g}"
        passed = self.clock() - self._began
        if self.seconds is not None and passed >= self.seconds:
            return f"{passed:.0f} s have passed, --max-time is {self.seconds:g}"
        return ""
