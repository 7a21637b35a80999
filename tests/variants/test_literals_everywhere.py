"""Byte for byte: every literal of every task stands in every variant as often as in its base."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandboxes.base import SANDBOXES
from tracer.records import Task
from variants.features import DIALECTS
from variants.noise.typos import typos
from variants.parse import parse
from variants.parsed import Parsed
from variants.protect import Span, protected_spans, texts
from variants.transduce import transduce

SUITES = {"workbench:all": 690, "tooltalk:all": 78, "office": 48}
"""Suite to the least number of its items."""
DENSITIES = (0.25, 0.5, 1.0)
SAMPLE = 15
"""One in so many requests is looked at in the quick share."""


def _tasks(suite: str, data_dir: Path) -> list[Task]:
    scheme, _, part = suite.partition(":")
    sandbox = SANDBOXES.get(scheme)(part, mode=None, data=lambda name: str(data_dir / name))
    tasks = list(sandbox.tasks())
    assert len(tasks) >= SUITES[suite]
    return tasks


def _turns(tasks: list[Task]) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    for task in tasks:
        for number, turn in enumerate(task.turns):
            yield f"{task.item}#{number}", turn.text, task.protected


def _check(item: str, text: str, given: tuple[str, ...]) -> None:
    spans = protected_spans(text, given)
    literals = texts(text, spans)
    parsed = parse(text, spans)
    for name in DIALECTS.names():
        _check_dialect(name, item, parsed, spans, literals)
    damaged = typos(text, item=item, given=given)
    for literal in literals if damaged is not None else ():
        assert damaged is not None
        assert damaged.count(literal) == text.count(literal), (item, literal)


def _check_dialect(
    name: str, item: str, parsed: Parsed, spans: tuple[Span, ...], literals: tuple[str, ...]
) -> None:
    dialect = DIALECTS.get(name)
    before: set[object] = set()
    for tier in ("safe", "safe+guarded"):
        nothing = transduce(parsed, dialect, item=item, protected=spans, density=0.0, tier=tier)
        assert nothing.text == parsed.text
        before = set()
        for density in DENSITIES:
            made = transduce(
                parsed, dialect, item=item, protected=spans, density=density, tier=tier
            )
            edits = {(use.feature.ewave, use.edits) for use in made.applied}
            assert before <= edits, (item, name, density)
            before = edits
            for literal in literals:
                same = made.text.count(literal) == parsed.text.count(literal)
                assert same, (item, name, density, literal, made.text)


@pytest.mark.parametrize("suite", SUITES)
def test_literals_of_a_sample(suite, data_dir: Path):
    for item, text, given in list(_turns(_tasks(suite, data_dir)))[::SAMPLE]:
        _check(item, text, given)


@pytest.mark.slow
@pytest.mark.parametrize("suite", SUITES)
@pytest.mark.timeout(900)
def test_literals_of_all_tasks(suite, data_dir: Path):
    """All of them is a matter of minutes: STAGETRACE_ALL_LITERALS=1 asks for it."""
    step = 1 if os.environ.get("STAGETRACE_ALL_LITERALS") else 4
    for item, text, given in list(_turns(_tasks(suite, data_dir)))[::step]:
        _check(item, text, given)
