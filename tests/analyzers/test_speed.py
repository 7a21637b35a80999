"""The grid of Lost in the Request within a second of a processor."""

from __future__ import annotations

import time

import numpy as np
import pytest

from analyzers.base import METRICS
from analyzers.compare import compare
from analyzers.score import ScoreRow

READING = (
    *("recall@5", "hit@5", "mrr", "ndcg@5"),
    *("answer_accuracy", "am", "em", "answer_f1"),
)
ACTING = (
    *("success", "soft_success", "required_call_recall", "call_f1"),
    *("no_call", "read_without_write", "incorrect_action_rate", "unwanted_side_effects"),
)
SUITES = (("enronqa", 400, 1, 99, READING), ("tooltalk", 50, 3, 50, ACTING))
SUITES += (("workbench", 90, 3, 9, ACTING),)
CONDITIONS = ("base", *(f"c{number:02}" for number in range(14)))


def rows(suite, items, runs, clusters, metrics):
    rng = np.random.default_rng(items)
    return [
        ScoreRow("r", suite, f"i{i:03}", f"k{i % clusters}", condition, run, metric, float(v))
        for metric in metrics
        for condition in CONDITIONS
        for i in range(items)
        for run, v in enumerate(rng.random(runs) < 0.7)
    ]


@pytest.mark.slow
def test_the_whole_grid_takes_little_time():
    """Half a second where nothing else runs; three times that is allowed on a busy machine."""
    tables = [rows(*suite) for suite in SUITES]
    METRICS.names()
    compare(tables[1][:2_000], resamples=10)
    started = time.process_time()
    found = [compare(table) for table in tables]
    took = time.process_time() - started
    assert [len(one.effects) for one in found] == [14 * 8] * 3
    assert all(e.detectable is not None and e.p_cluster is not None for e in found[1].effects)
    assert took < 1.5, f"{took:.2f} CPU-seconds"
