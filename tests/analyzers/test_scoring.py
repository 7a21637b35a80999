"""Ways to compare answers, prices, and the judge."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzers.base import METRICS
from analyzers.judge import Judge, parse_verdict, read_marks, write_marks
from analyzers.prices import read_prices
from analyzers.released_answers import (
    answer_match_released,
    exact_match_released,
    fold_unicode,
    normalise_released,
    token_f1_released,
)
from analyzers.score import score
from analyzers.scoring import ANSWERS, Scoring
from tracer.answer_text import token_f1
from tracer.errors import InputError, UnknownNameError
from tracer.records import (
    Message,
    ModelCall,
    ModelSource,
    Outcome,
    Reply,
    Request,
    Trace,
)


def answered(answer, *golds, calls=()):
    return Trace(
        "t",
        Request("i", "Where?", base_text="Where?"),
        answer=answer,
        model_calls=tuple(calls),
        outcome=Outcome("strict", gold_answers=golds),
    )


def test_repeated_words_lower_the_released_f1():
    assert token_f1("New York New York", ["New York New York"]) == 1.0
    assert token_f1_released("New York New York", ["New York New York"]) == 0.5
    assert token_f1_released("rock rock music", ["rock music"]) == pytest.approx(0.8)


def test_a_gold_that_vanishes_matches_everything_as_released():
    assert answer_match_released("no idea", ["the"]) == 1.0


def test_released_normalisation_tells_signs_by_unicode_class():
    assert normalise_released("\u201cQ4_plan\u201d, the end") == "q4_plan end"
    assert exact_match_released("\u201cQ4\u201d", ["Q4"]) == 1.0


@given(st.text(max_size=20), st.lists(st.text(max_size=20), max_size=3))
def test_released_scores_are_shares_or_undefined_without_gold(prediction, golds):
    for measure in (exact_match_released, token_f1_released, answer_match_released):
        value = measure(prediction, golds)
        assert (value is None) == (not golds)
        assert value is None or 0.0 <= value <= 1.0


@given(st.text(max_size=20))
def test_folding_twice_is_folding_once(text):
    assert fold_unicode(fold_unicode(text)) == fold_unicode(text)


def test_a_chosen_scoring_replaces_the_answer_metrics_and_no_other():
    trace = answered("New York New York", "New York New York")
    rows = score([trace], ["answer_f1", "em"], Scoring("s2_released"))
    assert [row.value for row in rows] == [0.5, 1.0]
    assert Scoring("s2_released").metric("success") is METRICS.get("success")


def test_folding_makes_curly_quotes_and_accents_equal():
    trace = answered("\u201cQ4 plan\u201d", '"Q4 plan"')
    assert score([trace], ["em"])[0].value == 0.0
    assert score([trace], ["em"], Scoring("nfkc"))[0].value == 1.0


@pytest.mark.parametrize("name", ANSWERS)
def test_every_scoring_replaces_known_metrics(name):
    assert set(ANSWERS[name]) <= set(METRICS.names())


def test_an_unknown_scoring_is_answered_with_the_nearest():
    with pytest.raises(UnknownNameError, match="s2_released"):
        Scoring("s2_release")


def priced(tmp_path, document):
    path = tmp_path / "prices.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    return path


PRICES = {"currency": "USD", "models": {"m": {"input": 2.0, "output": 10}}}


def test_cost_is_the_price_of_all_tokens(tmp_path):
    prices = read_prices(priced(tmp_path, PRICES))
    call = ModelCall("m", input_tokens=1_000_000, output_tokens=50_000)
    (row,) = score([answered("x", "x", calls=[call, call])], ["cost"], Scoring(prices=prices))
    assert row.value == pytest.approx(5.0)


@pytest.mark.parametrize(
    "call", [ModelCall("other", input_tokens=1, output_tokens=1), ModelCall("m", input_tokens=1)]
)
def test_a_cost_that_is_not_known_is_not_zero(tmp_path, call):
    prices = read_prices(priced(tmp_path, PRICES))
    (row,) = score([answered("x", "x", calls=[call])], ["cost"], Scoring(prices=prices))
    assert row.value is None
    assert "prices.json" in row.reason


def test_without_a_list_there_is_no_cost():
    call = ModelCall("m", input_tokens=1, output_tokens=1)
    assert score([answered("x", "x", calls=[call])], ["cost"])[0].value is None


@pytest.mark.parametrize(
    "document",
    [
        "{",
        [],
        {},
        {"models": {"m": {"input": True, "output": 1}}},
        {"models": {"m": {"input": -1}}},
    ],
)
def test_what_is_no_price_list_is_named(tmp_path, document):
    with pytest.raises(InputError, match=r"prices\.json"):
        read_prices(priced(tmp_path, document))


class Scripted:
    """A chat model that says one thing and counts how often it is asked."""

    name = "scripted"
    source = ModelSource("test", "built in")

    def __init__(self, text):
        self.text = text
        self.seen = []

    def chat(self, messages, tools=()):
        self.seen.append(messages)
        return Reply(Message("assistant", self.text))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("correct", "correct"),
        ("Incorrect.", "incorrect"),
        ("**correct**", "correct"),
        ("not correct", "invalid"),
        ("correct, or incorrect?", "invalid"),
        ("", "invalid"),
    ],
)
def test_only_one_clear_word_is_a_verdict(text, said):
    assert parse_verdict(text).said == said


@pytest.mark.parametrize(
    ("text", "right", "invalid"), [("correct", 1.0, 0.0), ("incorrect", 0.0, 0.0), ("hm", 0.0, 1.0)]
)
def test_an_invalid_verdict_is_wrong_and_counted_apart(text, right, invalid):
    marked = Judge(Scripted(text)).mark(answered("by the door", "at the door"))
    values = [row.value for row in score([marked], ["judged", "judged_invalid", "answer_accuracy"])]
    assert values == [right, invalid, right]
    assert marked.outcome.answer_matcher.startswith("judge scripted")


def test_the_same_answer_is_asked_about_once_and_kept(tmp_path):
    model = Scripted("correct")
    judge = Judge(model)
    judge.mark(answered("x", "y"))
    judge.mark(answered("x", "y"))
    assert (len(model.seen), judge.asked) == (1, 1)
    write_marks(tmp_path / "marks.jsonl", judge.verdicts)
    later = Judge(model, read_marks(tmp_path / "marks.jsonl"))
    later.mark(answered("x", "y"))
    assert later.asked == 0


def test_an_answer_of_nothing_needs_no_judge():
    model = Scripted("correct")
    marked = Judge(model).mark(answered(" ", "y"))
    assert score([marked], ["judged"])[0].value == 0.0
    assert model.seen == []


def test_without_golds_there_is_nothing_to_judge():
    bare = answered("x")
    assert Judge(Scripted("correct")).mark(bare) is bare


def test_a_broken_file_of_verdicts_is_named_by_line(tmp_path):
    path = tmp_path / "marks.jsonl"
    path.write_text('{"key": "k", "said": "perhaps"}\n')
    with pytest.raises(InputError, match=r"marks\.jsonl:1"):
        read_marks(path)
