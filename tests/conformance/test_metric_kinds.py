"""What is wrong with a file of golden metrics is a failure, never a silent gap."""

from __future__ import annotations

import json

import pytest

from tests.conformance import metric_kinds

CASE = {"id": "mcnemar-1", "kind": "mcnemar", "input": {"b": 1, "c": 0}, "tol": 1e-9}


def checks(folder, *cases):
    (folder / metric_kinds.FILE).write_text(json.dumps({"cases": cases}))
    return dict(metric_kinds.due_cases(folder))


def test_a_missing_file_fails(tmp_path):
    with pytest.raises(AssertionError, match="is missing"):
        dict(metric_kinds.due_cases(tmp_path))["metrics-file"]()


def test_a_due_kind_without_cases_fails(tmp_path):
    with pytest.raises(AssertionError, match="no case of the due kind 'answer'"):
        checks(tmp_path)["answer-missing"]()


def test_an_unknown_kind_fails(tmp_path):
    with pytest.raises(AssertionError, match="'colour', which no check answers"):
        checks(tmp_path, {**CASE, "kind": "colour"})["colour-unknown"]()


def test_a_wrong_value_fails_and_a_right_one_does_not(tmp_path):
    checks(tmp_path, {**CASE, "expected": {"p_exact": 1.0}})["mcnemar-1"]()
    with pytest.raises(AssertionError, match=r"p_exact is 1\.0, expected 0\.5"):
        checks(tmp_path, {**CASE, "expected": {"p_exact": 0.5}})["mcnemar-1"]()


def test_every_kind_that_is_answered_is_due():
    assert set(metric_kinds.CHECKS) == set(metric_kinds.DUE)
