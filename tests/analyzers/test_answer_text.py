"""Answers beside gold answers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tracer.answer_text import (
    answer_match,
    answer_match_tokens,
    exact_match,
    normalise,
    token_f1,
)

TEXT = st.text(alphabet="ab ,.the\u00e9\ud800A1", max_size=12) | st.text(max_size=12)


@given(TEXT, st.lists(TEXT, max_size=3))
def test_scores_are_shares_or_undefined_without_gold(prediction, golds):
    for measure in (exact_match, token_f1, answer_match, answer_match_tokens):
        value = measure(prediction, golds)
        assert (value is None) == (not golds)
        assert value is None or 0.0 <= value <= 1.0


@given(TEXT, TEXT)
def test_an_exact_match_is_full_in_all_measures(prediction, gold):
    if exact_match(prediction, [gold]) == 1.0:
        assert token_f1(prediction, [gold]) == 1.0
        if normalise(gold):
            assert answer_match(prediction, [gold]) == 1.0
            assert answer_match_tokens(prediction, [gold]) == 1.0


@given(TEXT, TEXT)
def test_a_match_of_tokens_is_a_match(prediction, gold):
    if answer_match_tokens(prediction, [gold]) == 1.0:
        assert answer_match(prediction, [gold]) == 1.0
