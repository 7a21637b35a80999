"""Each variant's nearest base is its own, by the vectors of the embedder MiniLM."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistants.base import EMBEDDERS
from sandboxes.base import SANDBOXES
from stagetrace import settings
from tracer.protocols import Embedder
from variants.base import Variant
from variants.features import DIALECTS
from variants.framings import framings, recognise
from variants.produce import Plan, produce

POLES = sorted({framing.pole for framing in framings()})
CONDITIONS = [*POLES, "typos", *(f"dialect_{name}" for name in DIALECTS.names())]
LEAST = 0.95
READ = {
    "casual": ("10",),
    "charged": ("16",),
    "dialect_singapore": ("11",),
    "fluent_native": ("11",),
    "indirect": ("05", "11"),
    "terse": ("10", "16"),
    "typos": ("17",),
    "verbose": ("10", "11", "17", "80", "81", "82", "83", "86", "87", "89"),
}
"""Variants that lie nearer to another request and were read: each says what its own base says.

The other base asks for the same with another number of days or another person, or the request is
one clause of a long digression.
"""


def nearest_base(
    variants: list[Variant], bases: dict[str, str], embedder: Embedder
) -> list[str | None]:
    """The item of each variant's nearest base where that is another request than its own.

    Some items of the benchmark are one request in two wordings; either is the own one.
    """
    names = list(bases)
    rows = embedder.embed(list(bases.values()))
    found = (embedder.embed([one.text for one in variants]) @ rows.T).argmax(axis=1)
    return [
        names[best] if _request(bases[names[best]]) != _request(bases[one.item_id]) else None
        for one, best in zip(variants, found, strict=True)
    ]


def _request(base: str) -> object:
    found = recognise(base)
    assert found is not None
    return found.family.name, found.literals


@pytest.mark.service
@pytest.mark.model
def test_nearest_base_is_the_own_one(data_dir: Path):
    box = SANDBOXES.get("workbench")("email", mode=None, data=lambda name: str(data_dir / name))
    tasks = list(box.tasks())
    embedder = EMBEDDERS.get("minilm")(folders=settings.model_folders())
    bases = {task.item: task.text for task in tasks}
    admitted = [v for v in produce(tasks, Plan(CONDITIONS)) if v.status == "admitted"]
    assert {variant.condition for variant in admitted} == set(CONDITIONS)
    near = nearest_base(admitted, bases, embedder)
    wrong = [(one, base) for one, base in zip(admitted, near, strict=True) if base is not None]
    share = 1 - len(wrong) / len(admitted)
    assert share >= LEAST, f"{share:.3f} of {len(admitted)}"
    unread = [
        f"{one.condition} {one.item_id} is nearer to {base}: {one.text}"
        for one, base in wrong
        if one.item_id[-2:] not in READ.get(one.condition, ())
    ]
    assert unread == []
