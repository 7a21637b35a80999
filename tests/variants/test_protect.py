from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from variants.protect import lost, merge, protected_spans, texts, touches


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("forward OM-1187 to kay@corp.example", ("OM-1187", "kay@corp.example")),
        ("delete email 00000479 now", ("00000479",)),
        ("open panels-v3.pdf and plan_v2.xlsx", ("panels-v3.pdf", "plan_v2.xlsx")),
        ("pay $2,300.50 or 30 dollars", ("$2,300.50", "30 dollars")),
        ("book it for Thursday 5 March at 14:00", ("Thursday 5 March", "14:00")),
        ("how many arrived last week", ("last week",)),
        ("all of the last 3 days", ("last 3 days",)),
        ("ask Corvane City Library about it", ("Corvane City Library",)),
        ("Where did Hanne's note go?", ("Hanne",)),
        ("title it 'Update on plan' please", ("'Update on plan'",)),
        (
            "say 'hi ann, I've done 'the plan' today' to her",
            ("'hi ann, I've done 'the plan' today'",),
        ),
        ("say 'it never closes. Can you?", ("'it never closes. Can you?",)),
        ("the traders' own view, it's theirs", ()),
        ("I sent it. Please look, or may I?", ()),
        ("see https://corp.example/a?b=1.", ("https://corp.example/a?b=1",)),
    ],
)
def test_what_is_protected(text, expected):
    assert texts(text, protected_spans(text)) == expected


def test_a_given_literal_is_found_as_a_whole_word_in_any_case():
    text = "Ask nia about the insomnia note, NIA knows"
    assert texts(text, protected_spans(text, ("nia",))) == ("nia", "NIA")


def test_an_open_quote_ends_with_the_given_literal():
    text = "reply with 'Thanks for it. Can you send it?"
    assert texts(text, protected_spans(text, ("Thanks for it.",))) == ("'Thanks for it.",)


def test_an_insertion_at_a_border_touches_nothing():
    spans = ((4, 9),)
    assert not touches(4, 4, spans)
    assert not touches(9, 9, spans)
    assert touches(5, 5, spans)
    assert touches(8, 12, spans)


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)).map(lambda p: tuple(sorted(p)))))
def test_merged_spans_are_in_order_and_apart(spans):
    merged = merge(spans)
    assert all(one[1] <= two[0] for one, two in pairwise(merged))
    assert {i for a, b in merged for i in range(a, b)} == {i for a, b in spans for i in range(a, b)}


@given(st.text())
def test_spans_lie_inside_any_text(text):
    assert all(0 <= start < end <= len(text) for start, end in protected_spans(text))


def test_lost_counts_whole_words():
    assert lost("3 of 3", "3 of 33", ("3",)) == ["3"]
    assert lost("Kay", "kay", ("Kay",), case=False) == []
