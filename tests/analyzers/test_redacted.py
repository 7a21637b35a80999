"""A metric that meets a redaction mark says so, and is never silently wrong."""

from __future__ import annotations

from dataclasses import replace

import pytest

from analyzers.base import METRICS
from analyzers.redacted import REDACTED
from analyzers.score import score
from tracer.fold import fold
from tracer.record import Recorder
from tracer.records import (
    Call,
    CallVerdict,
    GoldCall,
    Outcome,
    Passage,
    Request,
    Retrieval,
    Tool,
    Trace,
)
from tracer.redact import Redactor
from tracer.testing import MemorySink
from tracer.wrap import wrap_tool

MARK = "[redacted:password:0a1b2c3d]"
CALLS = ("required_call_recall", "call_precision", "call_f1", "missed_calls", "success")
ANSWERS = ("em", "am", "am_token", "answer_f1", "answer_accuracy")


def called(arguments, matched=None, name="login", wanted=None):
    """A run of one call beside one gold call."""
    gold = GoldCall("login", wanted or {"password": "hunter2-test"}, writes=True)
    verdict = CallVerdict("write", failed=False, matched=matched)
    success = matched is not None
    outcome = Outcome("strict", required_calls=(gold,), calls=(verdict,), success=success)
    return Trace("t", Request("i", "q"), calls=(Call(name, arguments),), outcome=outcome)


def answered(answer, golds=("hunter2-test",), correct=None):
    outcome = Outcome("strict", gold_answers=golds, answer_correct=correct)
    return Trace("t", Request("i", "q"), answer=answer, outcome=outcome)


@pytest.mark.parametrize("name", CALLS)
def test_a_call_that_may_be_the_wanted_one_is_unknown_with_the_reason(name):
    for mark in (MARK, "[REDACTED]", "__REDACTED__", "[redaction failed]"):
        (row,) = score([called({"password": mark})], [name])
        assert (row.value, row.reason) == (None, REDACTED)


@pytest.mark.parametrize("name", CALLS)
def test_what_redaction_cannot_change_is_counted(name):
    known = METRICS.get(name).score(called({"password": "else"}))
    assert known in (0.0, 1.0)
    # Another tool than any that is wanted, and a call that was matched before it was redacted.
    assert METRICS.get(name).score(called({"password": MARK}, name="other")) == known
    matched = METRICS.get(name).score(called({"password": MARK}, matched=0))
    assert matched == (0.0 if name == "missed_calls" else 1.0)
    # A gold call that has the mark itself was compared as it stands.
    assert (
        METRICS.get(name).score(called({"password": MARK}, wanted={"password": "[redacted:x]"}))
        == known
    )


@pytest.mark.parametrize("name", ANSWERS)
def test_a_redacted_answer_is_unknown_with_the_reason(name):
    trace = answered(f"It is {MARK}.", correct=False if name == "answer_accuracy" else None)
    (row,) = score([trace], [name])
    assert (row.value, row.reason) == (None, REDACTED)
    assert METRICS.get(name).score(answered("It is Friday.")) == 0.0


def test_an_answer_with_the_gold_beside_a_mark_is_right_but_its_tokens_are_unknown():
    trace = answered(f"Friday, by {MARK}", golds=("Friday",))
    assert METRICS.get("am").score(trace) == 1.0
    assert METRICS.get("answer_f1").score(trace) is None


def test_a_document_that_is_redacted_may_have_held_the_answer():
    passage = Passage("d1", 1.0, f"The password is {MARK}.")
    trace = replace(answered("x"), retrievals=(Retrieval("q", (passage,)),))
    (row,) = score([trace], ["hit_by_answer@5"])
    assert (row.value, row.reason) == (None, REDACTED)
    held = replace(passage, text=f"hunter2-test and {MARK}")
    trace = replace(trace, retrievals=(Retrieval("q", (held,)),))
    assert METRICS.get("hit_by_answer@5").score(trace) == 1.0


def test_what_the_tracer_writes_is_what_is_recognised():
    """From the agent's call to the metric, with the rules as they are by default."""
    sink = MemorySink()
    with Recorder(sink, redactor=Redactor(mask=["email"])) as recorder:
        login = Tool("login", "", {}, True, lambda **arguments: "ok")
        with recorder.span("agent", "a"):
            wrap_tool(login, recorder).run(password="hunter2-test", to="ann@example.com")
    graded = called({}).outcome
    trace = replace(fold(sink.spans()), outcome=graded)
    assert "hunter2" not in str(trace.calls[0].arguments)
    (row,) = score([trace], ["required_call_recall"])
    assert (row.value, row.reason) == (None, REDACTED)
