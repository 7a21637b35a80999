"""Each condition beside the base, metric by metric: difference, interval, tests."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from analyzers.base import METRICS
from analyzers.effect import Comparison, Effect
from analyzers.pairing import Paired, pair
from analyzers.score import ScoreRow
from analyzers.score_table import Cell, Table
from analyzers.statistics.bootstrap import Interval, derive_seed, paired_bootstrap_columns
from analyzers.statistics.mcnemar import Discordance, discordance, mcnemar_exact, mcnemar_mid_p
from analyzers.statistics.multiplicity import benjamini_hochberg, holm
from analyzers.statistics.power import detectable_mcnemar, detectable_mean
from analyzers.statistics.sign_flip import SignFlip, cluster_sign_flips
from tracer.errors import UnknownNameError
from tracer.registry import nearest


def compare(
    rows: Iterable[ScoreRow],
    *,
    baseline: str = "base",
    conditions: Sequence[str] | None = None,
    resamples: int = 10_000,
    seed: int = 0,
    strict: bool = False,
) -> Comparison:
    """Compare every condition with the baseline, item by item.

    Exact McNemar gives p where a metric scores 0 or 1 and every item ran once; else the paired
    bootstrap does, which gives all intervals.

    Args:
        rows: Scores of one suite in one mode, by one assistant and model.
        baseline: The condition that the others are compared with.
        conditions: Which others and in which order; all, as they appear, by default.
        resamples: Resamples of the bootstrap.
        seed: Start of all random streams; items and suite are mixed in, never the order of metrics.
        strict: Refuse when a condition lacks an item.

    Raises:
        UnknownNameError: The baseline or a condition is not in the rows.
        PairingError: `strict`, and items are missing; or the rows are of several suites.

    Source:
        Lost in the Request, section 3.4 and appendix G (McNemar for single runs, bootstrap for
        means of runs); Holm, the cluster test and the smallest detectable difference: ours.
    """
    table = Table.of(rows)
    chosen = choose_conditions(table.conditions, baseline, conditions)
    effects = adjusted(
        measure(table, baseline, chosen, resamples=resamples, seed=seed, strict=strict)
    )
    first = next(iter(table.values.values()), {})
    return Comparison(
        suite=table.suite,
        baseline=baseline,
        conditions=tuple(chosen),
        metrics=tuple(table.values),
        effects=tuple(effects),
        levels=tuple(
            table.level(metric, condition)
            for metric in table.values
            for condition in [baseline, *chosen]
            if condition in table.conditions
        ),
        items={name: len(first.get(name, {})) for name in [baseline, *chosen]},
        common={
            name: len(first.get(name, {}).keys() & first.get(baseline, {}).keys())
            for name in chosen
        },
        runs=max((len(runs) for item in first.values() for runs in item.values()), default=0),
        resamples=resamples,
        seed=seed,
    )


def choose_conditions(
    known: Sequence[str], baseline: str, wanted: Sequence[str] | None
) -> list[str]:
    """The conditions to compare, without the baseline.

    Raises:
        UnknownNameError: The baseline, or one that is wanted, is not there.
    """
    if baseline not in known and len(known) > 1:
        raise UnknownNameError(
            f"no condition {baseline!r} to compare with; these traces hold "
            + ", ".join(repr(name) for name in known)
            + "; choose one with --baseline"
        )
    for name in wanted or ():
        if name not in known:
            raise UnknownNameError(
                f"no condition {name!r} in these traces; {nearest(name, [*known])}"
            )
    chosen = known if wanted is None else wanted
    return [name for name in dict.fromkeys(chosen) if name != baseline and baseline in known]


def measure(
    table: Table,
    baseline: str,
    conditions: Sequence[str],
    *,
    resamples: int,
    seed: int,
    strict: bool = False,
    mcnemar: bool = True,
) -> list[Effect]:
    """All effects with their raw tests, not yet adjusted for how many there are.

    Without `mcnemar`, p is always that of the bootstrap: for values that are means over conditions.
    """
    pairs: dict[Cell, Paired] = {
        (metric, condition): pair(
            table.averaged(metric, baseline), table.averaged(metric, condition), strict=strict
        )
        for metric in table.values
        for condition in conditions
    }
    intervals, flips = _resampled(table, pairs, resamples, seed)
    counts = {
        cell: discordance(paired.base, paired.variant)
        for cell, paired in pairs.items()
        if mcnemar and paired.single and METRICS.get(cell[0]).binary and _right_or_wrong(paired)
    }
    exact = mcnemar_exact([d.b for d in counts.values()], [d.c for d in counts.values()])
    mid = mcnemar_mid_p([d.b for d in counts.values()], [d.c for d in counts.values()])
    tested = {
        cell: (d, float(exact[i]), float(mid[i])) for i, (cell, d) in enumerate(counts.items())
    }
    return [
        _tested(
            table.effect(cell[0], baseline, cell[1], paired),
            paired,
            intervals.get(cell),
            tested.get(cell),
            flips.get(cell, SignFlip(0, None, None)),
        )
        for cell, paired in pairs.items()
    ]


def _right_or_wrong(paired: Paired) -> bool:
    """Whether there are values, and all are 0 or 1; a table of scores may hold means."""
    values = np.concatenate([paired.base, paired.variant])
    return bool(values.size and np.isin(values, (0.0, 1.0)).all())


def _resampled(
    table: Table, pairs: Mapping[Cell, Paired], resamples: int, seed: int
) -> tuple[dict[Cell, Interval], dict[Cell, SignFlip]]:
    """Interval and cluster test of each cell; cells over the same items share random numbers."""
    same: dict[tuple[str, ...], list[Cell]] = defaultdict(list)
    for cell, paired in pairs.items():
        same[paired.items].append(cell)
    intervals: dict[Cell, Interval] = {}
    flips: dict[Cell, SignFlip] = {}
    for items, cells in same.items():
        block = np.column_stack([pairs[cell].difference for cell in cells])
        own = derive_seed(seed, table.suite, items)
        found = paired_bootstrap_columns(block, resamples=resamples, seed=own)
        intervals |= {cell: one for cell, one in zip(cells, found, strict=True) if one is not None}
        # Without any cluster label there is nothing to test.
        if any(item in table.clusters for item in items):
            names = [table.clusters.get(item, item) for item in items]
            flips |= dict(zip(cells, cluster_sign_flips(block, names, seed=own), strict=True))
    return intervals, flips


def _tested(
    effect: Effect,
    paired: Paired,
    interval: Interval | None,
    mcnemar: tuple[Discordance, float, float] | None,
    flip: SignFlip,
) -> Effect:
    facts: dict[str, Any] = {
        "clusters": flip.clusters,
        "p_cluster": flip.p,
        "worst": _worst(effect.metric, paired),
    }
    if interval is not None:
        facts |= {
            "low": interval.low,
            "high": interval.high,
            "p": interval.p,
            "p_bootstrap": interval.p,
            "p_plain": interval.p_plain,
            "test": "bootstrap",
            "detectable": detectable_mean(paired.difference),
        }
    if mcnemar is not None:
        counts, exact, mid = mcnemar
        facts |= {
            "b": counts.b,
            "c": counts.c,
            "p": exact,
            "mid_p": mid,
            "test": "mcnemar",
            "detectable": detectable_mcnemar(counts.b + counts.c, counts.n),
        }
    return replace(effect, **facts)


def _worst(metric: str, paired: Paired) -> str:
    better = METRICS.get(metric).better
    harm = paired.difference if better == "lower" else -paired.difference
    if better == "neither" or not paired.n or harm.max() <= 0:
        return ""
    return paired.items[int(harm.argmax())]


def adjusted(effects: Sequence[Effect]) -> list[Effect]:
    """The effects with Holm and Benjamini-Hochberg p over one suite and metric."""
    families: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, effect in enumerate(effects):
        if effect.p is not None:
            families[effect.suite, effect.metric].append(place)
    out = list(effects)
    for places in families.values():
        raw = [p for place in places if (p := effects[place].p) is not None]
        for place, by_holm, by_bh in zip(places, holm(raw), benjamini_hochberg(raw), strict=True):
            out[place] = replace(effects[place], holm=by_holm, bh=by_bh, family=len(places))
    return out
