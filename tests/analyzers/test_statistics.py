"""Tests and intervals against reference libraries and against enumeration."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

from analyzers.statistics.bootstrap import (
    derive_seed,
    paired_bootstrap,
    paired_bootstrap_columns,
    resample_counts,
)
from analyzers.statistics.kappa import cohen_kappa
from analyzers.statistics.mcnemar import discordance, mcnemar_exact, mcnemar_mid_p
from analyzers.statistics.multiplicity import benjamini_hochberg, holm
from analyzers.statistics.power import detectable_mcnemar, detectable_mean
from analyzers.statistics.sign_flip import SAMPLED, cluster_sign_flip
from tracer.errors import PairingError

COUNTS = st.integers(0, 60)
DIFFERENCES = st.lists(st.sampled_from([-1.0, -2 / 3, -1 / 3, 0.0, 1 / 3, 1.0]), max_size=12)


@settings(deadline=None)
@given(COUNTS, COUNTS)
def test_exact_mcnemar_equals_scipy_and_statsmodels(b, c):

    p = float(mcnemar_exact(b, c))
    assert math.isclose(p, mcnemar([[0, b], [c, 0]], exact=True).pvalue, abs_tol=1e-12)
    if b + c:
        assert math.isclose(p, binomtest(b, b + c).pvalue, abs_tol=1e-12)


@settings(deadline=None)
@given(COUNTS, COUNTS)
def test_mcnemar_is_symmetric_and_mid_p_never_larger(b, c):
    assert float(mcnemar_exact(b, c)) == float(mcnemar_exact(c, b))
    assert float(mcnemar_mid_p(b, c)) <= float(mcnemar_exact(b, c)) + 1e-12


@settings(deadline=None)
@given(st.lists(st.tuples(COUNTS, COUNTS), min_size=1, max_size=20))
def test_mcnemar_of_many_equals_one_by_one(pairs):
    b, c = zip(*pairs, strict=True)
    one_by_one = [float(mcnemar_exact(*pair)) for pair in pairs]
    assert list(mcnemar_exact(b, c)) == one_by_one


def test_mcnemar_refuses_means_over_runs():
    with pytest.raises(PairingError, match="other than 0 and 1"):
        discordance([1, 0.5], [1, 0])


def test_mcnemar_refuses_unpaired_sides():
    with pytest.raises(PairingError, match="2 base outcomes against 1"):
        discordance([1, 0], [1])


@settings(deadline=None, max_examples=20)
@given(DIFFERENCES.filter(lambda d: len(set(d)) > 1), st.integers(0, 2**32))
def test_the_interval_equals_that_of_scipy(difference, seed):
    from scipy.stats import bootstrap

    theirs = bootstrap(
        (difference,),
        np.mean,
        method="percentile",
        n_resamples=500,
        rng=np.random.default_rng(seed),
    ).confidence_interval
    ours = paired_bootstrap(difference, resamples=500, seed=seed)
    assert ours.low == pytest.approx(theirs.low, abs=1e-9)
    assert ours.high == pytest.approx(theirs.high, abs=1e-9)


@settings(deadline=None, max_examples=30)
@given(DIFFERENCES.filter(lambda d: len(d) > 1), st.integers(0, 2**32))
def test_swapping_the_sides_mirrors_the_interval_and_keeps_p(difference, seed):
    ours = paired_bootstrap(difference, resamples=300, seed=seed)
    mirrored = paired_bootstrap([-d for d in difference], resamples=300, seed=seed)
    assert mirrored.p == ours.p
    assert mirrored.mean == pytest.approx(-ours.mean, abs=1e-12)
    assert mirrored.low == pytest.approx(-ours.high, abs=1e-9)
    assert mirrored.high == pytest.approx(-ours.low, abs=1e-9)


def test_columns_share_their_random_numbers():
    rng = np.random.default_rng(1)
    block = rng.choice([-1.0, 0.0, 1.0], size=(30, 3))
    together = paired_bootstrap_columns(block, resamples=400, seed=9)
    alone = [paired_bootstrap(block[:, j], resamples=400, seed=9) for j in range(3)]
    for one, other in zip(together, alone, strict=True):
        assert (one.low, one.high, one.p) == pytest.approx((other.low, other.high, other.p))


def test_blocks_of_resamples_are_one_stream(monkeypatch):
    from analyzers.statistics import bootstrap

    whole = np.concatenate(list(resample_counts(7, 50, 3)))
    monkeypatch.setattr(bootstrap, "_CHUNK_CELLS", 30)
    assert np.array_equal(np.concatenate(list(resample_counts(7, 50, 3))), whole)


@pytest.mark.parametrize("difference", [[], [1.0]])
def test_fewer_than_two_items_have_no_interval(difference):
    assert paired_bootstrap(difference) is None


def test_the_smallest_p_of_the_bootstrap_is_above_zero():
    assert paired_bootstrap([1.0, 1.0, 1.0]).p == pytest.approx(2 / 10_001)
    assert paired_bootstrap([1.0, 1.0, 1.0]).p_plain == 0.0


def test_seeds_depend_on_run_suite_and_items_but_not_on_order():
    seed = derive_seed(7, "office", ["a", "b"])
    assert seed == derive_seed(7, "office", ["b", "a"])
    others = [
        derive_seed(8, "office", ["a", "b"]),
        derive_seed(7, "tooltalk", ["a", "b"]),
        derive_seed(7, "office", ["a"]),
        derive_seed(7, "office", ["ab"]),
    ]
    assert len({seed, *others}) == 5


@settings(deadline=None, max_examples=25)  # one call of theirs takes a sixth of a second
@given(st.lists(st.floats(0, 1), min_size=1, max_size=15))
def test_adjusted_p_equal_those_of_statsmodels(p):
    assert holm(p) == pytest.approx(list(multipletests(p, method="holm")[1]), abs=1e-12)
    assert benjamini_hochberg(p) == pytest.approx(
        list(multipletests(p, method="fdr_bh")[1]), abs=1e-12
    )


@settings(deadline=None)
@given(st.lists(st.floats(0, 1), max_size=15))
def test_adjusted_p_are_never_below_the_raw_ones(p):
    assert all(raw <= high + 1e-15 for raw, high in zip(p, holm(p), strict=True))
    assert all(bh <= h + 1e-12 for bh, h in zip(benjamini_hochberg(p), holm(p), strict=True))


@settings(deadline=None)
@given(st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0]), min_size=2, max_size=7))
def test_the_sign_flip_test_equals_enumeration(means):
    k = len(means)
    patterns = itertools.product((1, -1), repeat=k)
    sums = [abs(sum(s * m for s, m in zip(signs, means, strict=True))) for signs in patterns]
    expected = np.mean([total >= abs(sum(means)) - 1e-12 for total in sums])
    assert cluster_sign_flip(means, range(k)).p == pytest.approx(expected)


def test_undefined_items_are_left_out_of_their_cluster():
    found = cluster_sign_flip([1.0, None, 0.0, -1.0], ["a", "a", "b", "b"])
    assert (found.clusters, found.statistic, found.p) == (2, 0.25, 1.0)


def test_one_cluster_has_a_mean_and_no_p():
    found = cluster_sign_flip([1.0, 0.0], ["a", "a"])
    assert (found.clusters, found.statistic, found.p) == (1, 0.5, None)


def test_many_clusters_are_sampled_and_repeat_with_the_seed():
    values, names = [1.0] * 25, list(range(25))
    assert cluster_sign_flip(values, names, seed=4).p == pytest.approx(1 / (SAMPLED + 1))
    mixed = [(-1.0) ** n * n for n in range(25)]
    assert cluster_sign_flip(mixed, names, seed=4) == cluster_sign_flip(mixed, names, seed=4)


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=1))
def test_kappa_equals_that_of_scikit_learn(labels):

    first, second = zip(*labels, strict=True)
    ours = cohen_kappa(first, second).kappa
    if ours is None:
        assert len(set(first) | set(second)) == 1
    else:
        assert ours == pytest.approx(cohen_kappa_score(first, second), abs=1e-12)


def test_kappa_refuses_raters_of_different_items():
    with pytest.raises(PairingError, match="2 labels against 1"):
        cohen_kappa("ab", "a")


def test_a_detectable_difference_is_found_with_about_80_percent_power():
    """Simulated: at the stated size, exact McNemar rejects about four times in five or less."""
    n, discordant = 400, 40
    size = detectable_mcnemar(discordant, n)
    rng = np.random.default_rng(5)
    lost, won = (discordant / n + size) / 2, (discordant / n - size) / 2
    draws = rng.multinomial(n, [lost, won, 1 - lost - won], size=2000)
    power = float(np.mean(mcnemar_exact(draws[:, 0], draws[:, 1]) < 0.05))
    assert 0.70 < power < 0.85


@pytest.mark.parametrize(("discordant", "n", "least"), [(0, 24, 6 / 24), (3, 24, 6 / 24)])
def test_five_changed_items_are_never_enough(discordant, n, least):
    assert detectable_mcnemar(discordant, n) >= least


def test_what_does_not_vary_has_no_detectable_difference():
    assert detectable_mean([0.0, 0.0]) is None
    assert detectable_mcnemar(0, 5) is None
