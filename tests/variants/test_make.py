from __future__ import annotations

import random

import pytest

from tracer.errors import UnknownNameError, VariantError
from tracer.records import Task, Turn
from variants.base import POLES
from variants.conditions import is_reference
from variants.make import available, axis_of, conditions, make_variant, needs_model

DIALECTS_IN_ORDER = [
    "dialect_indian",
    "dialect_singapore",
    "dialect_black_south_african",
    "dialect_nigerian",
]
NAMES = [
    "base",
    "explicit",
    "indirect",
    "formal",
    "casual",
    "terse",
    "verbose",
    "calm",
    "charged",
    "fluent_native",
    "non_grammatical",
    "dialect_indian",
    "dialect_singapore",
    "dialect_black_south_african",
    "dialect_nigerian",
    "less_readable",
    "less_formal",
    "more_polite",
    "typos",
    "rtt",
]


def test_all_conditions_are_known_in_the_order_of_tables():
    assert conditions() == NAMES


@pytest.mark.parametrize("condition", NAMES)
def test_every_condition_has_an_axis_and_gives_a_variant_or_a_reason(condition, task):
    variant = make_variant(task, condition)
    assert axis_of(condition)
    assert variant.condition == condition
    assert (variant.status == "failed") is bool(variant.reason)
    if variant.status == "admitted" and condition != "base":
        assert variant.text != variant.base_text
        assert variant.gates


def test_ten_poles_six_contrastive_on_five_axes_of_the_first_paper():
    first = [POLES.get(name) for name in POLES.names() if not name.startswith(("less", "more"))]
    assert len(first) == 10
    assert sum(pole.contrastive for pole in first) == 6
    assert len({pole.axis for pole in first}) == 5
    assert all(pole.framings for pole in first if pole.contrastive)
    assert [name for name in NAMES if is_reference(name)] == [
        "explicit",
        "terse",
        "calm",
        "fluent_native",
    ]


def test_an_unknown_condition_is_answered_with_the_nearest(task):
    with pytest.raises(UnknownNameError, match="did you mean 'indirect'"):
        make_variant(task, "indirekt")


def test_the_base_is_the_base(task):
    base = make_variant(task, "base")
    assert (base.text, base.status, base.generator) == (task.text, "admitted", "base")


def test_a_written_wording_is_gated_and_admitted(task):
    text = "Kay's 3 invoices have yet to reach sam@corp.example, and 10:30 is near."
    variant = make_variant(task, "indirect", authored={"text": text, "main_verb": "reach"})
    assert variant.status == "admitted"
    assert variant.generator == "authored"
    assert (variant.head_verb, variant.main_verb) == ("forward", "reach")
    assert [verdict.passed for verdict in variant.gates] == [True] * 5


@pytest.mark.parametrize(
    ("text", "gate"),
    [
        ("Kay's three invoices by 10:30, to sam@corp.example?", "numbers"),
        (" ", "empty"),
        ("please forward the 3 invoices from Kay to sam@corp.example by 10:30.", "unchanged"),
    ],
)
def test_a_bad_wording_leaves_the_slot_empty_with_the_gate(task, text, gate):
    variant = make_variant(task, "indirect", authored={"text": text})
    assert variant.status == "failed"
    assert variant.reason.startswith(f"{gate}: ")


@pytest.mark.parametrize("record", [{}, {"text": 3}, {"text": "x", "generator": "me"}])
def test_a_wording_without_text_or_with_an_unknown_generator_is_refused(task, record):
    with pytest.raises(VariantError, match="t1"):
        make_variant(task, "indirect", authored=record)


def test_a_dialect_keeps_literals_and_lists_its_features(task):
    variant = make_variant(task, "dialect_singapore")
    assert variant.status == "admitted"
    assert variant.density == 1.0
    assert {use.ewave for use in variant.features} >= {166, 233}
    assert all(literal in variant.text for literal in ("Kay", "sam@corp.example", "10:30", "3"))


def test_a_dialect_without_a_place_says_so():
    plain = Task("t", "s", "actions", (Turn("Thanks!"),))
    variant = make_variant(plain, "dialect_singapore")
    assert (variant.status, variant.reason) == ("failed", "no_feature")
    assert make_variant(plain, "dialect_singapore", density=0.0).reason == "no_feature"


def test_every_turn_of_a_conversation_is_rewritten():
    turns = (Turn("Send the memo to Kay."), Turn("Thanks!"), Turn("Delete the draft, please."))
    talk = Task("t", "s", "conversation", turns)
    variant = make_variant(talk, "dialect_singapore")
    assert variant.status == "admitted"
    assert len(variant.turns) == 3
    assert variant.turns[1] == "Thanks!"
    assert variant.text == "\n\n".join(variant.turns)
    places = [span for use in variant.features for span in use.spans]
    assert max(high for _, high in places) > len(turns[0].text)


def test_a_wording_with_other_turns_is_refused():
    talk = Task("t", "s", "conversation", (Turn("Send it."), Turn("Now.")))
    variant = make_variant(talk, "formal", authored={"text": "Kindly send it."})
    assert variant.reason == "turns: 1 in the wording, 2 in the task"


def test_what_can_be_made_without_a_model():
    assert available() == ["base", *DIALECTS_IN_ORDER, "typos"]
    assert available(["formal", "indirect"]) == [
        "base",
        "indirect",
        "formal",
        *DIALECTS_IN_ORDER,
        "typos",
    ]
    assert not needs_model("typos")
    assert needs_model("indirect")
    assert needs_model("rtt")


def test_order_of_items_changes_nothing(task):
    tasks = [Task(f"t{n}", "s", "actions", task.turns, protected=("Kay",)) for n in range(12)]
    made = {
        (t.item, c): make_variant(t, c, seed=4, density=0.5)
        for t in tasks
        for c in ("typos", "dialect_singapore")
    }
    order = random.Random(1).sample(list(made), len(made))
    by_item = {t.item: t for t in tasks}
    again = {slot: make_variant(by_item[slot[0]], slot[1], seed=4, density=0.5) for slot in order}
    assert again == made
