"""Which traces may stand in one table."""

from __future__ import annotations

from dataclasses import replace

from analyzers.blocks import Blocks
from analyzers.report.subject import Subject


def test_runs_that_agree_are_analysed_together(make_trace):
    blocks = Blocks(["success"])
    blocks.add(Subject("office", model="rules", runs=("one",), spans_made=1), [make_trace("a")])
    blocks.add(Subject("office", model="rules", runs=("two",), spans_made=2), [make_trace("b")])
    (block,) = blocks.blocks()
    assert len(block.rows) == 2
    assert block.subject.runs == ("one", "two")
    assert block.subject.spans_made == 3


def test_other_models_and_modes_stay_apart(make_trace):
    trace = make_trace()
    official = replace(trace, outcome=replace(trace.outcome, mode="official"))
    blocks = Blocks(["success"])
    blocks.add(Subject("office", model="rules"), [trace, official])
    blocks.add(Subject("office", model="gold"), [trace])
    found = [(block.subject.model, block.subject.mode) for block in blocks.blocks()]
    assert found == [("rules", "strict"), ("rules", "official"), ("gold", "strict")]


def test_what_a_manifest_does_not_say_comes_from_the_traces(make_trace):
    blocks = Blocks(["success"])
    assert blocks.add(Subject(""), [make_trace()]) == 1
    subject = blocks.blocks()[0].subject
    assert (subject.suite, subject.assistant, subject.model) == ("office", "tools", "rules")
    assert (subject.mode, subject.data_version) == ("strict", "0.1")
