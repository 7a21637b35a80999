from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tracer.errors import ModelWeightsMissingError, VariantError
from variants.base import Helpers
from variants.make import make_variant
from variants.noise.round_trip import OpusMt, RecordedTranslator


def _recorded(path, text: str, back: str) -> RecordedTranslator:
    rows = [
        {"src": "en", "tgt": "af", "text": text, "translation": "..."},
        {"src": "af", "tgt": "en", "text": "...", "translation": back},
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    return RecordedTranslator(path)


@pytest.mark.parametrize(
    ("back", "reason"),
    [
        ("Send the 3 invoices from Kay on to sam@corp.example before 10:30.", ""),
        ("Send the three invoices from Kay to sam@corp.example by 10:30.", "numbers"),
        ("Please forward the 3 invoices from Kay to sam@corp.example by 10:30.", "unchanged"),
    ],
)
def test_a_round_trip_passes_the_gates_or_says_why_not(task, tmp_path, back, reason):
    translator = _recorded(tmp_path / "t.jsonl", task.text, back)
    variant = make_variant(task, "rtt", helpers=Helpers(translator=translator))
    assert variant.generator == "rtt"
    assert (variant.status == "failed") is bool(reason)
    assert variant.reason.startswith(reason)
    assert variant.model == "recorded:t.jsonl"


def test_hits_on_names_are_recorded(task, tmp_path):
    back = "Send the 3 invoices from Kay to samuel@corp.ex by 10:30."
    translator = _recorded(tmp_path / "t.jsonl", task.text, back)
    variant = make_variant(task, "rtt", helpers=Helpers(translator=translator))
    verdict = next(v for v in variant.gates if v.name == "entities")
    assert (verdict.passed, verdict.filtered) == (False, False)
    assert variant.status == "admitted"


def test_a_text_that_was_not_recorded_is_named(task, tmp_path):
    translator = _recorded(tmp_path / "t.jsonl", task.text, "x")
    other = replace(task, turns=(replace(task.turns[0], text="Another one."),))
    with pytest.raises(VariantError, match="no translation from 'en' to 'af' of 'Another one"):
        make_variant(other, "rtt", helpers=Helpers(translator=translator))


def test_absent_weights_are_said_at_once(tmp_path):
    with pytest.raises(ModelWeightsMissingError, match="opus-mt-en-af"):
        OpusMt(tmp_path)


def test_a_file_without_translations_is_named(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"src": "en"}')
    with pytest.raises(VariantError, match=r"t\.jsonl:1: no translation"):
        RecordedTranslator(path)
