from __future__ import annotations

import random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from variants.gates.edit import levenshtein
from variants.noise.typos import typos
from variants.protect import occurrences, protected_spans, texts

TEXT = "Forward the latest email about the budget to Kay by 10:30"


def test_the_same_seed_gives_the_same_text_in_any_order():
    items = [f"item-{n}" for n in range(40)]
    straight = {item: typos(TEXT, item=item, seed=7) for item in items}
    shuffled = random.Random(3).sample(items, len(items))
    assert {item: typos(TEXT, item=item, seed=7) for item in shuffled} == straight


def test_items_and_seeds_differ():
    assert len({typos(TEXT, item=f"i{n}") for n in range(30)}) > 20
    assert len({typos(TEXT, item="i", seed=n) for n in range(30)}) > 20


def test_about_one_free_word_in_five_is_hit():
    text = " ".join(["budget"] * 50)
    hits = [
        sum(word != "budget" for word in (typos(text, item=f"i{n}") or "").split())
        for n in range(200)
    ]
    assert 9.0 < sum(hits) / len(hits) < 11.0


@given(st.text("abc é👩‍💻ñ 12'.", min_size=1), st.integers(0, 5))
@settings(max_examples=200, deadline=None)
def test_the_text_always_differs_and_no_word_vanishes(text, seed):
    damaged = typos(text, item="i", seed=seed)
    assume(damaged is not None)
    assert damaged != text
    assert len((damaged or "").split()) == len(text.split())


@given(
    st.lists(
        st.sampled_from(["on", "phone", "the", "O'Brien", "SO-3318", "Žofie", "one", "Ana"]),
        min_size=3,
    )
)
@settings(max_examples=150, deadline=None)
def test_literals_stay_as_they_are(words):
    text = "please " + " ".join(words)
    damaged = typos(text, item="i", given=("Ana", "Žofie"))
    assert damaged is not None
    for literal in texts(text, protected_spans(text, ("Ana", "Žofie"))):
        assert len(occurrences(damaged, literal, case=True)) == len(
            occurrences(text, literal, case=True)
        )


def test_a_text_of_literals_alone_gives_none():
    assert typos("SO-3318 10:30", item="i") is None


def test_without_protection_every_word_may_be_hit():
    assert any(
        "SO-3318" not in (typos("file SO-3318", item=f"i{n}", protect="none") or "")
        for n in range(60)
    )


@pytest.mark.parametrize("text", ["a", "I", "é"])
def test_a_word_of_one_letter_never_vanishes(text):
    for n in range(30):
        assert typos(text, item=f"i{n}", protect="none")


def test_a_cluster_is_one_letter():
    """A family emoji or a letter with marks is never cut in two."""
    text = "e\u0301e\u0301e\u0301"
    for n in range(40):
        damaged = typos(text, item=f"i{n}", protect="none") or ""
        assert not damaged.startswith("\u0301")
        assert levenshtein(text, damaged) in (1, 2)


def test_a_replaced_capital_stays_a_capital():
    damaged = {typos("Q", item=f"i{n}", protect="none") for n in range(60)}
    replaced = {text for text in damaged if text and len(text) == 1}
    assert replaced
    assert all(text.isupper() for text in replaced)
