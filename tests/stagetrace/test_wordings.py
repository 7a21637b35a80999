"""Which wordings a run has: made, shipped, read from a file, not admitted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from stagetrace.wordings import make_wordings, named_conditions
from tracer.errors import InputError, UnknownNameError, VariantError
from tracer.records import Task, Turn
from variants.files import write_variants
from variants.make import make_variant

TASK = Task("t1", "s", "actions", (Turn("Please send the quarterly report to our auditors."),))
TALK = Task("c1", "s", "conversation", (Turn("Hello."), Turn("Send it.")))


def test_base_is_the_tasks_own_words_in_every_turn() -> None:
    made = make_wordings([TASK, TALK], ["base"], seed=0, authored={})
    assert made.by_item["t1"][0].texts == (TASK.text,)
    assert made.by_item["c1"][0].texts == ("Hello.", "Send it.")


def test_conditions_keep_their_order_and_axis() -> None:
    made = make_wordings([TASK], ["typos", "base"], seed=0, authored={})
    assert [(w.condition, w.axis) for w in made.by_item["t1"]] == [
        ("typos", "typos"),
        ("base", "base"),
    ]


def test_what_cannot_be_worded_is_counted_with_its_reason() -> None:
    made = make_wordings([TASK, TALK], ["base", "indirect"], seed=0, authored={})
    assert dict(made.not_admitted) == {"indirect": 2}
    assert all(v.reason for v in made.variants if v.status == "failed")
    assert [w.condition for w in made.by_item["t1"]] == ["base"]


def test_stored_wording_goes_before_a_made_one(tmp_path: Path) -> None:
    stored = replace(make_variant(TASK, "typos", seed=5), text="Plese send the report.")
    file = tmp_path / "v.jsonl"
    write_variants(file, [stored])
    made = make_wordings([TASK], ["base", "typos"], seed=0, authored={}, file=file)
    assert made.by_item["t1"][1].texts == ("Plese send the report.",)


def test_wording_of_another_text_is_refused(tmp_path: Path) -> None:
    other = replace(TASK, turns=(Turn("Please send the yearly report to our auditors."),))
    file = tmp_path / "v.jsonl"
    write_variants(file, [make_variant(other, "typos")])
    with pytest.raises(VariantError, match="from another text"):
        make_wordings([TASK], ["typos"], seed=0, authored={}, file=file)


def test_names_of_conditions() -> None:
    assert named_conditions("base, typos,base", ()) == ["base", "typos"]
    assert {"base", "typos", "indirect"} <= set(named_conditions("all", ["indirect"]))
    with pytest.raises(UnknownNameError, match="did you mean 'indirect'"):
        named_conditions("indirekt", ())
    with pytest.raises(InputError, match="no condition is named"):
        named_conditions(" ,", ())
