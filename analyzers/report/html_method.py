"""Section 8 of the HTML report: how it was done, so that it can be done again."""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from analyzers.base import Metric
from analyzers.report.html_effects import HEADS
from analyzers.report.material import Material
from tracer.records import Json

DIALECTS = (
    "dialect conditions apply attested features of a variety by rule; they are a stress test, not "
    "how its speakers write. Features: Electronic World Atlas of Varieties of English (eWAVE 3.0), "
    "CC BY 3.0"
)
POLICY = (
    "this page's content policy is written into it; whoever serves it should send the header "
    "frame-ancestors as well, which a page cannot set for itself"
)


@dataclass(frozen=True, slots=True)
class Definition:
    """What a metric is."""

    name: str
    meaning: str
    source: str
    facts: str


@dataclass(frozen=True, slots=True)
class Method:
    """How the numbers of one block were made."""

    lines: tuple[str, ...]
    definitions: tuple[Definition, ...]
    heads: tuple[tuple[str, str], ...]
    files: tuple[tuple[str, str], ...]
    commands: tuple[str, ...]


def method(material: Material, metrics: Sequence[Metric]) -> Method:
    """Tests and families, definitions, files with digests, commands."""
    report = material.report
    comparison = report.comparison
    lines = [*report.footer]
    family = max((effect.family for effect in comparison.effects), default=0)
    if family:
        lines.append(f"Holm and BH allow for the {family} conditions of each metric together")
    has_dialect = any(name.startswith("dialect_") for name in comparison.conditions)
    if has_dialect and not any("eWAVE" in line for line in lines):
        lines.append(DIALECTS)
    licence = _licence(material)
    if licence:
        lines.append(licence)
    lines.append(POLICY)
    return Method(
        tuple(lines),
        tuple(_definition(metric) for metric in metrics),
        HEADS,
        tuple(
            (f"{facts.path}/{name}", digest)
            for facts in material.runs
            for name, digest in facts.digests.items()
        ),
        tuple(_commands(material)),
    )


def _definition(metric: Metric) -> Definition:
    text = inspect.cleandoc(metric.score.__doc__ or "")
    meaning, _, source = text.partition("Source:")
    way = {"higher": "higher is better", "lower": "lower is better"}.get(
        metric.better, "neither way is better"
    )
    unit = "0 or 1 a run" if metric.binary else f"unit: {metric.unit}"
    facts = f"{metric.stage}; {way}; {unit}; no value when: {metric.undefined}"
    return Definition(metric.name, " ".join(meaning.split()), " ".join(source.split()), facts)


def _licence(material: Material) -> str:
    found = [_text(facts.manifest, "data_licence") for facts in material.runs]
    named = ", ".join(dict.fromkeys(text for text in found if text))
    return f"licence of the data: {named}" if named else ""


def _text(manifest: Mapping[str, Json], key: str) -> str:
    value = manifest.get(key)
    return value if isinstance(value, str) else ""


def _commands(material: Material) -> Iterator[str]:
    subject, comparison = material.report.subject, material.report.comparison
    runs = " ".join(shlex.quote(path) for path in subject.runs)
    options = ""
    if comparison.baseline != "base":
        options += f" --baseline {shlex.quote(comparison.baseline)}"
    yield (
        f"stagetrace analyze {runs} --format html{options}"
        f" --resamples {comparison.resamples} --seed {comparison.seed}"
    )
    yield from material.report.next
