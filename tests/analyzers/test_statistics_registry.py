"""What holds for every statistic that is filed."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzers.base import STATISTICS, Sample

NAMES = STATISTICS.names()


def sample(base, variant, *, binary=True, seed=0):
    left, right = np.array(base, dtype=float), np.array(variant, dtype=float)
    names = [str(number // 2) for number in range(left.size)]
    return Sample(left, right, names, binary, resamples=400, seed=seed)


OUTCOMES = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=4, max_size=30)


@pytest.mark.parametrize("name", NAMES)
@settings(deadline=None, max_examples=20)
@given(OUTCOMES, st.integers(0, 9))
def test_the_same_seed_gives_the_same_finding(name, pairs, seed):
    base, variant = zip(*pairs, strict=True)
    statistic = STATISTICS.get(name)
    assert statistic(sample(base, variant, seed=seed)) == statistic(
        sample(base, variant, seed=seed)
    )


@pytest.mark.parametrize("name", NAMES)
def test_no_difference_gives_p_of_one_or_an_interval_around_zero(name):
    same = [1, 0, 1, 1, 0, 1]
    found = STATISTICS.get(name)(sample(same, same))
    assert found.difference == 0
    assert found.p in (None, 1.0)
    assert found.low is None or found.low <= 0 <= found.high


@pytest.mark.parametrize("name", NAMES)
@settings(deadline=None, max_examples=20)
@given(OUTCOMES)
def test_swapping_the_sides_changes_the_sign_alone(name, pairs):
    base, variant = zip(*pairs, strict=True)
    there = STATISTICS.get(name)(sample(base, variant))
    back = STATISTICS.get(name)(sample(variant, base))
    assert back.difference == pytest.approx(-there.difference)
    assert back.p == pytest.approx(there.p) if there.p is not None else back.p is None


@pytest.mark.parametrize("name", NAMES)
def test_next_to_nothing_gives_a_finding_or_none(name):
    for values in ([], [1.0]):
        found = STATISTICS.get(name)(sample(values, values, binary=bool(values)))
        assert found is None or found.difference == 0


@pytest.mark.parametrize("name", NAMES)
def test_every_statistic_has_its_source(name):
    assert "Source:" in inspect.cleandoc(STATISTICS.get(name).__doc__ or "")


@settings(deadline=None, max_examples=15)
@given(
    st.lists(st.sampled_from([-1.0, -0.25, 0.0, 0.5, 1.0]), min_size=6, max_size=25).filter(
        lambda d: len(set(d)) > 2
    )
)
def test_the_bca_interval_equals_that_of_scipy(difference):
    from scipy.stats import bootstrap

    zero = np.zeros(len(difference))
    found = STATISTICS.get("bca_bootstrap")(Sample(zero, np.array(difference), [], False, 999, 5))
    theirs = bootstrap(
        (np.array(difference),),
        np.mean,
        method="BCa",
        n_resamples=999,
        rng=np.random.default_rng(5),
    ).confidence_interval
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)
