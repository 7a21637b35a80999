"""The page on own tasks runs from top to bottom."""

from __future__ import annotations

from pathlib import Path

import pytest

from stagetrace.commandline import run
from tests.test_readme import ROOT, in_order


def test_the_page_on_own_tasks_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    steps = in_order(ROOT / "docs" / "tasks.md")
    assert [kind for kind, _ in steps] == ["python", "command", "command", "command"]
    for kind, body in steps:
        if kind == "python":
            exec(compile(body, "tasks.md", "exec"), {})
        else:
            assert run(body.split()) == 0, body
