"""One request in one condition: the candidate, its gates, the variant or why there is none."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import get_args

from tracer.errors import VariantError
from tracer.records import Json, Task
from variants.base import FeatureUse, Gated, Generator, Variant
from variants.conditions import BASE, DIALECT, available, axis_of, conditions, known, needs_model
from variants.features import DIALECTS
from variants.gates.capitalised import missing_capitalised
from variants.gating import rejection, run_gates
from variants.noise.typos import typos
from variants.parse import head_verb, parse
from variants.protect import protected_spans, texts
from variants.transduce import Tier, transduce

__all__ = ["available", "axis_of", "conditions", "make_variant", "needs_model"]

_WORD = re.compile(r"\w+(?:['\u2019]\w+)*")


def make_variant(
    task: Task,
    condition: str,
    *,
    seed: int = 0,
    authored: Mapping[str, Json] | None = None,
    density: float = 1.0,
    tier: Tier = "safe",
) -> Variant:
    """The task's request in a condition; a slot that cannot be filled says why.

    The result depends on these arguments alone, not on what was made before.

    Args:
        task: The item.
        condition: One of `conditions()`.
        seed: Start of the draws of typos and dialects.
        authored: A wording that somebody wrote for this slot, with at least `text`; it is gated,
            and taken before anything is made.
        density: For dialects, the share of eligible places that are changed.
        tier: For dialects, `safe+guarded` also applies rules that need a rater of intent.

    Raises:
        UnknownNameError: There is no such condition.
        VariantError: `authored` has no text.
    """
    slot = _Slot(task, known(condition), seed)
    if condition == BASE:
        return slot.base()
    if len(task.turns) > 1:
        return slot.failed("several turns: only single requests are rewritten so far")
    if authored is not None:
        return slot.authored(authored)
    if condition == "typos":
        return slot.typos()
    if condition.startswith(DIALECT):
        return slot.dialect(density, tier)
    if condition == "rtt":
        return slot.failed(
            "no translator: round trips need a translation model or a stored wording"
        )
    return slot.failed(f"no wording: {condition!r} needs a model or a text written for this item")


class _Slot:
    """An item and a condition, with what every outcome of them shares."""

    def __init__(self, task: Task, condition: str, seed: int) -> None:
        self.task = task
        self.condition = condition
        self.seed = seed
        self.spans = protected_spans(task.text, task.protected)
        self.protected = texts(task.text, self.spans)
        self.head_verb = task.groups.get("head_verb", "")

    def base(self) -> Variant:
        """The original wording, which passes no gate."""
        return Variant(
            self.task.item,
            BASE,
            text=self.task.text,
            base_text=self.task.text,
            generator="base",
            status="admitted",
            opening=opening(self.task.text),
            protected=self.protected,
            head_verb=self.head_verb,
            main_verb=self.head_verb,
        )

    def failed(self, reason: str, generator: Generator = "llm") -> Variant:
        """An empty slot."""
        return self._variant("", generator, status="failed", reason=reason)

    def authored(self, record: Mapping[str, Json]) -> Variant:
        """A wording that somebody wrote, behind the gates."""
        text = record.get("text")
        if not isinstance(text, str):
            raise VariantError(
                f"wording of {self.task.item!r} in {self.condition!r} has no text but {text!r}; "
                'write it as {"text": "..."}'
            )
        generator = record.get("generator", "authored")
        if generator not in get_args(Generator):
            raise VariantError(
                f"wording of {self.task.item!r} in {self.condition!r} "
                f"has the generator {generator!r}; known: {', '.join(get_args(Generator))}"
            )
        uses = tuple(
            FeatureUse(use["ewave"], use["count"], tuple((low, high) for low, high in use["spans"]))
            for use in record.get("features", ())
        )
        return self._gated(
            text,
            generator,
            uses,
            framing=str(record.get("framing", "")),
            head_verb=str(record.get("head_verb", self.head_verb)),
            main_verb=str(record.get("main_verb", "")),
            model=str(record.get("model", "")),
            prompt_sha256=str(record.get("prompt_sha256", "")),
        )

    def typos(self) -> Variant:
        """The request with typos outside its literals."""
        text = typos(self.task.text, item=self.task.item, seed=self.seed, given=self.task.protected)
        if text is None:
            return self.failed("no word: every word holds an operative literal", "typo")
        return self._gated(text, "typo", main_verb=self.head_verb)

    def dialect(self, density: float, tier: Tier) -> Variant:
        """The request with the features of a dialect."""
        name = self.condition.removeprefix(DIALECT)
        if name not in DIALECTS.names():
            return self.failed(
                f"no rules: the dialect {name!r} has no feature list yet; "
                f"made so far: {', '.join(DIALECTS.names())}",
                "transducer",
            )
        parsed = parse(self.task.text, self.spans)
        made = transduce(
            parsed,
            DIALECTS.get(name),
            item=self.task.item,
            protected=self.spans,
            seed=self.seed,
            density=density,
            tier=tier,
        )
        verb = self.head_verb or head_verb(parsed)
        if not made.applied:
            return self._variant(
                made.text,
                "transducer",
                status="failed",
                reason="no_feature",
                density=density,
                head_verb=verb,
            )
        # No rule replaces a main verb by another one, so the variant keeps the base's.
        return self._gated(
            made.text, "transducer", made.uses, density=density, head_verb=verb, main_verb=verb
        )

    def _gated(
        self,
        text: str,
        generator: Generator,
        features: tuple[FeatureUse, ...] = (),
        **facts: Json,
    ) -> Variant:
        verdicts = run_gates(
            Gated(
                self.task.text,
                text,
                self.condition,
                generator,
                protected=self.protected,
                features=features,
            )
        )
        reason = rejection(verdicts)
        return self._variant(
            text,
            generator,
            status="failed" if reason else "admitted",
            reason=reason,
            gates=verdicts,
            features=features,
            soft=tuple(missing_capitalised(self.task.text, text, case=self.condition != "casual")),
            **facts,
        )

    def _variant(self, text: str, generator: Generator, **facts: Json) -> Variant:
        shared: dict[str, Json] = {
            "head_verb": self.head_verb,
            "protected": self.protected,
            "seed": self.seed,
        }
        return Variant(
            self.task.item,
            self.condition,
            text=text,
            base_text=self.task.text,
            generator=generator,
            opening=opening(text),
            **(shared | facts),
        )


def opening(text: str) -> str:
    """The first two words in lower case, by which repeated beginnings are counted.

    Example:
        >>> opening("Quick one: what did Kay send?")
        'quick one'
    """
    return " ".join(word.casefold() for word in _WORD.findall(text)[:2])
