"""Cases of faults in rewriting: which check answers which part and input."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tracer.records import Task, Turn
from variants.base import POLES, Helpers, Variant
from variants.features import DIALECTS
from variants.make import make_variant
from variants.noise.typos import typos
from variants.parse import parse
from variants.protect import protected_spans
from variants.transduce import transduce

Case = Mapping[str, Any]
Said = Callable[[], str]
_ITEM = "t"
_MARKS = ",.?!;"


def _varied(text: str, condition: str, helpers: Helpers | None = None) -> Variant:
    return make_variant(Task(_ITEM, "s", "actions", (Turn(text),)), condition, helpers=helpers)


def _text(case: Case, folder: Path, said: Said) -> None:
    if "numbers_after" in case["right"]:
        _translated(case)
        return
    for name in DIALECTS.names():
        for tier in ("safe", "safe+guarded"):
            for text in (case["input"]["text"], *case["right"].get("also", ())):
                made = transduce(parse(text), DIALECTS.get(name), item=_ITEM, tier=tier)
                assert isinstance(made.text, str)
                assert made.text


class _Scripted:
    """Translates to one text, there and back."""

    name = "scripted"

    def __init__(self, back: str) -> None:
        self.back = back

    def translate(self, texts: Sequence[str], src: str, tgt: str) -> list[str]:
        return [self.back for _ in texts]


def _translated(case: Case) -> None:
    """A round trip is admitted with every number, and rejected by name without one of them."""
    text, numbers = case["input"]["text"], case["right"]["numbers_after"]
    changed = [text.replace(number, number[:-1] + "x") for number in numbers]
    nines = [text.replace(number, "9" + number) for number in numbers]
    for back in (f"{text}, please", *changed, *nines, ""):
        variant = _varied(text, "rtt", Helpers(translator=_Scripted(back)))
        assert (variant.status == "admitted") is back.endswith("please"), back
        if variant.status == "admitted":
            assert all(number in variant.text for number in numbers)
        else:
            assert variant.reason
            assert variant.item_id == _ITEM


def _torn(case: Case, folder: Path, said: Said) -> None:
    """Codes stay whole at the given rate and at the highest."""
    given = case["input"]
    spaced = {mark: given["text"].count(f" {mark}") for mark in _MARKS}
    for seed in given["seed"]:
        for rate in (given["rate"], 1.0):
            text = typos(given["text"], item=_ITEM, seed=seed, probability=rate)
            assert text is not None
            for literal in case["right"]["unchanged_substrings"]:
                assert literal in text
            assert {mark: text.count(f" {mark}") for mark in _MARKS} == spaced


def _nothing_asked(case: Case, folder: Path, said: Said) -> None:
    """At rate or density 0 nothing changes, whatever the kind."""
    text = case["input"]["text"]
    assert typos(text, item=_ITEM, probability=0.0) == text
    assert typos(text, item=_ITEM, probability=0.0, protect="none") == text
    spans = protected_spans(text)
    for name in DIALECTS.names():
        dialect = DIALECTS.get(name)
        made = transduce(parse(text, spans), dialect, item=_ITEM, protected=spans, density=0.0)
        assert made.text == text


def _texts(case: Case, folder: Path, said: Said) -> None:
    dialects = (f"dialect_{name}" for name in DIALECTS.names())
    for condition in ("base", "typos", "rtt", *POLES.names(), *dialects):
        for text in case["input"]["texts"]:
            variant = _varied(text, condition)
            assert type(variant.text).__name__ == case["right"]["type"].split()[0]
            if not text:
                assert variant.text == case["right"]["empty"]


CHECKS: Mapping[tuple[str, frozenset[str]], Callable[[Case, Path, Said], None]] = {
    ("variants", frozenset({"text"})): _text,
    ("variants", frozenset({"text", "rate", "seed"})): _torn,
    ("variants", frozenset({"text", "variant"})): _nothing_asked,
    ("variants", frozenset({"texts"})): _texts,
}
IN_WORDS: Mapping[tuple[str, frozenset[str]], str] = {
    ("variants", frozenset({"do"})): "tests/variants/test_bug_cases.py",
}
