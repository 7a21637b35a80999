"""Calls against the turns they are due in, kinds of error, and recall over all searches."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzers.base import METRICS
from analyzers.call_matching import match_calls
from tracer.records import Call, CallVerdict, GoldCall, Outcome, Passage, Request, Retrieval, Trace


def value(name, trace):
    return METRICS.get(name).score(trace)


def conversation(*timings, flags=None, turns=True):
    calls = tuple(
        CallVerdict("read", False, place, timing=timing) for place, timing in enumerate(timings)
    )
    gold = tuple(
        GoldCall("f", turn=place if turns else None) for place in range(max(2, len(timings)))
    )
    return Trace(
        "t",
        Request("i", "x"),
        calls=tuple(Call("f", {}) for _ in timings),
        outcome=Outcome("strict", required_calls=gold, calls=calls, flags=flags or {}),
    )


def test_a_late_call_counts_for_recall_and_not_for_recall_in_turn():
    trace = conversation("in_turn", "late")
    assert value("required_call_recall", trace) == 1.0
    assert value("in_turn_call_recall", trace) == 0.5
    assert (value("late_calls", trace), value("early_calls", trace)) == (1.0, 0.0)


@pytest.mark.parametrize("name", ["early_calls", "late_calls", "in_turn_call_recall"])
def test_without_turns_in_the_gold_there_is_no_timing(name):
    assert value(name, conversation("in_turn", turns=False)) is None


@pytest.mark.parametrize("name", ["over_trigger", "bad_planning", "bad_call"])
def test_kinds_of_error_are_the_graders_flags(name):
    assert value(name, conversation(flags={name: True})) == 1.0
    assert value(name, conversation(flags={name: False})) == 0.0
    assert value(name, conversation()) is None


def searching(*lists, rerank=()):
    retrievals = [Retrieval("q", tuple(map(Passage, ids))) for ids in lists]
    retrievals += [Retrieval("q", tuple(map(Passage, ids)), stage="rerank") for ids in rerank]
    outcome = Outcome("strict", relevant=(("g",), ("h",)))
    return Trace("t", Request("i", "x"), retrievals=tuple(retrievals), outcome=outcome)


def test_recall_over_all_searches_sees_what_the_last_list_lacks():
    trace = searching("ga", "hb")
    assert value("recall@5", trace) == 0.5
    assert value("recall_any@5", trace) == 1.0


def test_repeats_take_no_place_in_the_union():
    assert value("recall_any@5", searching("aaaaa", "bcdgh")) == 0.5
    assert value("recall_any@5", searching("abcde", "gh")) == 0.0
    assert value("recall_any@20", searching("abcde", "gh")) == 1.0


def test_an_assistant_that_need_not_search_and_did_not_has_no_recall():
    assert value("recall_any@5", searching()) is None


PAIRS = st.sets(st.tuples(st.integers(0, 4), st.integers(0, 4)))


@given(st.integers(0, 5), st.integers(0, 5), PAIRS)
def test_the_most_pairs_are_never_fewer_than_the_first_that_fit(made, wanted, fitting):
    def fits(call, gold):
        return (call, gold) in fitting

    first, most = match_calls(made, wanted, fits), match_calls(made, wanted, fits, "max")
    assert len(first) <= len(most)
    for pairs in (first, most):
        assert len(set(pairs.values())) == len(pairs)
        assert all(fits(call, gold) for call, gold in pairs.items())


@given(st.lists(st.sampled_from("ab"), max_size=5), st.lists(st.sampled_from("ab"), max_size=5))
def test_with_exact_equality_both_ways_pair_as_many(made, wanted):
    def fits(call, gold):
        return made[call] == wanted[gold]

    first = match_calls(len(made), len(wanted), fits)
    assert len(first) == len(match_calls(len(made), len(wanted), fits, "max"))


def test_a_difference_between_the_two_is_logged(caplog):
    with caplog.at_level("INFO", "analyzers.call_matching"):
        match_calls(2, 2, lambda call, gold: (call, gold) != (1, 1), "max")
    assert "2 calls paired, 1 if each takes the first that fits" in caplog.text
