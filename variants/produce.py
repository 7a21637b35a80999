"""All slots of a suite in a fixed order: the same bytes for any order of items and any workers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice

from tracer.records import Json, Task
from variants.base import GATES, POLES, Helpers, Variant
from variants.conditions import needs_model
from variants.features import DIALECTS
from variants.make import make_variant

Authored = Mapping[str, Mapping[str, Mapping[str, Json]]]
"""Condition to item to the record of a wording that is shipped with a suite."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is made of a suite, apart from the parts that are handed in."""

    conditions: Sequence[str]
    seed: int = 0
    density: float = 1.0
    batch: int = 1
    """Items whose openings are counted together; with 1 each item sees all before it."""
    workers: int = 1
    """Slots of a batch that a model works on at a time; it changes no text."""


def produce(
    tasks: Iterable[Task],
    plan: Plan,
    *,
    helpers: Helpers | None = None,
    authored: Authored | None = None,
    done: Iterable[Variant] = (),
) -> Iterator[Variant]:
    """Every slot of the tasks, items by id, conditions in the plan's order; slots of `done` first.

    Openings are counted over the items before a batch and frozen while it runs, so neither the
    order in which tasks are given nor the number of workers changes a text.

    Args:
        tasks: The items of a suite.
        plan: What is made.
        helpers: Models, raters and scorers.
        authored: Wordings that are shipped with the suite.
        done: Slots of an earlier run of the same plan that was stopped; they are not made again.

    Raises:
        EndpointError: A model cannot be asked.

    Source:
        Lost in the Request, appendix D.19, asks for the least used opening; frozen counters are
        ours, without which the text of an item would depend on those that happened to come before.
    """
    parts = helpers or Helpers()
    stored = {(variant.item_id, variant.condition): variant for variant in done}
    openings: dict[str, Counter[str]] = {name: Counter() for name in plan.conditions}
    waiting = iter(sorted(tasks, key=lambda task: task.item))
    while batch := list(islice(waiting, plan.batch)):
        frozen = {name: dict(counts) for name, counts in openings.items()}
        slots = [(task, name) for task in batch for name in plan.conditions]
        for variant in _filled(slots, stored, plan, parts, authored or {}, frozen):
            if variant.generator == "llm" and variant.status == "admitted":
                openings[variant.condition][variant.opening] += 1
            yield variant


def _filled(
    slots: Sequence[tuple[Task, str]],
    stored: Mapping[tuple[str, str], Variant],
    plan: Plan,
    helpers: Helpers,
    authored: Authored,
    frozen: Mapping[str, Mapping[str, int]],
) -> Iterator[Variant]:
    def fill(slot: tuple[Task, str]) -> Variant:
        task, name = slot
        return stored.get((task.item, name)) or make_variant(
            task,
            name,
            seed=plan.seed,
            authored=authored.get(name, {}).get(task.item),
            density=plan.density,
            helpers=helpers,
            openings=frozen[name],
        )

    # Programs share one parser, which is no quicker in threads; only models are waited for.
    asking = helpers.rewriter is not None or helpers.rater is not None
    waited = [place for place, slot in enumerate(slots) if asking and needs_model(slot[1])]
    if plan.workers == 1 or not waited:
        yield from map(fill, slots)
        return
    # A registry that is filled by its first look-up must not be found half full by a thread.
    for registry in (GATES, POLES, DIALECTS):
        registry.names()
    with ThreadPoolExecutor(plan.workers) as pool:
        asked = {place: pool.submit(fill, slots[place]) for place in waited}
        for place, slot in enumerate(slots):
            yield asked[place].result() if place in asked else fill(slot)
