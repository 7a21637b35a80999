"""The wordings of a run: made or read for every item and condition, and what was not admitted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assistants.slots import Wording, base_wording
from tracer.errors import InputError, VariantError
from tracer.records import Json, Task
from variants.base import Variant
from variants.conditions import BASE, available, axis_of, known
from variants.files import read_variants
from variants.make import base_text, make_variant


@dataclass(frozen=True, slots=True)
class Wordings:
    """What is run, and what is not."""

    by_item: Mapping[str, Sequence[Wording]]
    variants: Sequence[Variant]
    """All slots, also those that were not admitted."""

    @property
    def not_admitted(self) -> Counter[str]:
        """Condition to the number of slots that have no wording."""
        return Counter(v.condition for v in self.variants if v.status != "admitted")


def named_conditions(text: str, shipped: Iterable[str]) -> list[str]:
    """The conditions of a comma-separated list, each once; `all` is what needs no model.

    Args:
        text: As on the command line.
        shipped: Conditions for which the suite has wordings.

    Raises:
        UnknownNameError: There is no such condition.
        InputError: None is named.
    """
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise InputError("no condition is named; give --conditions base,indirect,... or all")
    chosen = available(shipped) if names == ["all"] else [known(name) for name in names]
    return list(dict.fromkeys(chosen))


def make_wordings(
    tasks: Sequence[Task],
    conditions: Sequence[str],
    *,
    seed: int,
    authored: Mapping[str, Mapping[str, Mapping[str, Json]]],
    file: Path | None = None,
) -> Wordings:
    """The wordings of all tasks, in the order of the conditions.

    Args:
        tasks: The items of the run.
        conditions: Names of conditions.
        seed: Start of the draws of typos and dialects.
        authored: Wordings shipped with the suite: condition to item to record.
        file: Wordings made earlier; they go before what is made now.

    Raises:
        VariantError: The file cannot be used for these tasks.
    """
    stored = _of_file(file, tasks) if file else {}
    by_item: dict[str, list[Wording]] = {}
    variants: list[Variant] = []
    for task in tasks:
        for condition in conditions:
            variant = stored.get((task.item, condition)) or make_variant(
                task,
                condition,
                seed=seed,
                authored=authored.get(condition, {}).get(task.item),
            )
            variants.append(variant)
            if variant.status == "admitted":
                by_item.setdefault(task.item, []).append(_wording(task, variant))
        by_item.setdefault(task.item, [])
    return Wordings(by_item, variants)


def _wording(task: Task, variant: Variant) -> Wording:
    if variant.condition == BASE:
        return base_wording(task)
    texts = variant.turns or (variant.text,)
    return Wording(variant.condition, axis_of(variant.condition), texts)


def _of_file(file: Path, tasks: Sequence[Task]) -> dict[tuple[str, str], Variant]:
    """The variants of a file by item and condition.

    Raises:
        VariantError: One was made from another text than the suite's.
    """
    texts = {task.item: base_text(task) for task in tasks}
    found = {}
    for variant in read_variants(file):
        base = texts.get(variant.item_id)
        if base is not None and variant.base_text and variant.base_text != base:
            raise VariantError(
                f"{file}: the variant of {variant.item_id!r} in {variant.condition!r} was made "
                f"from another text than the suite's; make it again with: stagetrace vary"
            )
        found[variant.item_id, variant.condition] = variant
    return found
