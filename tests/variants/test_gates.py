from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from variants.base import GATES, FeatureUse, Gated
from variants.gates.capitalised import missing_capitalised
from variants.gates.deterministic import deterministic_reject
from variants.gates.edit import gleu, levenshtein, typo_gate
from variants.gates.numbers import missing_numbers, numeric_tokens
from variants.gates.readability import fres, is_less_readable
from variants.gating import gates_of, rejection, run_gates


def _gated(base, candidate, condition="formal", generator="authored", **more) -> Gated:
    return Gated(base, candidate, condition, generator, **more)


def test_golden_cases_of_gates(specs_dir: Path):
    """Kinds deterministic_gate, numeric_tokens, edit and fres, every value."""
    cases = json.loads((specs_dir / "golden/metrics.json").read_text(encoding="utf-8"))["cases"]
    compute = {
        "deterministic_gate": lambda i: {
            "reject": deterministic_reject(**i),
            "missing_numbers": missing_numbers(**i),
        },
        "numeric_tokens": lambda i: {"tokens": numeric_tokens(**i)},
        "edit": lambda i: {
            "levenshtein": levenshtein(i["original"], i["variant"]),
            "gleu": pytest.approx(gleu(i["original"], i["variant"]), abs=1e-9),
            "typo_gate": typo_gate(**i),
        },
        "fres": lambda i: {"fres": fres(**i), "gate_less_readable": is_less_readable(fres(**i))},
    }
    seen = [case for case in cases if case["kind"] in compute]
    assert len(seen) > 20
    for case in seen:
        assert compute[case["kind"]](case["input"]) == case["expected"], case["id"]


@pytest.mark.parametrize(
    ("original", "variant", "expected"),
    [
        ("Send it", "  \n", "empty"),
        ("Send  it", "send it ", "unchanged"),
        ("Send 2 of 2", "send 2", "missing_number"),
        ("Send 2", "2 to be sent, and 5 more", None),
        ("", "", "empty"),
        ("at 10:30", "at 10:30:00", "missing_number"),
    ],
)
def test_rejections_of_every_condition(original, variant, expected):
    assert deterministic_reject(original, variant) == expected


@given(st.text(), st.text())
def test_a_text_holds_its_own_numbers(one, other):
    assert missing_numbers(one, one) == []
    assert missing_numbers(one, one + " " + other) == []


@given(st.text(max_size=12), st.text(max_size=12))
def test_edit_distance_is_a_distance(one, other):
    assert levenshtein(one, other) == levenshtein(other, one)
    assert (levenshtein(one, other) == 0) == (one == other)
    assert levenshtein(one, other) <= max(len(one), len(other))


def test_names_are_recorded_and_never_reject():
    verdict = GATES.get("capitalised")(_gated("Ask Kay", "ask her"))
    assert not verdict.passed
    assert not verdict.filtered
    assert missing_capitalised("Ask Kay. Then Jeff", "ask kay", case=False) == ["Jeff"]


@pytest.mark.parametrize(
    ("condition", "generator", "filtered"),
    [
        ("formal", "authored", False),
        ("typos", "typo", True),
        ("dialect_singapore", "transducer", True),
        ("dialect_singapore", "authored", True),
    ],
)
def test_lost_literals_reject_where_a_program_or_dialect_is_at_work(condition, generator, filtered):
    gated = _gated("ask Kay", "ask her", condition, generator, protected=("Kay",))
    verdict = GATES.get("literals")(gated)
    assert not verdict.passed
    assert verdict.filtered is filtered
    assert "Kay" in verdict.reason


def test_casual_keeps_a_literal_in_any_case():
    gated = _gated("ask Kay", "so, kay?", "casual", protected=("Kay",))
    assert GATES.get("literals")(gated).passed


@pytest.mark.parametrize(
    ("uses", "reason"),
    [
        ((), "no feature recorded"),
        ((FeatureUse(88, 1),), "not a feature of"),
        ((FeatureUse(62, 2),), ""),
    ],
)
def test_a_dialect_shows_features_of_its_variety_alone(uses, reason):
    gated = _gated("a", "b", "dialect_singapore", "transducer", features=uses)
    verdict = GATES.get("features")(gated)
    assert verdict.passed is not bool(reason)
    assert reason in verdict.reason


@pytest.mark.parametrize("condition", ["formal", "typos", "dialect_singapore"])
def test_an_empty_text_is_asked_no_further(condition):
    verdicts = run_gates(_gated("Send 3", " ", condition))
    assert [verdict.name for verdict in verdicts] == ["empty"]
    assert rejection(verdicts) == "empty: no text"


@pytest.mark.parametrize("condition", ["formal", "typos", "dialect_singapore"])
def test_every_named_gate_is_filed_and_names_itself(condition):
    gated = _gated(
        "Send it to her", "could it be sent to her", condition, features=(FeatureUse(62, 1),)
    )
    for name in gates_of(condition):
        assert GATES.get(name)(gated).name == name
