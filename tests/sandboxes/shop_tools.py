"""Tools of an invented user: a shop with orders that can be looked at and cancelled."""

from __future__ import annotations

from typing import Any, Literal


class Shop:
    """A fresh shop each time it is made."""

    def __init__(self) -> None:
        self.orders: dict[str, dict[str, Any]] = {
            "o1": {"status": "open", "pieces": 3},
            "o2": {"status": "open", "pieces": 5},
        }
        self.notes: dict[str, dict[str, Any]] = {}

    def find_order(self, order: str) -> dict[str, Any]:
        """One order.

        More text that is not for the model.
        """
        return self.orders[order]

    def cancel_order(self, order: str, reason: Literal["late", "other"] = "other") -> str:
        """Cancel an order."""
        self.orders[order]["status"] = "cancelled"
        return "ok"

    def add_note(self, text: str, due: str | None = None) -> str:
        """Write a note."""
        key = f"n{len(self.notes) + 1}"
        self.notes[key] = {"text": text, "due": due}
        return key

    def tools(self) -> dict[str, list[Any]]:
        return {"read": [self.find_order], "write": [self.cancel_order, self.add_note]}

    def state(self) -> dict[str, dict[str, dict[str, Any]]]:
        return {"order": self.orders, "note": self.notes}


def bare() -> dict[str, list[Any]]:
    """The same tools without a state."""
    return Shop().tools()


def unmarked() -> list[Any]:
    """Tools of which nobody says whether they write."""
    return [Shop().find_order]


def langchain_tools() -> list[Any]:
    """A LangChain tool."""
    from langchain_core.tools import tool

    @tool
    def find_order(order: str) -> str:
        """One order."""
        return f"order {order} is open"

    find_order.metadata = {"writes": False}
    return [find_order]
