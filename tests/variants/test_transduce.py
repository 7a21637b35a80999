from __future__ import annotations

from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from variants.features import DIALECTS, Dialect, Edit, Feature, Found
from variants.parse import parse
from variants.protect import protected_spans, texts
from variants.transduce import EXCLUSIONS, Applied, sieve, transduce

SINGAPORE = DIALECTS.get("singapore")
REQUESTS = (
    "If the auditors are waiting, tell me when Kay sent the contract and forward it to Jeff.",
    "There is a reply from Kay. Is the file ready? Go to the archive and find the memo.",
    "Although it is late, send the 3 invoices on Monday; the one who called will go to the plant.",
    "What did Kay send to the client? They sent the two halves to themselves.",
)


def _applied(text: str, density: float, seed: int = 0) -> set[tuple[int, int, tuple[Edit, ...]]]:
    spans = protected_spans(text, ("Kay", "Jeff"))
    made = transduce(
        parse(text, spans), SINGAPORE, item="i", protected=spans, seed=seed, density=density
    )
    return {(use.feature.ewave, use.anchor, use.edits) for use in made.applied}


@pytest.mark.parametrize("text", REQUESTS)
@settings(max_examples=20, deadline=None)
@given(low=st.floats(0, 1), high=st.floats(0, 1), seed=st.integers(0, 50))
def test_a_lower_density_is_a_subset_of_a_higher_one(text, low, high, seed):
    low, high = sorted((low, high))
    assert _applied(text, low, seed) <= _applied(text, high, seed)


@pytest.mark.parametrize("text", REQUESTS)
def test_density_0_is_the_base_and_density_1_takes_all_that_stand_together(text):
    spans = protected_spans(text, ("Kay", "Jeff"))
    parsed = parse(text, spans)
    none = transduce(parsed, SINGAPORE, item="i", protected=spans, density=0.0)
    assert none.text == text
    assert none.applied == ()
    assert len(_applied(text, 1.0)) >= 2


@pytest.mark.parametrize("density", [-0.1, 1.5])
def test_a_density_outside_0_to_1_is_refused(density):
    with pytest.raises(ValueError, match="not between 0 and 1"):
        transduce(parse("Go."), SINGAPORE, item="i", density=density)


@pytest.mark.parametrize("text", REQUESTS)
def test_no_two_features_of_an_exclusion_share_an_anchor(text):
    uses = _applied(text, 1.0)
    for one, one_anchor, _ in uses:
        for two, two_anchor, _ in uses:
            if one != two and one_anchor == two_anchor:
                assert not any({one, two} <= group for group in EXCLUSIONS)


def test_the_better_attested_feature_wins_then_the_earlier_in_the_list():
    first, last = SINGAPORE.features[0], SINGAPORE.features[-1]
    rare = Applied(last, 0, 0, (Edit(0, 3, "x"),))
    common = Applied(first, 1, 2, (Edit(2, 5, "y"),))
    assert sieve([rare, common], SINGAPORE) == [common]


def test_an_edit_inside_a_protected_span_is_dropped():
    text = "Open 'the last the memo' now"
    spans = protected_spans(text)
    made = transduce(parse(text, spans), SINGAPORE, item="i", protected=spans)
    assert "'the last the memo'" in made.text


def test_an_insertion_that_would_make_a_second_literal_is_dropped(parses: ModuleType):
    base = "The email that came today is here."
    spans = protected_spans(base, ("one",))
    made = transduce(parses.stored()[base], SINGAPORE, item="x", protected=spans)
    assert "one" in made.text.split()  # "one" is no literal of this text, so the feature may use it
    text = "The one email that came today is here."
    spans = protected_spans(text)
    made = transduce(parse(text, spans), SINGAPORE, item="x", protected=spans)
    assert made.text.split().count("one") == 1


def _at(ewave: int, *edits: Edit) -> Feature:
    found = Found(0, edits)
    return Feature(ewave, "test", lambda parsed: [found], {"singapore": "A"}, (("a", "b"),))


@pytest.mark.parametrize(
    ("text", "edit", "result"),
    [
        ("The deck is here.", Edit(0, 4, ""), "Deck is here."),
        ("Send a deck.", Edit(7, 7, "old "), "Send an old deck."),
        ("Send it now, please.", Edit(8, 11, ""), "Send it, please."),
    ],
)
def test_surface_repair(text, edit, result):
    one = Dialect("singapore", "test", (_at(62, edit),))
    assert transduce(parse(text), one, item="i").text == result


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.sampled_from(
                ["SO-3318", "O'Brien", "Ana María", "plan_v2.xlsx", "Žofie", "00000479"]
            ),
            st.text("abcä 日é", min_size=1, max_size=12).map(lambda s: f"'{s.strip() or 'x'}'"),
            st.integers(0, 10**6).map(str),
        ),
        min_size=2,
        max_size=2,
    )
)
def test_no_protected_literal_changes(two):
    """For every protected literal: as often in the variant as in the base, byte for byte."""
    text = f"Find the memo about {two[0]} and tell me when the client sent it to {two[1]}."
    spans = protected_spans(text, two)
    made = transduce(parse(text, spans), SINGAPORE, item="i", protected=spans, tier="safe+guarded")
    assert made.text != text
    for literal in texts(text, spans):
        assert made.text.count(literal) == text.count(literal)
