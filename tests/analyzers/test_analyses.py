"""Every analysis of the papers, over traces made by hand."""

from __future__ import annotations

import inspect
from dataclasses import replace

import pytest

from analyzers.about import dialect_words
from analyzers.analysis import ANALYSES, Evidence, Study, pool, run_analyses
from analyzers.blocks import Blocks
from analyzers.compare import compare
from analyzers.error_codes import candidates, fault_of
from analyzers.error_labels import (
    Code,
    ModelLabeller,
    read_codes,
    review,
    write_codes,
)
from analyzers.facts import Slot
from analyzers.padding import by_quartile
from analyzers.report.panels import panel_document, panel_grid, panels_csv
from analyzers.report.subject import Subject
from analyzers.report.terminal import render_grid
from analyzers.verbs import retention_of
from tracer.errors import InputError
from tracer.records import (
    Message,
    ModelSource,
    Outcome,
    Passage,
    Reply,
    Request,
    Retrieval,
    Trace,
)

GOLD = "gold"


def reading(
    item, condition="base", *, found=True, right=True, words=5, axis="base", rerank=None, bin_="a"
):
    """A reading run; `found` puts the gold document first, `right` answers with the gold."""
    ids = [GOLD, "x"] if found else ["x", "y"]
    texts = {GOLD: "The lamps cost 40 euros.", "x": "The desks cost 90 euros.", "y": "Nothing."}
    passages = tuple(Passage(i, 1.0, texts[i]) for i in ids)
    retrievals = [Retrieval("q", passages, sequence=0)]
    if rerank is not None:
        after = tuple(Passage(i, 1.0, texts[i]) for i in rerank)
        retrievals.append(Retrieval("q", after, stage="rerank", sequence=1))
    answer = "The lamps cost 40 euros." if right else "The desks cost 90 euros."
    return Trace(
        f"{item}-{condition}",
        Request(
            item,
            " ".join(["w"] * words),
            suite="office",
            condition=condition,
            axis=axis,
            base_text="w w w w w",
        ),
        answer=answer,
        retrievals=tuple(retrievals),
        outcome=Outcome(
            "strict", relevant=((GOLD,),), gold_answers=("40 euros",), answer_correct=right
        ),
        assistant="rag",
        assistant_kind="rag",
        groups={"bin": bin_},
    )


def study(traces, slots=None, **about):
    blocks = Blocks()
    subject = Subject("office", assistant="rag", model="m", retriever="bm25")
    blocks.add(replace(subject, **about), traces, slots)
    (block,) = blocks.blocks()
    return Study(block, compare(block.rows, resamples=200))


def lines(name, *studies):
    return [line for panel in ANALYSES.get(name)(Evidence(tuple(studies))) for line in panel.lines]


@pytest.fixture
def sixteen():
    """Sixteen items: under `verbose` the first four lose the document, the next two are misread."""
    traces = []
    for number in range(16):
        item, bin_ = f"i{number:02}", "hard" if number < 8 else "easy"
        traces.append(reading(item, bin_=bin_))
        traces.append(
            reading(
                item,
                "verbose",
                found=number >= 4,
                right=number >= 6,
                words=30 - number,
                axis="verbosity",
                bin_=bin_,
            )
        )
        for dialect in ("indian", "singapore"):
            traces.append(
                reading(item, f"dialect_{dialect}", right=number > 1, axis="dialect", bin_=bin_)
            )
    slots = {
        (f"i{number:02}", f"dialect_{dialect}"): Slot(
            "send", "send", features=number % 4, density=1.0, generator="transducer"
        )
        for number in range(16)
        for dialect in ("indian", "singapore")
    }
    return study(traces, slots)


@pytest.mark.parametrize("name", ANALYSES.names())
def test_nothing_to_look_at_gives_no_lines(name):
    assert not [line for panel in ANALYSES.get(name)(Evidence(())) for line in panel.lines]


@pytest.mark.parametrize("name", ANALYSES.names())
def test_one_condition_alone_never_breaks_an_analysis(name):
    lines(name, study([reading("a"), reading("b")]))


@pytest.mark.parametrize("name", ANALYSES.names())
def test_every_analysis_has_its_source(name):
    assert "Source:" in inspect.cleandoc(ANALYSES.get(name).__doc__ or "")


@pytest.mark.parametrize("name", ANALYSES.names())
def test_every_panel_can_be_written_in_every_form(name, sixteen):
    other = study([reading("i00"), reading("i00", "verbose", right=False)], retriever="hyde")
    panels = run_analyses([name], Evidence((sixteen, other)))
    for panel in panels:
        keys = {field.key for field in panel.fields}
        assert all(keys - set(line) <= {f.key for f in panel.fields} for line in panel.lines)
        text = "\n".join(line.plain for line in render_grid(panel_grid(panel), width=80))
        assert panel.title in text
    assert len(panel_document(panels)) == len(panels)
    assert panels_csv(panels).startswith("analysis,title")


def test_a_lost_document_and_a_misread_one_are_told_apart(sixteen):
    (line,) = [
        one
        for one in lines("localisation", sixteen)
        if one["condition"] == "verbose" and "retrieval" in one
    ]
    assert (line["base_retrieval"], line["retrieval"]) == (0.0, 0.25)
    assert (line["base_generation"], line["generation"]) == (0.0, 0.125)
    assert line["recall_difference"] == pytest.approx(-0.25)
    assert line["accuracy_difference"] == pytest.approx(-0.375)


def test_what_is_lost_where_both_sides_had_the_gold_is_downstream(sixteen):
    (line,) = [
        one
        for one in lines("localisation", sixteen)
        if one["condition"] == "verbose" and "difference" in one and "base" in one
    ]
    assert (line["n"], line["b"], line["c"]) == (12, 2, 0)
    assert line["difference"] == pytest.approx(-2 / 12)


def test_pooling_averages_the_dialects_of_an_item_first(sixteen):
    (line,) = [one for one in lines("pooled", sixteen) if one["metric"] == "answer_accuracy"]
    assert line["difference"] == pytest.approx(-2 / 16)
    assert line["test"] == "bootstrap"


def test_an_item_that_lacks_a_dialect_is_left_out_of_the_pool(make_rows):
    rows = make_rows(
        {"base": {"a": [1.0], "b": [1.0]}, "x": {"a": [0.0], "b": [0.0]}, "y": {"a": [1.0]}}
    )
    pooled = [row for row in pool(rows, {"x": "g", "y": "g"}, "base") if row.condition == "g"]
    assert [(row.item, row.value) for row in pooled] == [("a", 0.5)]


def test_the_most_padded_quartile_is_the_fourth(sixteen):
    found = {
        effect.group: (effect.difference, low, high)
        for effect, low, high in by_quartile(sixteen, "recall@5")
        if effect.condition == "verbose"
    }
    assert found["4"] == (-1.0, pytest.approx(27 / 5), pytest.approx(6.0))
    assert found["1"][0] == 0.0


def test_broken_slots_are_counted_by_bin_and_kind_of_wording(sixteen):
    found = {(one["bin"], one["kind"]): one for one in lines("complexity", sixteen)}
    assert found["hard", "contrastive"]["broken_rate"] == pytest.approx(6 / 8)
    assert found["easy", "contrastive"]["broken"] == 0
    assert found["hard", "dialect"]["right"] == 16


def test_the_fragility_profile_counts_items_by_how_often_they_break(sixteen):
    found = lines("fragility", sixteen)
    (verbose,) = [one for one in found if one.get("condition") == "verbose"]
    assert (verbose["broken"], verbose["right"], verbose["mended"]) == (6, 16, 0)
    often = {one["conditions"]: one["items"] for one in found if "conditions" in one}
    assert often == {0: 10, 1: 4, 3: 2}


def test_codes_are_counted_in_their_slices(sixteen):
    found = {one["code"]: one for one in lines("errors", sixteen)}
    assert found["E3"]["style-induced"] == 2 + 4
    assert found["R3"]["style-induced"] == 4


def test_given_codes_go_before_signs(sixteen):
    sixteen.block.notes.codes["i04", "verbose", 0] = "E6"
    sixteen.block.notes.coder = "human"
    found = {one["code"]: one for one in lines("errors", sixteen)}
    assert (found["E6"]["style-induced"], found["E3"]["style-induced"]) == (1, 5)


def test_features_a_request_stand_beside_each_dialect(sixteen):
    found = lines("dialects", sixteen)
    assert [line["features"] for line in found] == [1.5, 1.5]
    assert found[0]["words"] == "rule-based features of Indian English, density 1, not speakers"
    assert dialect_words(sixteen, "dialect_black_south_african").startswith(
        "rule-based features of Black South African English"
    )


def test_a_lower_density_is_a_condition_of_its_own():
    full = {("a", "dialect_indian"): Slot(features=4, density=1.0)}
    half = {("a", "dialect_indian"): Slot(features=2, density=0.5)}
    blocks = Blocks()
    subject = Subject("office", assistant="rag", model="m")
    pair = [reading("a"), reading("a", "dialect_indian", right=False, axis="dialect")]
    blocks.add(subject, pair, full)
    blocks.add(subject, [reading("a", "dialect_indian", axis="dialect")], half)
    (block,) = blocks.blocks()
    found = lines("dose", Study(block, compare(block.rows, resamples=50)))
    doses = [(one["density"], one["features"], one["difference"]) for one in found]
    assert (0.5, 2.0, 0.0) in doses
    assert (1.0, 4.0, -1.0) in doses


def test_systems_and_models_stand_side_by_side(sixteen):
    other = study([reading("i00"), reading("i00", "verbose", right=False)], model="n")
    counts = [one for one in lines("models", sixteen, other) if one["condition"] == "verbose"]
    assert {"condition": "verbose", "negative": 2, "clear": 0, "cells": 2} in [
        {**one, "clear": 0} for one in counts
    ]


def test_reading_and_the_model_alone_are_compared_by_relative_drop(sixteen):
    alone = study(
        [replace(t, assistant="llm") for t in (reading("a"), reading("a", "verbose"))],
        assistant="llm",
        retriever="",
    )
    (line,) = [
        one
        for one in lines("llm_only", sixteen, alone)
        if (one["metric"], one["condition"]) == ("answer_accuracy", "verbose")
    ]
    assert (line["rag_drop"], line["llm_drop"]) == (pytest.approx(37.5), 0.0)


def test_retrievers_are_compared_and_the_re_ranker_before_and_after(sixteen):
    ranked = study(
        [reading(f"i{n}", found=False, rerank=[GOLD]) for n in range(3)]
        + [reading(f"i{n}", "verbose", rerank=["x"]) for n in range(3)],
        retriever="bm25+rerank",
    )
    found = lines("retrievers", sixteen, ranked)
    assert {one["retriever"] for one in found if "retriever" in one} == {"bm25", "bm25+rerank"}
    before = {one["condition"]: (one["before"], one["after"]) for one in found if "before" in one}
    assert before == {"base": (0.0, 1.0), "verbose": (1.0, 0.0)}


def test_the_curves_keep_the_sign_of_the_drop(sixteen):
    found = {
        (one["condition"], one["k"]): one["drop"]
        for one in lines("curves", sixteen)
        if one["base"] == 1.0
    }
    assert found["verbose", 5] == pytest.approx(25.0)
    assert found["verbose", 100] == pytest.approx(25.0)


def test_pooled_axes_keep_the_order_of_the_conditions(sixteen):
    found = [e for e in sixteen.by_axis(["answer_accuracy"])]
    assert [(e.condition, e.group) for e in found] == [
        ("verbosity", "verbose"),
        ("dialect", "dialect_indian, dialect_singapore"),
    ]


def test_a_verb_is_kept_moved_or_lost():
    slots = [
        Slot("send", "send"),
        Slot("send", "wonder", occurs=True),
        Slot("send", "need", occurs=False),
        Slot("send", ""),
        Slot("", ""),
    ]
    found = retention_of(slots)
    assert (found.retained, found.subordinate, found.lost) == pytest.approx((1 / 3,) * 3)
    assert (found.n, found.unknown, found.no_verb) == (3, 1, 1)


def test_a_verb_that_nobody_looked_for_is_neither_moved_nor_lost():
    found = retention_of([Slot("send", "need"), Slot("send", "send")])
    assert (found.retained, found.subordinate, found.lost) == (0.5, None, None)


def test_a_fault_needs_a_wrong_answer_and_a_known_list():
    trace = reading("a")
    assert fault_of(trace, right=1.0, recall=0.0) == ""
    assert fault_of(trace, right=0.0, recall=None) == "unknown"
    assert fault_of(trace, right=0.0, recall=0.5) == "partial"


@pytest.mark.parametrize(
    ("answer", "golds", "first"),
    [
        ("The mails do not say it.", ("40 euros",), "E7"),
        ("The desks cost 90 euros.", ("40 euros",), "E3"),
        ("Kay and Lee.", ("Kay, Lee and Max",), "E5"),
        ("in the garden", ("40 euros",), "E4"),
        ("Perhaps aliens 7.", ("40 euros",), "E8"),
        ("lamps 41", ("40 euros",), None),
    ],
)
def test_signs_point_to_codes_by_precedence(answer, golds, first):
    trace = reading("a")
    outcome = replace(trace.outcome, gold_answers=golds)
    found = candidates(replace(trace, answer=answer, outcome=outcome), "generation")
    assert (found[0] if found else None) == first


@pytest.mark.parametrize(
    ("answer", "code"),
    [("No information on that.", "R1"), ("It might be 40.", "R2"), ("It is 90.", "R3")],
)
def test_a_reader_without_the_gold_abstains_hedges_or_asserts(answer, code):
    trace = replace(reading("a", found=False), answer=answer)
    assert candidates(trace, "retrieval") == (code,)


class Says:
    name = "says"
    source = ModelSource("test", "built in")

    def __init__(self, text):
        self.text = text

    def chat(self, messages, tools=()):
        return Reply(Message("assistant", self.text))


def test_a_labeller_takes_the_first_code_it_knows():
    trace = reading("a", right=False)
    assert ModelLabeller(Says("I say E4, not E1.")).label(trace, "generation") == "E4"
    assert ModelLabeller(Says("R1")).label(trace, "generation") == ""


KEY = ("a", "verbose", 0)


def reviewed(codes, *replies):
    said, left = [], list(replies)
    slots = [(KEY, reading("a", "verbose", right=False), "generation")]
    found = review(slots, codes, say=said.append, ask=lambda prompt: left.pop(0) if left else None)
    return found, said


def test_a_person_settles_the_code_and_a_blank_line_takes_the_offer():
    assert reviewed({}, "e1")[0][KEY].code == "E1"
    assert reviewed({}, "")[0][KEY] == Code("E3", "human", "E3")


def test_a_wrong_code_is_asked_for_again_and_q_keeps_what_is_there():
    found, said = reviewed({}, "E9", "E2")
    assert found[KEY].code == "E2"
    assert any("no code 'E9'" in line for line in said)
    assert reviewed({}, "q")[0] == {}
    assert reviewed({}, "s")[0] == {}


def test_what_a_person_settled_is_not_asked_again():
    settled = {KEY: Code("E1", "human")}
    assert reviewed(settled, "E2")[0] == settled


def test_codes_outlive_a_file(tmp_path):
    path = tmp_path / "codes.jsonl"
    codes = {KEY: Code("E1", "human", "E3"), ("b", "base", 1): Code("R2", "m")}
    write_codes(path, codes)
    assert read_codes(path) == codes
    path.write_text('{"item": "a", "condition": "b", "run": 1, "code": "E0", "by": "x"}\n')
    with pytest.raises(InputError, match=r"codes\.jsonl:1"):
        read_codes(path)
