"""How many slots of each condition were filled, and which gate took the others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from variants.base import Variant
from variants.conditions import conditions


@dataclass(slots=True)
class Yield:
    """The slots of one condition."""

    condition: str
    slots: int = 0
    admitted: int = 0
    rejected: dict[str, int] = field(default_factory=dict)
    """Gate to the number of slots that it rejected, each slot under the first gate that did."""
    recorded: dict[str, int] = field(default_factory=dict)
    """Gate to the number of admitted slots that it failed without rejecting."""
    not_made: dict[str, int] = field(default_factory=dict)
    """Why there was no candidate, up to the first colon, to the number of slots."""
    changed_tokens: float = 0.0
    """Mean difference in white-space tokens of the admitted variants to their bases."""

    @property
    def share(self) -> float:
        """Admitted slots over all slots."""
        return self.admitted / self.slots if self.slots else 0.0


def yields(variants: Iterable[Variant]) -> list[Yield]:
    """One yield a condition, in the order of tables.

    Source:
        Lost in the Request, section 2.3, and Out of Style, Table 2, report yields and lengths.
    """
    found: dict[str, Yield] = {}
    for variant in variants:
        one = found.setdefault(variant.condition, Yield(variant.condition))
        one.slots += 1
        if variant.status == "admitted":
            _count_admitted(one, variant)
        else:
            _count_failed(one, variant)
    for one in found.values():
        one.changed_tokens = one.changed_tokens / one.admitted if one.admitted else 0.0
    order = conditions()
    return sorted(found.values(), key=lambda one: (one.condition not in order, _rank(one, order)))


def _count_admitted(one: Yield, variant: Variant) -> None:
    one.admitted += 1
    one.changed_tokens += len(variant.text.split()) - len(variant.base_text.split())
    for verdict in variant.gates:
        if not verdict.passed:
            one.recorded[verdict.name] = one.recorded.get(verdict.name, 0) + 1


def _count_failed(one: Yield, variant: Variant) -> None:
    gate = next((v.name for v in variant.gates if v.filtered and not v.passed), None)
    counts = one.not_made if gate is None else one.rejected
    name = gate or variant.reason.partition(":")[0]
    counts[name] = counts.get(name, 0) + 1


def _rank(one: Yield, order: list[str]) -> int:
    return order.index(one.condition) if one.condition in order else 0
