"""Imports stay light, and the core works without any extra."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = (
    "torch",
    "sentence_transformers",
    "chromadb",
    "langchain",
    "langchain_core",
    "langgraph",
    "openai",
    "spacy",
    "pandas",
    "pyarrow",
    "scipy",
    "matplotlib",
)
EXTRAS = (*HEAVY, "numpy", "bm25s", "lemminflect", "xllamacpp", "jinja2", "tenacity")

BLOCK = """
import sys
class Block:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in BLOCKED:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
BLOCKED = set(sys.argv.pop(1).split(","))
sys.meta_path.insert(0, Block())
"""


def python(code: str, *arguments: str, cwd: Path) -> str:
    result = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.parametrize(
    "room", ["tracer", "analyzers", "sandboxes", "variants", "assistants", "stagetrace"]
)
def test_importing_every_module_of_a_room_loads_nothing_heavy(room: str, tmp_path: Path):
    code = f"""
import importlib, pkgutil, sys, {room}
for module in pkgutil.walk_packages({room}.__path__, "{room}."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
print(",".join(sorted({{name.partition(".")[0] for name in sys.modules}} & {set(HEAVY)!r})))
"""
    assert python(code, cwd=tmp_path).strip() == ""


def test_trace_replay_and_show_work_with_the_core_alone(tmp_path: Path):
    code = (
        BLOCK
        + """
import stagetrace
from stagetrace.commandline import run
traced = stagetrace.trace(lambda question: "42", store="traces")
with stagetrace.identity(item="q1", condition="base"):
    traced("What is the answer?")
trace, = stagetrace.replay("traces")
assert (trace.request.item, trace.answer) == ("q1", "42"), trace
assert run(["show", "traces"]) == 0
assert run(["show", "traces", "q1"]) == 0
"""
    )
    out = python(code, ",".join(EXTRAS), cwd=tmp_path)
    assert 'answer "42"' in out


def test_a_missing_extra_is_answered_with_the_install_command(tmp_path: Path):
    code = (
        BLOCK
        + """
from stagetrace.commandline import run
assert run(["run", "office", "--assistant", "rag"]) == 2
"""
    )
    result = subprocess.run(
        [sys.executable, "-c", code, "langgraph,langchain_core,bm25s"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert "pip install 'stagetrace[agents]'" in result.stderr
