from __future__ import annotations

import json
from types import ModuleType

import pytest

from tracer.errors import VariantError
from variants.base import Gated, Helpers
from variants.gating import rejection, run_gates
from variants.raters import ModelRater, RecordedRater, parse_rating, read_verdicts

GATED = Gated("Ask Kay", "one might ask Kay", "formal", "llm")


@pytest.mark.parametrize(
    ("answer", "yes", "error"),
    [
        ("yes", True, ""),
        ("  YES.", True, ""),
        ("**No**, because", False, ""),
        ("", False, "rater_error: ''"),
        ("Both texts", False, "rater_error: 'Both texts'"),
        ("yesterday", False, "rater_error: 'yesterday'"),
    ],
)
def test_the_first_word_counts_and_all_else_is_a_no(answer, yes, error):
    rating = parse_rating(answer)
    assert (rating.yes, rating.error) == (yes, error)


def test_a_model_is_asked_the_question_of_the_gate(scripted: ModuleType):
    model = scripted.ScriptedModel(lambda asked: "yes")
    rater = ModelRater(model)
    for gate in ("intent", "style", "human_likeness"):
        assert rater.rate(gate, GATED).yes
    assert "First text: Ask Kay" in model.asked[0]
    assert "business correspondence" in model.asked[1]
    assert "one might ask Kay" in model.asked[2]
    assert "Ask Kay" not in model.asked[2]


def _row(**more: str) -> str:
    row = {"gate": "intent", "condition": "formal", "base_text": "Ask Kay", "verdict": "yes"}
    return json.dumps(row | {"text": "one might ask Kay", "rater": "human"} | more) + "\n"


def test_recorded_verdicts_are_found_by_their_texts(tmp_path):
    path = tmp_path / "v.jsonl"
    path.write_text(_row() + _row(gate="style", verdict="no") + _row(gate="human_likeness"))
    rater = RecordedRater(path)
    assert rater.name == "human"
    verdicts = run_gates(
        Gated(*("Ask Kay", "one might ask Kay", "formal", "llm"), helpers=Helpers(rater=rater))
    )
    assert rejection(verdicts) == "style: the rater says no"
    other = Gated("Ask Kay", "ask her", "formal", "llm")
    assert rater.rate("intent", other).error == "no recorded verdict"


def test_a_skipped_verdict_is_none(tmp_path):
    path = tmp_path / "v.jsonl"
    path.write_text(_row(verdict="skip"))
    assert RecordedRater(path).rate("intent", GATED).error == "no recorded verdict"


@pytest.mark.parametrize(
    ("line", "said"),
    [("{", "not a JSON object"), ("[]", "no verdict"), (_row(verdict="maybe"), "verdicts yes")],
)
def test_a_bad_line_is_named(tmp_path, line, said):
    path = tmp_path / "v.jsonl"
    path.write_text(_row() + line)
    with pytest.raises(VariantError, match=r"v\.jsonl:2: ") as caught:
        read_verdicts(path)
    assert said in str(caught.value)
