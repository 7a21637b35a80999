"""The code of the README and the docs runs as it stands there."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from stagetrace.commandline import run

ROOT = Path(__file__).parent.parent
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^    stagetrace (.*)$", re.MULTILINE)
NEEDS_A_SERVER = "http://127.0.0.1"


def commands(page: Path) -> list[list[str]]:
    found = COMMAND.findall(page.read_text(encoding="utf-8"))
    return [re.sub(r"\s+#.*", "", line).split() for line in found if NEEDS_A_SERVER not in line]


@pytest.mark.slow
def test_readme_runs_from_top_to_bottom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    page = ROOT / "README.md"
    for number, code in enumerate(PYTHON.findall(page.read_text(encoding="utf-8"))):
        block = tmp_path / f"block_{number}.py"
        block.write_text(code, encoding="utf-8")
        result = subprocess.run(
            [sys.executable, block], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert result.returncode == 0, f"{page.name} block {number}: {result.stderr}"
    for arguments in commands(page):
        assert run(arguments) == 0, arguments


def in_order(page: Path) -> list[tuple[str, str]]:
    """The commands and the blocks of code of a page as they follow each other."""
    text = page.read_text(encoding="utf-8")
    found = [(match.start(), "python", match.group(1)) for match in PYTHON.finditer(text)]
    found += [(match.start(), "command", match.group(1)) for match in COMMAND.finditer(text)]
    return [(kind, body) for _, kind, body in sorted(found)]


@pytest.mark.slow
def test_the_page_on_analysis_runs_from_top_to_bottom(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    for kind, body in in_order(ROOT / "docs" / "analyze.md"):
        if kind == "command":
            line = re.sub(r"\s+#.*", "", body)
            assert run(shlex.split(line)) == 0, line
            continue
        block = tmp_path / "block.py"
        block.write_text(body, encoding="utf-8")
        result = subprocess.run(
            [sys.executable, block], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert result.returncode == 0, f"{body}\n{result.stderr}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path):
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name}: {target}"
