"""What ranked lists are worth."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzers.ranking import (
    average_precision,
    distinct,
    hit_at,
    holds_answer,
    ndcg_at,
    precision_at,
    recall_at,
    reciprocal_rank,
)

IDS = st.sampled_from([f"d{number}" for number in range(8)])
RANKED = st.lists(IDS, max_size=12)
RELEVANCE = st.dictionaries(IDS, st.integers(0, 3), max_size=5)


def test_the_worked_example():
    ranked, gold = ["x", "y", "g", "z", "w", "v"], {"g": 1}
    assert recall_at(5, ranked, gold) == 1.0
    assert precision_at(5, ranked, gold) == 0.2
    assert reciprocal_rank(ranked, gold) == pytest.approx(1 / 3)
    assert ndcg_at(5, ranked, gold) == 0.5


def test_repeats_fill_the_slots_that_a_reader_sees():
    ranked = ["x"] * 5 + ["g"]
    assert recall_at(5, ranked, {"g": 1}) == 0.0
    assert ndcg_at(5, ranked, {"g": 1}) == 0.0
    assert reciprocal_rank(ranked, {"g": 1}) == 0.5


@pytest.mark.parametrize("relevance", [{}, {"a": 0}])
def test_without_a_relevant_document_nothing_is_defined(relevance):
    scores = [f(5, ["a"], relevance) for f in (recall_at, hit_at, precision_at, ndcg_at)]
    scores += [reciprocal_rank(["a"], relevance), average_precision(["a"], relevance)]
    assert scores == [None] * 6


def test_an_empty_list_is_a_miss_and_not_unknown():
    assert recall_at(5, [], {"a": 1}) == 0.0


def test_ids_need_not_be_texts():
    assert recall_at(1, [3, ("m", 1)], {("m", 1): 1, 3: 1}) == 0.5


@given(RANKED, RELEVANCE)
def test_recall_never_falls_with_k(ranked, relevance):
    values = [recall_at(k, ranked, relevance) for k in range(1, 13)]
    if values[0] is not None:
        assert values == sorted(values)


@given(RANKED, RELEVANCE)
def test_all_measures_stay_in_the_unit_interval(ranked, relevance):
    values = [f(5, ranked, relevance) for f in (recall_at, hit_at, precision_at, ndcg_at)]
    values += [reciprocal_rank(ranked, relevance), average_precision(ranked, relevance)]
    assert all(value is None or 0.0 <= value <= 1.0 + 1e-12 for value in values)


@settings(deadline=None)
@given(RANKED.map(distinct), RELEVANCE)
def test_lists_without_repeats_agree_with_ir_measures(ranked, relevance):
    import ir_measures

    if not any(relevance.values()) or not ranked:
        return
    measures = {
        ir_measures.R @ 5: recall_at(5, ranked, relevance),
        ir_measures.P @ 5: precision_at(5, ranked, relevance),
        ir_measures.RR: reciprocal_rank(ranked, relevance),
        ir_measures.nDCG @ 5: ndcg_at(5, ranked, relevance),
        ir_measures.AP: average_precision(ranked, relevance),
    }
    run = {"q": {doc: float(len(ranked) - place) for place, doc in enumerate(ranked)}}
    theirs = ir_measures.calc_aggregate(list(measures), {"q": dict(relevance)}, run)
    for measure, ours in measures.items():
        assert math.isclose(theirs[measure], ours, abs_tol=1e-9), measure


@pytest.mark.parametrize(
    ("passage", "answers", "found"),
    [
        ("Meet at the caf\u00e9 on Monday.", ["cafe\u0301"], True),
        ("Kay's PLAN, v2", ["kay ' s plan"], True),
        ("a rocky shore", ["rock"], False),
        ("anything", [""], False),
        ("", ["x"], False),
        ("lone \ud800 half", ["half"], True),
    ],
)
def test_answers_are_found_as_runs_of_tokens(passage, answers, found):
    assert holds_answer(passage, answers) is found
