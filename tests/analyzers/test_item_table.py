"""Which items break, under which conditions, at which stage."""

from __future__ import annotations

from analyzers.item_table import item_table
from analyzers.score import score

METRICS = ["success", "required_call_recall", "unwanted_side_effects", "no_call"]


def table(make_trace, traces, **options):
    made = [make_trace(item, condition, calls) for item, condition, calls in traces]
    return item_table(score(made, METRICS), **options)


RIGHT, LAZY, WRONG = ("read", "write"), ("read",), ("read", "write", "wrong")


def test_the_item_that_breaks_most_often_comes_first(make_trace):
    found = table(
        make_trace,
        [
            ("a", "base", RIGHT),
            ("b", "base", RIGHT),
            ("a", "formal", RIGHT),
            ("b", "formal", LAZY),
            ("b", "casual", WRONG),
        ],
    )
    first, second = found.lines
    assert (first.item, first.broken, first.kind) == ("b", 2, "style-induced")
    assert first.cells["formal"].stage == "call"
    assert first.cells["casual"].stage == "act"
    assert second.cells["casual"].status == "missing"
    assert found.overlap == ((("formal", "casual"), 1),)
    assert found.outcome == "success"


def test_an_item_that_is_wrong_in_the_base_is_told_apart(make_trace):
    found = table(make_trace, [("a", "base", LAZY), ("a", "formal", LAZY), ("a", "casual", RIGHT)])
    (line,) = found.lines
    assert (line.broken, line.mended, line.kind) == (0, 1, "mended")
    assert line.cells["formal"].stage == ""


def test_some_runs_are_neither_right_nor_broken(make_trace):
    made = [
        make_trace("a"),
        make_trace("a", "formal"),
        make_trace("a", "formal", LAZY, replicate=1),
    ]
    (line,) = item_table(score(made, METRICS)).lines
    assert (line.cells["formal"].status, line.cells["formal"].runs) == ("some", 2)


def test_a_run_that_broke_without_a_score_is_named_so(make_trace):
    made = [make_trace("a"), make_trace("b"), make_trace("b", "formal")]
    found = item_table(score(made, METRICS), failed=[("a", "formal")])
    assert found.lines[0].cells["formal"].status == "failed"


def test_without_an_outcome_nothing_is_right_or_broken(make_rows):
    found = item_table(make_rows({"base": {"a": [1.0]}, "formal": {"a": [0.0]}}, "mrr"))
    assert found.outcome == ""
    assert found.lines[0].cells["formal"].status == "missing"
