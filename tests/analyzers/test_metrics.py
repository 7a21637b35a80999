"""What holds for every metric, and the readings that were ruled on."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from analyzers.base import METRICS
from tracer.records import (
    Call,
    CallVerdict,
    GoldCall,
    ModelCall,
    Outcome,
    Passage,
    Request,
    Retrieval,
    Trace,
)

EMPTY = Trace("t", Request("i", ""))
HOSTILE = Trace(
    "t",
    Request("\ud800", "\x1b[31m", suite="", cluster="\u202e"),
    answer="\ud800 the a an",
    retrievals=(
        Retrieval(None, None),
        Retrieval("q", (Passage("\ud800", text="\ud800"), Passage("", text=None))),
    ),
    calls=(Call("", None, status="malformed"), Call("x", {}, status="unfinished")),
    model_calls=(ModelCall("", input_tokens=None),),
    outcome=Outcome(
        "",
        relevant=((), ("\ud800",)),
        gold_answers=("", "the", "\ud800"),
        required_calls=(GoldCall(""),),
        calls=(CallVerdict("unknown", True), CallVerdict("write", False, 7)),
    ),
    assistant_kind="rag",
)


def score(name, trace):
    return METRICS.get(name).score(trace)


@pytest.mark.parametrize("name", METRICS.names())
@pytest.mark.parametrize("trace", [EMPTY, HOSTILE], ids=["empty", "hostile"])
def test_every_trace_gives_a_finite_number_or_none(name, trace):
    metric = METRICS.get(name)
    value = metric.score(trace)
    assert value is None or (isinstance(value, float) and math.isfinite(value))
    if value is not None and metric.unit == "share":
        assert 0.0 <= value <= 1.0


@pytest.mark.parametrize("name", METRICS.names())
def test_every_metric_names_its_source(name):
    assert "Source:" in (METRICS.get(name).score.__doc__ or "")


@pytest.mark.parametrize("name", METRICS.names())
def test_parts_agree_with_the_value(name, make_trace):
    metric = METRICS.get(name)
    if metric.parts is None:
        return
    trace = make_trace(made=["read", "wrong", "write"])
    top, bottom = metric.parts(trace)
    assert metric.score(trace) == pytest.approx(top / bottom)


@pytest.mark.parametrize("name", METRICS.names())
def test_ungraded_traces_have_no_values_that_need_gold(name):
    trace = replace(HOSTILE, outcome=None, assistant_kind="")
    if METRICS.get(name).stage in ("answer", "outcome"):
        assert score(name, trace) is None


def retrieved(*lists, kind="rag", groups=(("g", "copy"),)):
    outcome = Outcome("strict", relevant=groups, relevant_strict=(("g",),))
    return replace(EMPTY, retrievals=lists, outcome=outcome, assistant_kind=kind)


def ranked(*ids, **more):
    return Retrieval("q", tuple(Passage(doc_id) for doc_id in ids), **more)


def test_the_last_rerank_is_what_the_reader_saw():
    trace = retrieved(ranked("g"), ranked("x", stage="rerank"), ranked("g"))
    assert score("recall@1", trace) == 0.0


def test_without_rerank_the_last_retrieval_that_is_not_internal_counts():
    trace = retrieved(ranked("x"), ranked("g"), ranked("x", internal=True))
    assert score("recall@1", trace) == 1.0


def test_a_rag_assistant_without_retrieval_missed():
    assert score("recall@5", retrieved()) == 0.0
    assert score("no_retrieval", retrieved()) == 1.0


def test_other_assistants_without_retrieval_are_not_measured():
    assert score("recall@5", retrieved(kind="tools")) is None
    assert score("no_retrieval", retrieved(kind="tools")) is None


def test_a_copy_counts_in_the_headline_only():
    trace = retrieved(ranked("copy", "x"))
    assert score("recall@5", trace) == 1.0
    assert score("recall_strict@5", trace) == 0.0


def test_copies_in_one_list_are_one_document():
    assert score("recall@5", retrieved(ranked("g", "copy"))) == 1.0
    assert score("precision@5", retrieved(ranked("g", "copy"))) == 0.2


def test_documents_that_were_not_captured_are_unknown():
    assert score("recall@5", retrieved(Retrieval("q", None))) is None


def test_no_relevant_document_is_undefined_and_no_miss():
    assert score("recall@5", retrieved(ranked("x"), groups=())) is None


def answered(answer, golds=("Kay",), **more):
    return replace(
        EMPTY, answer=answer, outcome=Outcome("strict", gold_answers=golds, **more), status="ok"
    )


def test_the_suites_own_verdict_goes_before_am():
    assert score("answer_accuracy", answered("Kay", answer_correct=False)) == 0.0
    assert score("am", answered("Kay", answer_correct=False)) == 1.0
    assert score("answer_accuracy", answered("It was Kay.")) == 1.0


def test_an_agent_that_raised_answered_wrongly():
    assert score("em", answered(None, errored=True)) == 0.0


def test_an_answer_that_was_not_captured_is_unknown():
    assert score("em", answered(None)) is None


def test_hit_by_answer_reads_the_texts_that_were_shown():
    trace = replace(answered("x"), retrievals=(Retrieval("q", (Passage("d", text="ask Kay"),)),))
    assert score("hit_by_answer@5", trace) == 1.0


def test_hit_by_answer_is_unknown_when_a_text_is_missing():
    trace = replace(
        answered("x"), retrievals=(Retrieval("q", (Passage("d", text="nobody"), Passage("e"))),)
    )
    assert score("hit_by_answer@5", trace) is None


def test_tokens_are_unknown_when_one_call_lacks_them():
    calls = (ModelCall("m", input_tokens=3), ModelCall("m"))
    assert score("input_tokens", replace(EMPTY, model_calls=calls)) is None
    assert score("input_tokens", replace(EMPTY, model_calls=calls[:1])) == 3.0


def test_latency_is_in_milliseconds():
    assert score("latency_ms", replace(EMPTY, started_ns=0, ended_ns=1_500_000)) == 1.5


def test_no_call_needs_no_gold_but_an_assistant_with_tools():
    assert score("no_call", replace(EMPTY, assistant_kind="tools")) == 1.0
    assert score("no_call", replace(EMPTY, assistant_kind="rag")) is None


def test_end_states_stand_in_where_a_suite_gives_no_verdict():
    outcome = Outcome("strict", state_before="a", state_after="a", state_expected="b")
    assert score("failed_to_act", replace(EMPTY, outcome=outcome)) == 1.0
    assert score("unwanted_side_effects", replace(EMPTY, outcome=outcome)) == 0.0


def test_a_document_of_two_groups_serves_both():
    """One mail that holds two of the values asked for is found for each of them."""
    groups = (("both", "copy"), ("both",))
    assert score("recall@5", retrieved(ranked("both"), groups=groups)) == 1.0
    assert score("recall@5", retrieved(ranked("copy"), groups=groups)) == 0.5
