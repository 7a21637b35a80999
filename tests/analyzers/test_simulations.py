"""How often the tests reject when nothing is there, and how often intervals hold the truth."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

from analyzers.compare import compare
from analyzers.score import score
from analyzers.statistics.bootstrap import paired_bootstrap_columns
from analyzers.statistics.mcnemar import mcnemar_exact
from analyzers.statistics.sign_flip import cluster_sign_flips
from tracer.records import Call, CallVerdict, GoldCall, Outcome, Passage, Request, Retrieval, Trace

SIZES = (24, 90, 400)
RUNS = 2_000


def error(rate: float, runs: int = RUNS, times: float = 4) -> float:
    """That many standard errors of a rate."""
    return times * math.sqrt(max(rate * (1 - rate), 1e-4) / runs)


def exact_size(n: int, discordant: float) -> float:
    """How often exact McNemar rejects at .05 when nothing is there, by its own distribution."""
    total = 0.0
    for changed in range(n + 1):
        b = np.arange(changed + 1)
        rejected = mcnemar_exact(b, changed - b) < 0.05
        total += binom.pmf(changed, n, discordant) * binom.pmf(b, changed, 0.5)[rejected].sum()
    return float(total)


@pytest.mark.parametrize("n", SIZES)
def test_exact_mcnemar_rejects_as_often_as_its_own_size_says(n):
    rng = np.random.default_rng(n)
    changed = rng.binomial(n, 0.2, size=RUNS)
    b = rng.binomial(changed, 0.5)
    rate = float(np.mean(mcnemar_exact(b, changed - b) < 0.05))
    size = exact_size(n, 0.2)
    assert abs(rate - size) < error(size)
    assert size <= 0.05
    assert rate <= 0.05 + error(0.05)


def null_means(n: int, seed: int) -> np.ndarray:
    """Differences of means over three runs, items of their own difficulty, no effect."""
    rng = np.random.default_rng(seed)
    ability = rng.beta(2, 1, size=(n, RUNS))
    base = rng.binomial(3, ability) / 3
    return (rng.binomial(3, ability) / 3) - base


@pytest.mark.slow
@pytest.mark.parametrize("n", SIZES)
def test_the_bootstrap_over_means_of_runs_rejects_a_little_too_often(n):
    differences = null_means(n, seed=n)
    found = [
        interval
        for start in range(0, RUNS, 250)
        for interval in paired_bootstrap_columns(
            differences[:, start : start + 250], resamples=2_000, seed=start
        )
    ]
    rate = float(np.mean([interval.p < 0.05 for interval in found]))
    if n >= 50:
        assert 0.04 <= rate <= 0.07
    else:
        # What the note below 50 items is for.
        assert 0.05 <= rate <= 0.10


@pytest.mark.slow
@pytest.mark.parametrize(("n", "size"), [(24, 3), (90, 10), (400, 10)])
def test_the_sign_flip_holds_when_whole_clusters_break_together(n, size):
    rng = np.random.default_rng(n)
    clusters = n // size
    moves = rng.choice([-1.0, 0.0, 1.0], p=[0.3, 0.4, 0.3], size=(clusters, RUNS))
    differences = np.repeat(moves, size, axis=0)
    names = np.repeat(np.arange(clusters), size).tolist()
    flips = cluster_sign_flips(differences, names, seed=3)
    rate = float(np.mean([flip.p < 0.05 for flip in flips]))
    assert rate <= 0.05 + error(0.05)


def test_a_bootstrap_over_items_is_wrong_when_whole_clusters_break_together():
    """The reason for the test over clusters: nine templates of ten items."""
    rng = np.random.default_rng(9)
    moves = rng.choice([-1.0, 0.0, 1.0], p=[0.3, 0.4, 0.3], size=(9, 300))
    found = paired_bootstrap_columns(np.repeat(moves, 10, axis=0), resamples=1_000, seed=1)
    assert np.mean([interval.p < 0.05 for interval in found]) > 0.3


SETS, ITEMS = 200, 100
DROPPED = {"base": 0.05, "formal": 0.25}
PUSHED = {"base": 0.05, "formal": 0.20}
BROKEN = {"base": 0.10, "formal": 0.25}
HARMED = 0.10
"""Unwanted side effects, in both conditions alike."""
TRUE = {
    "required_call_recall": DROPPED["base"] - DROPPED["formal"],
    "recall@5": PUSHED["base"] - PUSHED["formal"],
    "answer_accuracy": (1 - PUSHED["formal"]) * (1 - BROKEN["formal"])
    - (1 - PUSHED["base"]) * (1 - BROKEN["base"]),
    "unwanted_side_effects": 0.0,
}


def planted(condition: str, item: int, rng: np.random.Generator) -> Trace:
    """A run with three gold calls, one gold document and one answer, each spoilt by chance."""
    made = [place for place in range(3) if rng.random() >= DROPPED[condition]]
    rank = 7 if rng.random() < PUSHED[condition] else int(rng.integers(0, 5))
    found = rank < 5
    documents = [Passage("g" if place == rank else f"d{place}") for place in range(10)]
    return Trace(
        f"{item}-{condition}",
        Request(f"i{item:03}", "x", suite="planted", condition=condition),
        answer="a",
        retrievals=(Retrieval("q", tuple(documents)),),
        calls=tuple(Call("f", {"n": place}, kind="read") for place in made),
        outcome=Outcome(
            "strict",
            relevant=(("g",),),
            gold_answers=("a",),
            answer_correct=found and bool(rng.random() >= BROKEN[condition]),
            required_calls=tuple(GoldCall("f", {"n": place}) for place in range(3)),
            calls=tuple(CallVerdict("read", False, place) for place in made),
            unwanted_side_effect=bool(rng.random() < HARMED),
        ),
    )


@pytest.mark.slow
def test_intervals_over_planted_traces_hold_the_true_effect():
    covered = dict.fromkeys(TRUE, 0)
    flagged = 0
    for seed in range(SETS):
        rng = np.random.default_rng([2026, seed])
        traces = [planted(name, item, rng) for item in range(ITEMS) for name in DROPPED]
        found = compare(score(traces, list(TRUE)), resamples=1_000, seed=seed)
        for name, true in TRUE.items():
            effect = found.effect(name, "formal")
            assert effect is not None
            covered[name] += effect.low - 1e-12 <= true <= effect.high + 1e-12
            flagged += name == "unwanted_side_effects" and effect.p < 0.05
    shares = {name: hits / SETS for name, hits in covered.items()}
    assert 0.91 <= sum(shares.values()) / len(shares) <= 0.98, shares
    # One metric alone is told to 1.5 points, so it may lie that much outside.
    assert all(0.91 - error(0.95, SETS, 1) <= share for share in shares.values()), shares
    assert all(share <= 0.98 + error(0.95, SETS, 1) for share in shares.values()), shares
    assert flagged / SETS <= 0.05 + error(0.05, SETS, times=2)
