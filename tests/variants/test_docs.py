from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from sandboxes.base import SANDBOXES
from sandboxes.office import OfficeSandbox
from variants.conditions import conditions
from variants.coverage import coverage, coverage_table
from variants.features import DIALECTS
from variants.gating import gates_of
from variants.rule_table import rule_table

PAGE = Path(__file__).parents[2] / "docs/variants.md"


@pytest.mark.parametrize("name", DIALECTS.names())
def test_the_rule_table_is_current(name):
    """STAGETRACE_GOLDEN=1 writes it again."""
    page = PAGE.read_text(encoding="utf-8")
    block = re.compile(rf"(<!-- rules: {name} -->\n).*?(<!-- end -->)", re.DOTALL)
    assert block.search(page)
    current = block.sub(lambda m: m.group(1) + rule_table(DIALECTS.get(name)) + m.group(2), page)
    if os.environ.get("STAGETRACE_GOLDEN"):
        PAGE.write_text(current, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == current


def _block(page: str, kind: str) -> re.Pattern[str]:
    pattern = re.compile(rf"(<!-- {re.escape(kind)} -->\n).*?(<!-- end -->)", re.DOTALL)
    assert pattern.search(page)
    return pattern


def test_coverage_of_workbench_is_current(data_dir):
    """STAGETRACE_GOLDEN=1 writes it again; the other suite's table is written with it."""
    page = PAGE.read_text(encoding="utf-8")
    emails = SANDBOXES.get("workbench")("email", mode=None, data=lambda name: str(data_dir / name))
    email_tasks = list(emails.tasks())
    assert len(email_tasks) == 90
    current = _block(page, "coverage: workbench:email").sub(
        lambda m: m.group(1) + coverage_table(coverage(email_tasks)) + m.group(2), page
    )
    if os.environ.get("STAGETRACE_GOLDEN"):
        office = coverage_table(coverage(OfficeSandbox("", data=str).tasks()))
        current = _block(current, "coverage: office").sub(
            lambda m: m.group(1) + office + m.group(2), current
        )
        PAGE.write_text(current, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == current


def test_every_condition_and_gate_is_documented():
    page = PAGE.read_text(encoding="utf-8")
    gates = {gate for condition in conditions() for gate in gates_of(condition)}
    assert all(f"`{name}`" in page for name in [*conditions(), *gates])


def test_the_atlas_is_credited():
    page = PAGE.read_text(encoding="utf-8")
    assert "eWAVE 3.0" in page
    assert "CC BY 3.0" in page
