"""Stored parses of the rule examples; STAGETRACE_GOLDEN=1 writes them again."""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path

from variants.features import DIALECTS, Feature
from variants.parse import parse
from variants.parsed import Parsed, from_json, to_json
from variants.protect import protected_spans

PATH = Path(__file__).with_name("parses.json")
NAMES = ("Kay", "Jeff")


def examples() -> list[tuple[str, Feature, str, str]]:
    return [
        (name, feature, base, result)
        for name in DIALECTS.names()
        for feature in DIALECTS.get(name).features
        for base, result in feature.examples
    ]


def live(text: str) -> Parsed:
    return parse(text, protected_spans(text, NAMES))


@cache
def stored() -> dict[str, Parsed]:
    if os.environ.get("STAGETRACE_GOLDEN"):
        texts = sorted({base for _, _, base, _ in examples()})
        lines = [json.dumps(to_json(live(text))) for text in texts]
        PATH.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")
    documents = json.loads(PATH.read_text(encoding="utf-8"))
    return {document["text"]: from_json(document) for document in documents}
