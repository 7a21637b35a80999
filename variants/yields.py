"""How many slots of each condition were filled, and which gate took the others."""

from __future__ import annotations

import re
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

    padding: float | None = None
    """Mean of white-space tokens of an admitted variant over those of its base."""
    asked: dict[str, int] = field(default_factory=dict)
    """Gate to the number of slots whose stored text it judged."""
    cleared: dict[str, int] = field(default_factory=dict)
    """Gate to the number of those that it passed."""
    verbs: dict[str, int] = field(default_factory=dict)
    """Admitted slots whose head verb is known: `retained`, `subordinate` or `lost`."""

    @property
    def share(self) -> float:
        """Admitted slots over all slots."""
        return self.admitted / self.slots if self.slots else 0.0

    @property
    def verb_kept(self) -> float | None:
        """Slots that keep the head verb as main predicate; None where no verb is known."""
        known = sum(self.verbs.values())
        return self.verbs.get("retained", 0) / known if known else None


def yields(variants: Iterable[Variant]) -> list[Yield]:
    """One yield a condition, in the order of tables.

    Source:
        Lost in the Request, section 2.3, and Out of Style, Table 2, report yields and lengths.
    """
    found: dict[str, Yield] = {}
    for variant in variants:
        one = found.setdefault(variant.condition, Yield(variant.condition))
        one.slots += 1
        for verdict in variant.gates:
            one.asked[verdict.name] = one.asked.get(verdict.name, 0) + 1
            one.cleared[verdict.name] = one.cleared.get(verdict.name, 0) + verdict.passed
        if variant.status == "admitted":
            _count_admitted(one, variant)
        else:
            _count_failed(one, variant)
    for one in found.values():
        one.changed_tokens = one.changed_tokens / one.admitted if one.admitted else 0.0
        one.padding = one.padding / one.admitted if one.padding is not None else None
    order = conditions()
    return sorted(found.values(), key=lambda one: (one.condition not in order, _rank(one, order)))


def verb_retention(variant: Variant) -> str | None:
    """Where the base's head verb went: `retained`, `subordinate` or `lost`; None if unknown.

    Source:
        Lost in the Request, section 5.1; a verb counts as subordinate when a form of it stands
        anywhere in the text, which is ours.

    Example:
        >>> text, verbs = "Kindly have it forwarded.", {"head_verb": "forward", "main_verb": "have"}
        >>> verb_retention(Variant("i", "formal", text, "", "llm", "admitted", **verbs))
        'subordinate'
    """
    if not variant.head_verb or not variant.main_verb:
        return None
    if variant.main_verb == variant.head_verb:
        return "retained"
    stem = variant.head_verb.rstrip("ey")
    words = re.findall(r"[^\W\d_]+", variant.text.lower())
    found = any(word.startswith(stem) and len(word) <= len(stem) + 4 for word in words)
    return "subordinate" if found else "lost"


def _count_admitted(one: Yield, variant: Variant) -> None:
    one.admitted += 1
    tokens, base = len(variant.text.split()), len(variant.base_text.split())
    one.changed_tokens += tokens - base
    one.padding = (one.padding or 0.0) + tokens / max(1, base)
    kept = verb_retention(variant)
    if kept is not None:
        one.verbs[kept] = one.verbs.get(kept, 0) + 1
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
