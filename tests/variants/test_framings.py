"""The checks of rewrites written by hand, applied to the framings."""

from __future__ import annotations

import importlib.util
import json
import re
from collections import Counter
from itertools import combinations
from pathlib import Path
from types import ModuleType

import pytest

from tracer.records import Task, Turn
from variants.base import POLES
from variants.conditions import is_reference
from variants.framings import (
    Framing,
    families,
    framed,
    framed_conditions,
    framings,
    item_number,
    recognise,
)
from variants.make import make_variant
from variants.protect import lost

TEN = [name for name in POLES.names() if not name.startswith(("less_", "more_"))]
SLOTS = {
    "name": "nadia",
    "days": "5",
    "subject": "Update on Risk",
    "body": "Got it, thank you!",
    "to": "olga",
    "to1": "raj",
    "to2": "sofia",
}
AFFECT = re.compile(
    r"fed up|cringe|nerves|end of my rope|drowning|relief|agony|worr|thrilled|awful|embarrass"
    r"|panick|exhausted|tear my hair|up the wall|over the moon|wits' end|scream|pounding|furious"
    r"|in knots|nightmare|relieved|mortified|stressed",
    re.IGNORECASE,
)


@pytest.fixture(scope="module")
def checks() -> ModuleType:
    path = Path(__file__).parents[1] / "sandboxes/rewrite_checks.py"
    spec = importlib.util.spec_from_file_location("framing_checks", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    __import__("sys").modules["framing_checks"] = module
    spec.loader.exec_module(module)
    return module


def _plain(text: str) -> str:
    """A framing with one word in each slot."""
    return re.sub(r"'?\{\w+\}'?", "LITERAL", text)


def _of(pole: str) -> list[Framing]:
    return [framing for framing in framings() if framing.pole == pole]


def _base(framing: Framing) -> str:
    return next(family.base for family in families() if family.name == framing.family)


@pytest.mark.parametrize("pole", TEN)
def test_each_kind_of_request_has_three_framings_in_each_pole(pole):
    counts = Counter(framing.family for framing in _of(pole))
    assert counts == {family.name: 3 for family in families()}
    assert len(families()) == 9


@pytest.mark.parametrize("pole", TEN)
def test_slots_are_those_of_the_request(pole):
    slot = re.compile(r"\{(\w+)\}")
    for framing in _of(pole):
        assert set(slot.findall(framing.text)) == set(slot.findall(_base(framing))), framing


@pytest.mark.parametrize("pole", TEN)
def test_framings_come_from_the_menu(pole):
    menu = POLES.get(pole).framings
    for framing in _of(pole):
        assert (framing.framing in menu) if menu else not framing.framing, framing


@pytest.mark.parametrize("pole", TEN)
def test_no_two_framings_share_a_frame(pole, checks):
    frames = [checks.frame(_plain(f.text), ("LITERAL",), ()) for f in _of(pole)]
    assert [frame for frame, count in Counter(frames).items() if count > 1] == []
    if not is_reference(pole):
        near = [
            (one, two) for one, two in combinations(frames, 2) if checks._overlap(one, two) >= 0.8
        ]
        assert near == []


@pytest.mark.parametrize("pole", TEN)
def test_openings_are_spread(pole, checks):
    starts = Counter(checks.opening(_plain(framing.text)) for framing in _of(pole))
    assert max(starts.values()) <= 2, starts.most_common(3)
    first = {checks.words(_plain(framing.text))[0] for framing in _of(pole)}
    assert len(first) >= 12, sorted(first)


@pytest.mark.parametrize("pole", TEN)
def test_framings_differ_from_the_plain_request(pole, checks):
    least = 1 / 10 if is_reference(pole) else 1 / 3
    for framing in _of(pole):
        assert checks.contrast(_plain(_base(framing)), _plain(framing.text)) >= least, framing


def test_markers_of_the_poles(checks):
    for framing in framings():
        text = _plain(framing.text)
        size = len(checks.words(text)) / len(checks.words(_plain(_base(framing))))
        if framing.pole == "indirect":
            verb = next(f.head_verb for f in families() if f.name == framing.family)
            assert framing.main_verb != verb, framing
        elif framing.pole == "formal":
            assert not checks.CONTRACTION.search(text), framing
            assert framing.text[-1] in ".?", framing
        elif framing.pole == "casual":
            plain = text.replace("LITERAL", "")
            assert plain == plain.lower(), framing
        elif framing.pole == "terse":
            assert size <= 0.9, framing
        elif framing.pole == "verbose":
            assert size >= 1.5, framing
        elif framing.pole == "charged":
            assert AFFECT.search(text), framing


def test_indirect_framings_rarely_end_in_a_question():
    asked = [framing for framing in _of("indirect") if framing.text.endswith("?")]
    assert len(asked) <= len(_of("indirect")) / 3


def test_no_text_stands_under_two_poles():
    counts = Counter(framing.text.lower() for framing in framings())
    assert max(counts.values()) == 1


def test_no_word_gives_a_pole_away(checks):
    """In 30 % of a pole's framings but under 5 % of the others': a tell-tale tic."""
    known = checks.CASUAL_WORDS | {"literal", "please", "i'm", "am", "my"}
    # Verbose framings tell a story in four times as many words, so these are in most of them.
    known |= {"had", "was", "then", "now", "which", "there"}
    bags = [(f.pole, set(checks.words(_plain(f.text)))) for f in framings()]
    for pole in TEN:
        own = Counter(word for name, bag in bags if name == pole for word in bag)
        other = Counter(word for name, bag in bags if name != pole for word in bag)
        told = [w for w, n in own.items() if n >= 0.3 * 27 and other[w] < 0.05 * 27 * 9]
        assert set(told) <= known, (pole, told)


def test_every_request_of_the_benchmark_is_recognised(email_tasks):
    found = Counter()
    for task in email_tasks:
        one = recognise(task.text)
        assert one is not None, task.text
        assert all(value in task.text for value in one.literals.values())
        found[one.family.name] += 1
    assert set(found.values()) == {10}


@pytest.mark.parametrize("pole", TEN)
def test_authored_slots_clear_the_gates_and_keep_their_literals(email_tasks, pole):
    made = [make_variant(task, pole) for task in email_tasks]
    admitted = [variant for variant in made if variant.status == "admitted"]
    assert len(admitted) >= 0.85 * len(made)
    assert {variant.generator for variant in made} == {"authored"}
    for variant in made:
        literals = recognise(variant.base_text).literals.values()
        assert not lost(variant.base_text, variant.text, [v for v in literals if len(v) > 1])
    openings = Counter(variant.opening for variant in made if variant.opening[:1].isalpha())
    assert len(openings) >= 15


def test_another_request_has_no_framing():
    task = Task("t", "s", "actions", (Turn("Water the plants."),))
    assert recognise(task.text) is None
    assert framed(task, "formal") == []
    assert framed_conditions([task]) == []
    assert "no wording" in make_variant(task, "formal").reason


def test_rotation_begins_where_the_item_says():
    task = Task("t-7", "s", "actions", (Turn("Forward my most recent email from a to b"),))
    texts = framed(task, "calm")
    assert len(texts) == 3
    assert texts[0].index == item_number("t-7") % 3
    assert framed_conditions([task]) == sorted(TEN)


def test_a_literal_with_braces_is_put_in_as_it_is():
    text = "Send an email to kofi saying 'see {name} {0}' and title it 'a {body}'"
    task = Task("t", "s", "actions", (Turn(text),))
    for pole in TEN:
        for one in framed(task, pole):
            assert "see {name} {0}" in one.text
            assert "a {body}" in one.text


def test_data_files_hold_the_known_fields_only():
    folder = Path(__file__).parents[2] / "variants/authored"
    for path in folder.glob("*.jsonl"):
        for line in path.read_text(encoding="utf-8").splitlines():
            assert set(json.loads(line)) == {"family", "framing", "main_verb", "text"}
