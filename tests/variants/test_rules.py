from __future__ import annotations

from types import ModuleType

import pytest

from variants.features import DIALECTS, Dialect
from variants.protect import protected_spans
from variants.rule_table import rule_table
from variants.transduce import transduce

CASES = [
    (name, feature, base, result)
    for name in DIALECTS.names()
    for feature in DIALECTS.get(name).features
    for base, result in feature.examples
]


@pytest.mark.parametrize(
    ("name", "feature", "base", "result"),
    CASES,
    ids=[f"{name}-{feature.ewave}-{base}" for name, feature, base, _ in CASES],
)
def test_examples_of_a_feature(name, feature, base, result, parses: ModuleType):
    """Each example comes out of its rule alone, from a stored parse."""
    spans = protected_spans(base, parses.NAMES)
    alone = Dialect(name, name, (feature,))
    made = transduce(parses.stored()[base], alone, item="x", protected=spans, tier="safe+guarded")
    assert made.text == result


def test_stored_parses_are_those_of_the_parser(parses: ModuleType):
    assert {text: parses.live(text) for text in parses.stored()} == parses.stored()


@pytest.mark.parametrize("name", DIALECTS.names())
def test_every_feature_names_its_source_and_two_examples(name):
    for feature in DIALECTS.get(name).features:
        assert feature.source == f"eWAVE 3.0, feature {feature.ewave} (CC BY 3.0)"
        assert len(feature.examples) == 2
        assert feature.find.__doc__ or feature.ewave in (34, 165, 209)


@pytest.mark.parametrize("name", DIALECTS.names())
def test_features_come_best_attested_first_and_once(name):
    dialect = DIALECTS.get(name)
    letters = [dialect.letter(feature) for feature in dialect.features]
    numbers = [feature.ewave for feature in dialect.features]
    assert letters == sorted(letters)
    assert len(numbers) == len(set(numbers))


def test_a_feature_that_is_not_attested_is_refused():
    with pytest.raises(ValueError, match="is rated D for it"):
        Dialect("nigerian", "Nigerian English", (DIALECTS.get("singapore").features[1],))


def test_singapore_has_eight_safe_features_at_least():
    safe = [f for f in DIALECTS.get("singapore").features if f.tier == "safe"]
    assert len(safe) >= 8


@pytest.mark.parametrize(
    ("base", "result"),
    [
        ("Delete the last draft.", "You delete the last draft, can or not?"),
        ("Tell me when he calls.", "You tell me when he calls, can or not?"),
        ("can you forward it to Kay", "you forward it to Kay, can or not?"),
        ("Didn't Kay reply?", "Kay didn't reply?"),
        ("Let me know that it is here.", "You let me know that it is here, can or not?"),
        ("It's urgent.", "It urgent."),
        ("Wait a minute.", "You wait a minute, can or not?"),
    ],
)
def test_what_rules_leave_alone(base, result, parses: ModuleType):
    spans = protected_spans(base, parses.NAMES)
    made = transduce(parses.live(base), DIALECTS.get("singapore"), item="x", protected=spans)
    assert made.text == result


def test_rule_table_has_a_row_a_feature():
    dialect = DIALECTS.get("singapore")
    assert len(rule_table(dialect).splitlines()) == len(dialect.features) + 2


@pytest.mark.parametrize(
    ("name", "base", "result"),
    [
        ("nigerian", "See if they exist.", "See if they exist."),
        ("indian", "Ask Kay to call.", "Ask Kay to call."),
        ("indian", "Delete the latest email.", "The latest email delete."),
        ("indian", "Send a reply to Kay.", "Send reply to Kay."),
        ("black_south_african", "Send a good reply to Kay.", "Send a good reply to Kay."),
        ("nigerian", "I have to send it.", "I have to send it."),
        ("nigerian", "Forward this my report.", "Forward this my report."),
    ],
)
def test_what_rules_of_other_dialects_leave_alone(name, base, result, parses: ModuleType):
    spans = protected_spans(base, parses.NAMES)
    made = transduce(parses.live(base), DIALECTS.get(name), item="x", protected=spans)
    assert made.text == result
