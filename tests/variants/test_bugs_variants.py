"""Cases of what goes wrong for users of other tools, by the numbers of their files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tracer.records import Task, Turn
from variants.base import POLES, Helpers
from variants.features import DIALECTS, Dialect
from variants.make import make_variant
from variants.noise.typos import typos
from variants.parse import parse
from variants.protect import protected_spans
from variants.transduce import transduce


def _case(specs_dir: Path, number: str) -> dict:
    (path,) = (specs_dir / "bugs").glob(f"{number}-variants-*.json")
    return json.loads(path.read_text(encoding="utf-8"))


def test_all_cases_of_this_room_stand_here(specs_dir: Path):
    numbers = {path.name[:3] for path in (specs_dir / "bugs").glob("*-variants-*.json")}
    assert numbers == {"083", "085", "086", "088", "089", "091"}


@pytest.mark.parametrize("dialect", DIALECTS.names())
@pytest.mark.parametrize("tier", ["safe", "safe+guarded"])
def test_083_a_reflexive_at_the_end(specs_dir: Path, dialect, tier):
    case = _case(specs_dir, "083")
    for text in [case["input"]["text"], *case["right"]["also"], "myself.", "themselves?"]:
        made = transduce(parse(text), DIALECTS.get(dialect), item="x", tier=tier)
        assert isinstance(made.text, str)
        assert made.text


def test_085_every_dialect_and_combination_is_built(specs_dir: Path):
    assert _case(specs_dir, "085")["right"]["constructed"] == "all"
    for name in DIALECTS.names():
        listed = DIALECTS.get(name)
        for size in (1, 2, len(listed.features)):
            assert Dialect(name, listed.variety, listed.features[:size]).features
        for feature in listed.features:
            one = Dialect(name, listed.variety, (feature,))
            assert transduce(parse("Send it to Kay."), one, item="x").text


@pytest.mark.parametrize("released", [False, True])
def test_086_codes_are_not_torn_apart(specs_dir: Path, released):
    case = _case(specs_dir, "086")
    for seed in case["input"]["seed"]:
        text = typos(
            case["input"]["text"],
            item="x",
            seed=seed,
            probability=1.0 if released else case["input"]["rate"],
        )
        assert text is not None
        for literal in case["right"]["unchanged_substrings"]:
            assert literal in text
        assert not any(f" {mark}" in text for mark in ",.?!;")


@pytest.mark.parametrize("condition", ["typos", *(f"dialect_{n}" for n in DIALECTS.names())])
def test_088_nothing_asked_for_nothing_changed(specs_dir: Path, condition):
    text = _case(specs_dir, "088")["input"]["text"]
    if condition == "typos":
        assert typos(text, item="x", probability=0.0) == text
        assert typos(text, item="x", probability=0.0, protect="none") == text
        return
    spans = protected_spans(text)
    dialect = DIALECTS.get(condition.removeprefix("dialect_"))
    made = transduce(parse(text, spans), dialect, item="x", protected=spans, density=0.0)
    assert made.text == text


@pytest.mark.parametrize("back", ["Refund $231 and $396.50 on order 00000042, please", "", None])
def test_089_a_translation_that_changes_numbers_is_rejected(specs_dir: Path, back):
    case = _case(specs_dir, "089")
    text = case["input"]["text"]
    wrong = text.replace("231", "239") if back is None else back

    class Translator:
        name = "scripted"

        def translate(self, texts, src, tgt):
            return [wrong for _ in texts]

    task = Task("t", "s", "actions", (Turn(text),))
    variant = make_variant(task, "rtt", helpers=Helpers(translator=Translator()))
    if variant.status == "admitted":
        assert all(number in variant.text for number in case["right"]["numbers_after"])
    else:
        assert variant.reason
        assert variant.item_id == "t"
    assert (variant.status == "admitted") is bool(back)


CONDITIONS = ["base", "typos", "rtt", *POLES.names(), *(f"dialect_{n}" for n in DIALECTS.names())]


@pytest.mark.parametrize("condition", CONDITIONS)
def test_091_a_text_each_time_also_for_an_empty_one(specs_dir: Path, condition):
    for text in _case(specs_dir, "091")["input"]["texts"]:
        variant = make_variant(Task("t", "s", "actions", (Turn(text),)), condition)
        assert isinstance(variant.text, str)
        if not text:
            assert variant.text == ""
