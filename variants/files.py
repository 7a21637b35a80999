"""Files of variants: one JSON object a line, checked at the door."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from tracer.errors import VariantError
from tracer.records import Json
from variants.base import FeatureUse, Span, Variant, Verdict
from variants.protect import occurrences

_PLAIN = (
    "item_id",
    "condition",
    "text",
    "base_text",
    "generator",
    "status",
    "reason",
    "seed",
    "density",
    "framing",
    "attempt",
    "candidate_index",
    "opening",
    "head_verb",
    "main_verb",
    "prompt_sha256",
    "model",
    "opening_uses",
)


def write_variants(path: Path, variants: Iterable[Variant]) -> int:
    """Write variants, failed slots too, whole or not at all, and return how many."""
    part = path.with_name(path.name + ".part")
    count = 0
    with part.open("w", encoding="utf-8") as file:
        for variant in variants:
            file.write(json.dumps(to_json(variant), ensure_ascii=True, allow_nan=False) + "\n")
            count += 1
    part.replace(path)
    return count


def read_variants(path: Path) -> list[Variant]:
    """The variants of a file; what a line leaves out has the record's default.

    Raises:
        VariantError: The file cannot be read, a line is no variant, or a slot comes twice.
    """
    variants: list[Variant] = []
    seen: dict[tuple[str, str], int] = {}
    for number, document in read_lines(path):
        variant = from_json(document)
        slot = (variant.item_id, variant.condition)
        if slot in seen:
            raise VariantError(
                f"{path}:{number}: {slot[0]!r} in {slot[1]!r} stands on line {seen[slot]} already; "
                "keep one line a slot"
            )
        seen[slot] = number
        variants.append(variant)
    return variants


def read_lines(path: Path) -> Iterator[tuple[int, dict[str, Json]]]:
    """Line numbers and objects of a file of variants, each valid by the schema.

    Raises:
        VariantError: The file cannot be read, or a line is no variant.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise VariantError(f"{path}: no readable file of variants: {error}") from error
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield number, _document(path, number, line)


def to_json(variant: Variant) -> dict[str, Json]:
    """A variant as JSON values, with the places of its literals in both texts."""
    document: dict[str, Json] = {name: getattr(variant, name) for name in _PLAIN}
    document["gates"] = [
        {
            "name": verdict.name,
            "verdict": "pass" if verdict.passed else "fail",
            "filtered": verdict.filtered,
            "score": verdict.score,
            "reason": verdict.reason,
            "rater": verdict.rater,
        }
        for verdict in variant.gates
    ]
    document["features"] = [
        {"ewave": use.ewave, "count": use.count, "spans": _lists(use.spans)}
        for use in variant.features
    ]
    document["soft"] = list(variant.soft)
    if variant.turns:
        document["turns"] = list(variant.turns)
    document["protected"] = [
        {
            "text": literal,
            "base": _lists(occurrences(variant.base_text, literal, case=True)),
            "variant": _lists(occurrences(variant.text, literal, case=True)),
        }
        for literal in variant.protected
    ]
    return document


def from_json(document: dict[str, Json]) -> Variant:
    """The variant of a valid object; without a generator it counts as written by somebody."""
    plain = {name: document[name] for name in _PLAIN if name in document}
    defaults = {"base_text": "", "generator": "authored", "status": "admitted"}
    return Variant(
        **(defaults | plain),
        gates=tuple(
            Verdict(
                gate["name"],
                passed=gate["verdict"] == "pass",
                filtered=gate["filtered"],
                score=gate.get("score"),
                reason=gate.get("reason", ""),
                rater=gate.get("rater", ""),
            )
            for gate in document.get("gates", ())
        ),
        features=tuple(
            FeatureUse(use["ewave"], use["count"], tuple((a, b) for a, b in use.get("spans", ())))
            for use in document.get("features", ())
        ),
        soft=tuple(document.get("soft", ())),
        turns=tuple(document.get("turns", ())),
        protected=tuple(literal["text"] for literal in document.get("protected", ())),
    )


@cache
def _validator() -> Any:
    schema = json.loads(resources.files("variants").joinpath("schema.json").read_text("utf-8"))
    return Draft202012Validator(schema)


def _document(path: Path, number: int, line: str) -> dict[str, Json]:
    try:
        document = json.loads(line, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise VariantError(f"{path}:{number}: not a JSON object: {error}") from error
    fault = next(iter(_validator().iter_errors(document)), None)
    if fault is not None:
        place = "/".join(str(step) for step in fault.absolute_path) or "the object"
        raise VariantError(
            f"{path}:{number}: {place}: {fault.message[:200]}; "
            'a line needs at least {"item_id": ..., "condition": ..., "text": ...}'
        )
    result: dict[str, Json] = document
    return result


def _refuse(constant: str) -> Json:
    raise ValueError(f"{constant} is no JSON")


def _lists(spans: Iterable[Span]) -> list[list[int]]:
    return [list(span) for span in spans]
