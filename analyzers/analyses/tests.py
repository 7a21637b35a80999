"""tests: every statistic that is filed, beside each other."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from analyzers.analysis import ANALYSES, Evidence, Study
from analyzers.base import METRICS, STATISTICS, Sample
from analyzers.pairing import Paired, pair
from analyzers.panel import Field, Panel
from analyzers.score_table import Table
from analyzers.statistics.bootstrap import derive_seed
from tracer.records import Json


@ANALYSES.add("tests")
def tests(evidence: Evidence) -> Iterable[Panel]:
    """The outcome's difference by every statistic: difference, interval and raw p.

    Source:
        Ours: where statistics disagree, the headline rests on a choice.
    """
    for study in evidence.studies:
        lines = list(_lines(study)) if study.outcome else []
        if lines:
            yield Panel(
                "tests",
                f"{study.outcome} by every statistic: {study.title}",
                (
                    Field("condition", "condition"),
                    Field("statistic", "statistic"),
                    Field("difference", "diff", "change"),
                    Field("low", "95 % interval", "interval"),
                    Field("p", "p", "p"),
                    Field("n", "n", "count"),
                ),
                tuple(lines),
                ("raw p; a statistic that does not apply is left out",),
            )


def _lines(study: Study) -> Iterable[dict[str, Json]]:
    comparison, name = study.comparison, study.outcome
    table = Table.of(row for row in study.block.rows if row.metric == name)
    for condition in comparison.conditions:
        paired = pair(table.averaged(name, comparison.baseline), table.averaged(name, condition))
        if not paired.n:
            continue
        sample = _sample(study, table, paired)
        for statistic in STATISTICS.names():
            found = STATISTICS.get(statistic)(sample)
            if found is not None:
                yield {
                    "condition": condition,
                    "statistic": statistic,
                    "difference": found.difference,
                    "low": found.low,
                    "low_high": found.high,
                    "p": found.p,
                    "n": paired.n,
                }


def _sample(study: Study, table: Table, paired: Paired) -> Sample:
    values = np.concatenate([paired.base, paired.variant])
    binary = METRICS.get(study.outcome).binary and paired.single
    return Sample(
        paired.base,
        paired.variant,
        [table.clusters.get(item, item) for item in paired.items],
        binary and bool(np.isin(values, (0.0, 1.0)).all()),
        study.comparison.resamples,
        derive_seed(study.comparison.seed, table.suite, paired.items),
    )
