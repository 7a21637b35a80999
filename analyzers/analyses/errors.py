"""errors: what kind of wrong the wrong answers are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from analyzers.analysis import ANALYSES, Evidence, Study
from analyzers.error_codes import GENERATION, RETRIEVAL, UNCODED
from analyzers.facts import Facts
from analyzers.panel import Field, Panel

SLICES = ("style-induced", "persistent", "baseline")


@ANALYSES.add("errors")
def errors(evidence: Evidence) -> Iterable[Panel]:
    """Codes of generation errors and retrieval failures, in three slices.

    Style-induced: right in the base, wrong under the wording. Persistent: wrong in both. Baseline:
    the errors of the base. Codes come from a labeller or a reviewer where there was one, else from
    deterministic signs, the first by precedence.

    Source:
        Lost in the Request, appendix F; numbering of most codes and the signs: ours.
    """
    for study in evidence.studies:
        coded = list(coded_slots(study))
        for fault, codes in (("generation", GENERATION), ("retrieval", RETRIEVAL)):
            counts = Counter((code, part) for code, part, of in coded if of == fault)
            if not counts:
                continue
            totals = Counter(part for _, part, of in coded if of == fault)
            lines = []
            for code, meaning in {**codes, UNCODED: "no sign; needs a reader"}.items():
                if not any(counts[code, part] for part in SLICES):
                    continue
                line: dict[str, object] = {"code": code, "meaning": meaning}
                for part in SLICES:
                    line[part] = counts[code, part]
                    line[f"{part}_share"] = (
                        counts[code, part] / totals[part] if totals[part] else None
                    )
                lines.append(line)
            fields = [Field("code", "code"), Field("meaning", "meaning")]
            for part in SLICES:
                fields += [Field(part, part, "count"), Field(f"{part}_share", "%", "level")]
            yield Panel(
                f"errors.{fault}",
                f"{fault.capitalize()} errors: {study.title}",
                tuple(fields),
                tuple(lines),
                (_source(study),),
            )


def coded_slots(study: Study) -> Iterable[tuple[str, str, str]]:
    """Code, slice and fault of every wrong run."""
    baseline = study.comparison.baseline
    labels = study.block.notes.codes
    facts = study.block.notes.facts
    base = {(fact.item, fact.replicate): fact for fact in facts if fact.condition == baseline}
    for fact in facts:
        if fact.fault not in ("generation", "retrieval"):
            continue
        part = slice_of(fact, base.get((fact.item, fact.replicate)), baseline)
        if part:
            key = fact.item, fact.condition, fact.replicate
            first = fact.candidates[0] if fact.candidates else UNCODED
            yield labels.get(key, first), part, fact.fault


def slice_of(fact: Facts, base: Facts | None, baseline: str) -> str:
    """Which slice a wrong run belongs to; empty where its base is not known."""
    if fact.condition == baseline:
        return "baseline"
    if base is None or base.fault == "unknown":
        return ""
    return "persistent" if base.fault else "style-induced"


def _source(study: Study) -> str:
    if study.block.notes.codes:
        return f"{len(study.block.notes.codes)} codes by {study.block.notes.coder}, else by signs"
    return "codes by deterministic signs only: candidates, not findings (--label, --review)"
