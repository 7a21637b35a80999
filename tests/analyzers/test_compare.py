"""Pairing and comparing conditions."""

from __future__ import annotations

import random

import numpy as np
import pytest

from analyzers.breakdown import Labels, breakdown
from analyzers.compare import compare
from analyzers.effect import effects_frame
from analyzers.pairing import pair_runs
from analyzers.score import from_frame, score, to_frame
from tracer.errors import PairingError, UnknownNameError


def test_runs_are_averaged_before_items():
    paired = pair_runs({"a": [1, 0, 0], "b": [1]}, {"a": [1, 1, 0], "b": [0]})
    assert paired.difference == pytest.approx([1 / 3, -1.0])


def test_items_without_runs_on_both_sides_are_listed_and_left_out():
    paired = pair_runs({"a": [1], "b": [1]}, {"b": [0], "c": [1]})
    assert paired.items == ("b",)
    assert (paired.missing_in_base, paired.missing_in_variant) == (("c",), ("a",))


def test_undefined_is_not_zero():
    paired = pair_runs({"a": [None], "b": [1]}, {"a": [1], "b": [1]})
    assert (paired.n, paired.undefined) == (1, ("a",))


def test_fewer_runs_than_the_others_are_used_and_counted():
    paired = pair_runs({"a": [1, 1], "b": [1]}, {"a": [0, 0], "b": [0, 0]})
    assert (paired.n, paired.short) == (2, ("b",))


def test_strict_pairs_refuse_missing_items():
    with pytest.raises(PairingError, match="'a'"):
        pair_runs({"a": [1]}, {}, strict=True)


def test_pairing_does_not_depend_on_order():
    base = {f"i{n}": [n % 2, n % 3 == 0] for n in range(9)}
    variant = {name: runs[::-1] for name, runs in reversed(base.items())}
    assert np.array_equal(pair_runs(base, variant).difference, np.zeros(9))


def single(*values):
    return {f"i{n:02}": [float(value)] for n, value in enumerate(values)}


BASE = [1] * 12 + [0] * 4
WORSE = [0] * 9 + [1] * 3 + [0] * 4


def test_single_runs_of_a_binary_metric_are_tested_by_exact_mcnemar(make_rows):
    found = compare(make_rows({"base": single(*BASE), "formal": single(*WORSE)}))
    effect = found.effect("success", "formal")
    assert (effect.test, effect.b, effect.c) == ("mcnemar", 9, 0)
    assert effect.p == pytest.approx(2 / 2**9)
    assert effect.difference == pytest.approx(-9 / 16)
    assert effect.few
    assert effect.worst == "i00"


def test_several_runs_are_tested_by_the_bootstrap(make_rows):
    base = {f"i{n}": [1.0, 0.0] for n in range(12)}
    variant = {f"i{n}": [0.0, 0.0] for n in range(12)}
    effect = compare(make_rows({"base": base, "formal": variant})).effects[0]
    assert (effect.test, effect.b) == ("bootstrap", None)
    assert effect.difference == -0.5


def test_permuting_rows_changes_nothing(make_rows):
    rows = make_rows({"base": single(*BASE), "formal": single(*WORSE), "casual": single(*BASE)})
    order = ["formal", "casual"]
    shuffled = random.Random(2).sample(rows, len(rows))
    assert compare(rows, conditions=order) == compare(shuffled, conditions=order)


def test_swapping_the_sides_negates_the_effect_and_keeps_p(make_rows):
    rows = make_rows({"base": single(*BASE), "formal": single(*WORSE)})
    there = compare(rows).effects[0]
    back = compare(rows, baseline="formal").effects[0]
    assert (back.difference, back.p, back.b, back.c) == (
        -there.difference,
        there.p,
        there.c,
        there.b,
    )
    assert (back.low, back.high) == pytest.approx((-there.high, -there.low))


def test_narrowing_to_one_condition_keeps_its_interval(make_rows):
    rows = make_rows({"base": single(*BASE), "formal": single(*WORSE), "casual": single(*BASE)})
    whole = compare(rows).effect("success", "formal")
    alone = compare(rows, conditions=["formal"]).effect("success", "formal")
    assert (whole.low, whole.high, whole.p) == (alone.low, alone.high, alone.p)


def test_holm_allows_for_all_conditions_of_a_metric(make_rows):
    rows = make_rows({"base": single(*BASE), "formal": single(*WORSE), "casual": single(*BASE)})
    found = compare(rows)
    formal, casual = found.effect("success", "formal"), found.effect("success", "casual")
    assert (formal.family, casual.family) == (2, 2)
    assert formal.holm == pytest.approx(2 * formal.p)
    assert casual.holm == 1.0


def test_a_template_that_breaks_as_one_is_marked(make_rows):
    """Nine templates of ten items; one breaks as a whole."""
    base = {f"t{t}-{n}": [1.0] for t in range(9) for n in range(10)}
    variant = {item: [float(not item.startswith("t0"))] for item in base}
    clusters = {item: item[:2] for item in base}
    effect = compare(make_rows({"base": base, "formal": variant}, clusters=clusters)).effects[0]
    assert effect.p < 0.01
    assert (effect.clusters, effect.p_cluster) == (9, 1.0)
    assert effect.clusters_disagree


def test_without_clusters_there_is_no_cluster_test(make_rows):
    effect = compare(make_rows({"base": single(*BASE), "formal": single(*WORSE)})).effects[0]
    assert (effect.clusters, effect.p_cluster) == (0, None)


def test_an_undefined_effect_has_a_reason_and_no_number(make_rows):
    rows = make_rows({"base": {"a": [None]}, "formal": {"a": [None]}}, "read_without_write")
    effect = compare(rows).effects[0]
    assert (effect.difference, effect.p, effect.holm) == (None, None, None)
    assert effect.reasons == {"no gold write": 2}


def test_one_item_has_a_difference_but_no_interval(make_rows):
    effect = compare(make_rows({"base": {"a": [0.5]}, "formal": {"a": [1.0]}})).effects[0]
    assert (effect.difference, effect.low, effect.p) == (0.5, None, None)


def test_a_binary_metric_with_other_values_is_not_tested_by_mcnemar(make_rows):
    rows = make_rows({"base": {"a": [0.5], "b": [1.0]}, "formal": {"a": [1.0], "b": [1.0]}})
    assert compare(rows).effects[0].test == "bootstrap"


def test_one_condition_has_levels_and_no_effects(make_rows):
    found = compare(make_rows({"base": single(1, 0)}))
    assert (found.effects, found.levels[0].value) == ((), 0.5)


def test_a_baseline_that_is_not_there_is_named_with_what_is(make_rows):
    with pytest.raises(UnknownNameError, match="'casual', 'formal'"):
        compare(make_rows({"casual": single(1), "formal": single(1)}))


def test_an_unknown_condition_is_answered_with_the_nearest(make_rows):
    with pytest.raises(UnknownNameError, match="did you mean 'formal'"):
        compare(make_rows({"base": single(1), "formal": single(1)}), conditions=["formel"])


def test_micro_sums_before_dividing(make_trace):
    traces = [
        make_trace("a", made=["read", "write"]),
        make_trace("b", made=["wrong", "wrong", "wrong"]),
        make_trace("a", "formal"),
        make_trace("b", "formal"),
    ]
    found = compare(score(traces, ["incorrect_action_rate"]))
    assert found.level("incorrect_action_rate", "base").value == 0.5
    assert found.level("incorrect_action_rate", "base").micro == 0.75
    assert found.effects[0].micro_base == 0.75


def test_rows_of_two_suites_are_refused(make_rows):
    from dataclasses import replace

    rows = make_rows({"base": single(1), "formal": single(1)})
    with pytest.raises(PairingError, match="several suites"):
        compare([*rows, replace(rows[0], suite="other")])


def test_a_breakdown_adjusts_over_all_its_cells(make_rows):
    rows = make_rows({"base": single(*BASE), "formal": single(*WORSE)})
    labels = {row.item: "early" if row.item < "i08" else "late" for row in rows}
    found = breakdown(rows, labels)
    assert [(effect.group, effect.n, effect.family) for effect in found] == [
        ("early", 8, 2),
        ("late", 8, 2),
    ]


def test_labels_come_from_traces_and_an_unknown_one_is_answered(make_trace):
    labels = Labels()
    labels.note(make_trace("a", groups={"kind": "mail"}, cluster="s1"))
    assert labels.of("kind") == {"a": "mail"}
    assert labels.names() == ["cluster", "kind"]
    with pytest.raises(UnknownNameError, match="did you mean 'kind'"):
        labels.of("kinds")


def test_a_frame_and_back_keeps_values_and_missing_ones(make_rows):
    rows = make_rows({"base": {"a": [1.0], "b": [None]}})
    frame = to_frame(rows)
    assert frame["value"].isna().tolist() == [False, True]
    assert [(row.item, row.value) for row in from_frame(frame)] == [("a", 1.0), ("b", None)]


def test_a_frame_without_a_column_is_refused(make_rows):
    frame = to_frame(make_rows({"base": single(1)})).drop(columns="cluster")
    with pytest.raises(ValueError, match="cluster"):
        from_frame(frame)


def test_the_frame_of_effects_has_a_line_each(make_rows):
    found = compare(make_rows({"base": single(*BASE), "formal": single(*WORSE)}))
    frame = effects_frame(found.effects)
    assert frame.loc[0, "condition"] == "formal"
    assert frame.loc[0, "b"] == 9
