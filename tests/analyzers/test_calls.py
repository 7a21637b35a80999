"""Counts of calls, from verdicts and from bare lists."""

from __future__ import annotations

from dataclasses import replace

import pytest

from analyzers.base import METRICS
from analyzers.call_counts import count_calls, counts_of, same_value
from tracer.records import Call, CallVerdict, GoldCall, Outcome, Request, Trace

WRITE = GoldCall("write", writes=True)


READ = GoldCall("read")


def graded(verdicts, gold=(READ, WRITE), statuses=None):
    calls = tuple(
        Call("x", {}, kind=verdict.kind, status=status)
        for verdict, status in zip(verdicts, statuses or ["ok"] * len(verdicts), strict=True)
    )
    outcome = Outcome("strict", required_calls=tuple(gold), calls=tuple(verdicts))
    return Trace("t", Request("i", "text"), calls=calls, outcome=outcome)


def value(name, trace):
    return METRICS.get(name).score(trace)


def test_a_repeat_of_a_right_deletion_is_an_unsupported_action():
    trace = graded([CallVerdict("write", False, 0), CallVerdict("write", False)], gold=[WRITE])
    assert value("call_precision", trace) == 0.5
    assert value("required_call_recall", trace) == 1.0
    assert value("incorrect_action_rate", trace) == 0.5
    assert value("unsupported_actions", trace) == 1.0


def test_calls_outside_the_gold_scope_are_not_counted_but_are_calls():
    trace = graded([CallVerdict("read", False, counted=False)], gold=[WRITE])
    assert counts_of(trace).made == 0
    assert value("no_call", trace) == 0.0
    assert value("read_without_write", trace) == 1.0


def test_a_failed_write_is_an_action_but_not_an_unsupported_one():
    counts = counts_of(graded([CallVerdict("write", failed=True)], gold=[WRITE]))
    assert (counts.writes, counts.unsupported, counts.failed_writes) == (1, 0, 1)


def test_a_malformed_call_is_made_and_nothing_else():
    trace = graded([CallVerdict("write", False)], gold=[WRITE], statuses=["malformed"])
    counts = counts_of(trace)
    assert (counts.made, counts.writes, counts.unsupported) == (1, 0, 0)


def test_an_unfinished_write_is_an_action_but_not_an_unsupported_one():
    counts = counts_of(graded([CallVerdict("write", False)], gold=[WRITE], statuses=["unfinished"]))
    assert (counts.made, counts.writes, counts.unsupported) == (1, 1, 0)


def test_an_optional_gold_call_is_required_only_where_it_was_made():
    gold = [WRITE, GoldCall("read", optional=True)]
    assert counts_of(graded([CallVerdict("write", False, 0)], gold)).required == 1
    both = [CallVerdict("write", False, 0), CallVerdict("read", False, 1)]
    assert counts_of(graded(both, gold)).required == 2


def test_arguments_that_were_not_captured_leave_nothing_to_match():
    trace = graded([CallVerdict("write", False)])
    hidden = replace(trace, calls=(Call("x", None),))
    assert counts_of(hidden) is None
    unreadable = replace(trace, calls=(Call("x", None, raw="{bad"),))
    assert counts_of(unreadable).matched == 0


def test_nothing_required_and_nothing_made():
    trace = graded([], gold=[])
    assert value("required_call_recall", trace) is None
    assert value("call_precision", trace) == 1.0
    assert value("call_f1", trace) == 1.0
    assert value("soft_success", trace) == 1.0
    assert value("read_without_write", trace) is None
    assert value("no_call", trace) == 1.0
    assert value("no_call_required", trace) is None


def test_a_grader_that_broke_leaves_call_metrics_undefined():
    trace = graded([CallVerdict("write", False)])
    broken = replace(trace, outcome=replace(trace.outcome, grader_error="boom"))
    assert value("call_f1", broken) is None


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        (12, 12.0, True),
        (1, True, False),
        (0, False, False),
        (True, True, True),
        ("12", 12, False),
        (None, "", False),
        (None, None, True),
        ([1, {"a": 2}], [1.0, {"a": 2.0}], True),
        ([1], [1, 1], False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": 1}, {"a": 1, "b": None}, False),
        ([], {}, False),
        (10**400, float("inf"), False),
    ],
)
def test_values_are_equal_by_kind_and_value(left, right, equal):
    assert same_value(left, right) is equal
    assert same_value(right, left) is equal


def test_bare_lists_are_matched_one_to_one():
    delete = ("delete", {"id": 1})
    counts = count_calls([delete, delete], [("delete", {"id": 1.0}, True)], frozenset({"delete"}))
    assert (counts.matched, counts.required, counts.recall()) == (1, 2, 0.5)
