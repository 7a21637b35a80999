"""What the tokens of a run cost, by a price list that the user gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tracer.errors import InputError
from tracer.limits import json_value
from tracer.records import Json, Trace

MOST = 1e9
"""Highest price of a million tokens; beyond it sums of costs would not be numbers any more."""
_EXAMPLE = '{"currency": "USD", "models": {"NAME": {"input": 1.25, "output": 10.0}}}'


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices of a million tokens by model; none are built in, because they change."""

    models: Mapping[str, tuple[float, float]]
    """Model as spans name it to the price of a million input and of a million output tokens."""
    currency: str = ""
    source: str = ""
    """File they come from."""

    @property
    def undefined(self) -> str:
        """Why a trace has no cost."""
        return f"a model without a price in {self.source}, or without token counts"

    def cost(self, trace: Trace) -> float | None:
        """Price of all model calls; None when one lacks a price or its token counts."""
        total = 0.0
        for call in trace.model_calls:
            price = self.models.get(call.model)
            if price is None or call.input_tokens is None or call.output_tokens is None:
                return None
            total += (price[0] * call.input_tokens + price[1] * call.output_tokens) / 1e6
        return total if trace.model_calls else None


def read_prices(path: Path) -> Prices:
    """The price list in a JSON file.

    Raises:
        InputError: It cannot be read or holds something else.
    """
    try:
        document = json_value(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: no price list ({error}); write it as {_EXAMPLE}") from error
    models = document.get("models") if isinstance(document, dict) else None
    if not isinstance(models, dict) or not all(map(_is_price, models.values())):
        raise InputError(f"{path}: no price list; write it as {_EXAMPLE} (a million tokens)")
    prices = {name: (float(one["input"]), float(one["output"])) for name, one in models.items()}
    return Prices(prices, str(document.get("currency", "")), path.name)


def _is_price(value: Json) -> bool:
    return isinstance(value, dict) and all(
        isinstance(value.get(side), int | float)
        and not isinstance(value[side], bool)
        and 0 <= value[side] <= MOST
        for side in ("input", "output")
    )
