"""What is known of one condition beside the base, in one metric."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

ALPHA = 0.05
FEW = 10
"""Fewer changed items than this, and a bootstrap interval is too narrow."""


@dataclass(frozen=True, slots=True)
class Effect:
    """One condition against the base in one metric, over the items that both have."""

    suite: str
    metric: str
    condition: str
    group: str = ""
    """Value of the label that a breakdown splits by; empty for all items."""
    n: int = 0
    n_undefined: int = 0
    n_missing: int = 0
    """Items of the base that the condition lacks."""
    n_short: int = 0
    """Items with fewer runs than the others."""
    base: float | None = None
    """Mean of the base over the same items."""
    variant: float | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    test: str = ""
    """Which test `p` comes from: `mcnemar` or `bootstrap`."""
    p: float | None = None
    p_bootstrap: float | None = None
    p_plain: float | None = None
    """The bootstrap's p without the added one."""
    mid_p: float | None = None
    b: int | None = None
    c: int | None = None
    moved: int = 0
    """Items whose value differs."""
    holm: float | None = None
    bh: float | None = None
    family: int = 0
    """Number of comparisons that `holm` and `bh` allow for."""
    clusters: int = 0
    p_cluster: float | None = None
    detectable: float | None = None
    micro_base: float | None = None
    micro_variant: float | None = None
    reasons: Mapping[str, int] = field(default_factory=dict)
    """Why values are missing, with the number of traces, both conditions together."""
    missing: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    """Items of the condition that the base lacks."""
    worst: str = ""
    """The item that the condition harms most; empty when it harms none."""

    @property
    def mark(self) -> str:
        """`*` for Holm-adjusted p below .05, `·` for raw p only, else nothing."""
        if self.holm is not None and self.holm < ALPHA:
            return "*"
        return "·" if self.p is not None and self.p < ALPHA else ""

    @property
    def few(self) -> bool:
        """Whether so few items changed that the interval is too narrow."""
        return 0 < self.moved < FEW

    @property
    def clusters_disagree(self) -> bool:
        """Whether the test over items and the one over clusters fall on different sides of .05."""
        if self.p is None or self.p_cluster is None:
            return False
        return (self.p < ALPHA) != (self.p_cluster < ALPHA)

    @property
    def interval_disagrees(self) -> bool:
        """Whether interval and p say different things about zero."""
        if self.p is None or self.low is None or self.high is None:
            return False
        return (self.p < ALPHA) != (self.low > 0 or self.high < 0)


@dataclass(frozen=True, slots=True)
class Level:
    """The mean of one condition in one metric over all its items, paired or not."""

    suite: str
    metric: str
    condition: str
    value: float | None
    n: int
    n_undefined: int
    micro: float | None = None
    reasons: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Comparison:
    """All effects of one suite."""

    suite: str
    baseline: str
    conditions: tuple[str, ...]
    """Without the baseline, in table order."""
    metrics: tuple[str, ...]
    effects: tuple[Effect, ...]
    levels: tuple[Level, ...]
    items: Mapping[str, int] = field(default_factory=dict)
    """Condition to the number of its items, the baseline too."""
    common: Mapping[str, int] = field(default_factory=dict)
    """Condition to the number of items it shares with the baseline."""
    runs: int = 1
    """Most runs that an item has in a condition."""
    resamples: int = 10_000
    seed: int = 0

    def effect(self, metric: str, condition: str) -> Effect | None:
        """The effect of a condition in a metric, if there is one."""
        return next(
            (e for e in self.effects if (e.metric, e.condition) == (metric, condition)), None
        )

    def level(self, metric: str, condition: str) -> Level | None:
        """The level of a condition in a metric, if there is one."""
        return next(
            (v for v in self.levels if (v.metric, v.condition) == (metric, condition)), None
        )


def effects_frame(effects: Iterable[Effect]) -> pd.DataFrame:
    """One line an effect, with full-precision shares; what is unknown is missing, never 0."""
    import pandas as pd

    left_out = {"reasons", "missing", "extra"}
    names = [name for name in Effect.__dataclass_fields__ if name not in left_out]
    return pd.DataFrame(
        [[getattr(effect, name) for name in names] for effect in effects], columns=names
    )
