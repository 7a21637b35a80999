"""Conditions that end an analysis with status 1."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzers.compare import compare
from analyzers.fail_if import FailIf
from tracer.errors import InputError, StagetraceError


@pytest.fixture
def blocks(make_rows):
    base = {f"i{n:02}": [1.0] for n in range(20)}
    worse = {item: [float(n >= 9)] for n, item in enumerate(base)}
    rows = [
        *make_rows({"base": base, "indirect": worse, "formal": base}),
        *make_rows({"base": base, "indirect": worse, "formal": base}, "recall@5"),
        *make_rows({c: {i: [None] for i in base} for c in ("base", "indirect")}, "call_f1"),
    ]
    return [("office", compare(rows, resamples=200))]


@pytest.mark.parametrize(
    ("text", "met"),
    [
        ("success@indirect < -0.05 and p < 0.05", True),
        ("success@indirect < -0.5", False),
        ("success@formal < -0.05 and p < 0.05", False),
        ("success@indirect < -0.05 and not p > 0.05", True),
        ("success@formal > 0 or success@indirect < 0", True),
        ("recall@5@indirect <= -0.45 and holm < .05", True),
        ("success@indirect.high < 0", True),
        ("-1 < success@indirect < -0.4", True),
        ("success@indirect.n < 10", False),
        ("success@formal.p < 0.05 or success@indirect.p < 0.05", True),
    ],
)
def test_a_condition_is_met_or_not(blocks, text, met):
    assert bool(FailIf(text).check(blocks)) is met


def test_the_failing_cell_is_named_with_its_numbers(blocks):
    (found,) = FailIf("success@any < -0.05 and p < 0.05").check(blocks)
    assert (found.cell, found.where) == ("success@indirect", "office")
    assert "difference -0.45" in found.words
    assert "n 20" in found.words


def test_what_cannot_be_decided_does_not_pass(blocks):
    (found,) = FailIf("call_f1@indirect < 0").check(blocks)
    assert found.cell == ""
    assert "no value in any block" in found.words


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("__import__('os').system('true')", "Call"),
        ("success@indirect < (lambda: 1)()", "Call"),
        ("success@indirect < [0][0]", "Subscript"),
        ("success@indirect == 0", "Compare"),
        ("success@indirect + 1 < 0", "BinOp"),
        ("success@indirect", "not allowed"),
        ("1 < 2", "names no cell"),
        ("p < 0.05", "before any"),
        ("success@indirect < 0 and q < 1", "'q' is neither"),
        ("success@indirect.__class__ < 0", "no field '__class__'"),
        ("success@indirect < True", "not allowed"),
        ("sucess@indirect < 0", "did you mean 'success'"),
        ("success@ < 0", "cannot be read"),
        ("(" * 400 + ")" * 400, "cannot be read"),
        ("1" * 2000, "write at most"),
    ],
)
def test_anything_else_is_refused(text, message):
    with pytest.raises(StagetraceError, match=message.replace("(", r"\(")):
        FailIf(text)


def test_a_condition_that_is_not_there_is_answered_with_the_nearest(blocks):
    with pytest.raises(InputError, match="did you mean 'indirect'"):
        FailIf("success@indirct < 0").check(blocks)


@given(st.text(alphabet="success@indirect.p<>=-0 andornot()[]{}'\"_:;,*/+%0x1", max_size=40))
def test_no_text_does_anything_but_parse_or_be_refused(text):
    with contextlib.suppress(StagetraceError):
        FailIf(text)
