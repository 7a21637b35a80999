from __future__ import annotations

import pytest

from tracer.records import Task
from variants.make import make_variant
from variants.parse import head_verb, parse
from variants.parsed import Parsed
from variants.protect import lost, protected_spans


def _parsed(task: Task) -> Parsed:
    return parse(task.text, protected_spans(task.text, task.protected))


def test_every_sentence_has_a_verb_as_its_root(email_tasks):
    assert len(email_tasks) == 90
    for task in email_tasks:
        parsed = _parsed(task)
        roots = [parsed.root(sentence) for sentence in parsed.sentences()]
        assert all(root.tag.startswith("VB") for root in roots), task.text
        assert head_verb(parsed)


def test_every_parse_is_a_forest_with_one_root_a_sentence(email_tasks):
    for task in email_tasks:
        parsed = _parsed(task)
        for sentence in parsed.sentences():
            root = parsed.root(sentence)
            assert {token.index for token in parsed.subtree(root)} == {t.index for t in sentence}
            assert sum(token.dep == "ROOT" for token in sentence) == 1


def test_typos_change_every_request_and_no_literal(email_tasks):
    for task in email_tasks:
        variant = make_variant(task, "typos")
        assert variant.status == "admitted", task.text
        assert not lost(variant.base_text, variant.text, variant.protected)


@pytest.mark.parametrize(
    ("dialect", "least"),
    [("indian", 90), ("singapore", 86), ("black_south_african", 81), ("nigerian", 63)],
)
def test_dialects_reach_the_requests_in_the_safe_tier(email_tasks, dialect, least):
    """Four have a quote that never closes: what follows it may belong to the message."""
    made = [make_variant(task, f"dialect_{dialect}") for task in email_tasks]
    failed = [variant for variant in made if variant.status == "failed"]
    assert all(variant.reason == "no_feature" for variant in failed)
    assert len(made) - len(failed) >= least
