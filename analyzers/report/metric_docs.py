"""The page that lists every metric, written from the registry."""

from __future__ import annotations

import inspect
from collections.abc import Iterable

from analyzers.base import METRICS, Metric
from analyzers.report.markdown import escaped
from analyzers.report.tables import STAGES

_INTRO = """# Metrics

Written from the registry (`make golden` rewrites it). A metric sees one trace and gives a number,
or nothing where it does not apply; nothing is never counted as 0. Shares are in [0, 1] in data and
in percent in tables. Tables average the runs of an item first, then the items.
"""


def metric_docs() -> str:
    """Markdown: one section a stage, one entry a metric with its definition and source."""
    lines = [_INTRO]
    for stage in STAGES:
        found = [m for name in METRICS.names() if (m := METRICS.get(name)).stage == stage]
        lines += [f"## {stage}", ""]
        for metric in found:
            lines += _entry(metric)
    return "\n".join(lines).rstrip("\n") + "\n"


def _entry(metric: Metric) -> Iterable[str]:
    text = inspect.cleandoc(metric.score.__doc__ or "")
    meaning, _, source = text.partition("Source:")
    way = "neither way" if metric.better == "neither" else metric.better
    facts = [f"{way} is better"]
    facts.append("0 or 1 a run" if metric.binary else f"unit: {metric.unit}")
    facts.append(f"nothing when: {metric.undefined}")
    yield f"### {metric.name}"
    yield ""
    yield escaped(" ".join(meaning.split()))
    yield ""
    yield f"- {escaped('; '.join(facts))}"
    yield f"- source: {escaped(' '.join(source.split()))}"
    yield ""
