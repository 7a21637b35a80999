"""The code blocks of the tracer's documents run as they stand."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tracer.graphs import line_graph
from tests.tracer.test_store import write_run

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("name", ["tracing.md", "store.md", "production.md"])
def test_code_blocks_run(name, tmp_path, monkeypatch):
    write_run(tmp_path / "RUN")
    folder = tmp_path / "some/folder/of/otlp"
    folder.mkdir(parents=True)
    (tmp_path / "RUN" / "traces").rename(folder / "lines")
    (tmp_path / "RUN" / "traces").symlink_to(folder / "lines")
    monkeypatch.chdir(tmp_path)
    names = {"my_graph": line_graph(("n", lambda state: {"answer": "x"}))}
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / name).read_text(), re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, name, "exec"), names)


def test_the_tracer_imports_no_agent_framework():
    code = (
        "import sys, tracer.wrap, tracer.store, tracer.export, tracer.fold\n"
        "heavy = {'langchain_core', 'langgraph', 'numpy', 'grpc', 'google.protobuf'}\n"
        "sys.exit(', '.join(heavy & set(sys.modules)))"
    )
    child = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert (child.stdout, child.stderr.strip()) == ("", "")
