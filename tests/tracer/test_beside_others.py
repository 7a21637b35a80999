"""The tracer on the lowest LangGraph that it takes, and beside other instrumentors.

Each in a virtualenv of its own: `make bench-peers` makes the one with the others.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.tracer.test_langgraph import WHOLE

pytestmark = [pytest.mark.service, pytest.mark.timeout(900)]

PEERS = ROOT / ".venv-bench" / "bin" / "python"
FILES = ("test_langgraph.py", "test_context.py", "test_golden_spans.py")


def run(*arguments: str | Path, **more: str) -> str:
    done = subprocess.run(
        [str(one) for one in arguments],
        capture_output=True,
        text=True,
        timeout=800,
        cwd=ROOT,
        env={**os.environ, **more},
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "detach" not in done.stderr
    return done.stdout


def test_the_trees_are_the_same_on_the_lowest_langgraph(tmp_path):
    """The tests of graphs and context hold there as they do on the version of `constraints.txt`."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    (lowest,) = [
        asked.replace(">=", "==")
        for asked in project["optional-dependencies"]["agents"]
        if asked.startswith("langgraph")
    ]
    python = tmp_path / "venv" / "bin" / "python"
    run(sys.executable, "-m", "venv", tmp_path / "venv")
    wanted = [lowest, "numpy", "pytest", "pytest-timeout"]
    run(python, "-m", "pip", "install", "--disable-pip-version-check", "-q", "-e", ".", *wanted)
    told = run(python, "-c", "from importlib.metadata import version; print(version('langgraph'))")
    assert told.strip().startswith(lowest.partition("==")[2])
    said = run(python, "-m", "pytest", "-q", *(ROOT / "tests" / "tracer" / name for name in FILES))
    assert re.search(r"\b[1-9]\d+ passed", said)


BESIDE = """
import asyncio, json, sys, warnings
warnings.simplefilter("ignore")
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
exporter, provider = InMemorySpanExporter(), TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(exporter))
which, how = sys.argv[1:]
if which == "openinference":
    from openinference.instrumentation.langchain import LangChainInstrumentor as Other
elif which == "openllmetry":
    from opentelemetry.instrumentation.langchain import LangchainInstrumentor as Other
if which != "none":
    Other().instrument(tracer_provider=provider)
from opentelemetry import trace as ot
from tests.tracer.graphs import agent_graph
from tracer.fold import fold
from tracer.langgraph import trace_graph
from tracer.record import Recorder
from tracer.testing import MemorySink
sink = MemorySink()
with Recorder(sink) as recorder:
    graph = trace_graph(agent_graph(), recorder, name="demo")
    for _ in range(2):
        if how == "invoke":
            graph.invoke({"question": "Where is it?"})
        else:
            asyncio.run(graph.ainvoke({"question": "Where is it?"}))
assert not ot.get_current_span().get_span_context().is_valid
spans = {span.span_id: span for span in sink.spans()}
def path(span):
    above = spans.get(span.parent_id)
    return span.name if above is None else path(above) + "/" + span.name
traces = {}
for span in spans.values():
    traces.setdefault(span.trace_id, []).append(span)
print(json.dumps({
    "roots": [span.parent_id for span in spans.values() if span.parent_id not in spans],
    "trees": [sorted(map(path, some)) for some in traces.values()],
    "tokens": [
        sum(m.input_tokens or 0 for m in fold(some).model_calls) for some in traces.values()
    ],
    "theirs": len(exporter.get_finished_spans()),
    "shared": sorted(
        {f"{s.context.trace_id:032x}" for s in exporter.get_finished_spans()} & set(traces)
    ),
    "traces": sorted(traces),
}))
"""


@pytest.fixture(scope="module")
def beside() -> Path:
    if not PEERS.exists():
        pytest.skip("the other instrumentors are not installed; make bench-peers")
    return PEERS


@pytest.mark.parametrize("how", ["invoke", "ainvoke"])
@pytest.mark.parametrize("other", ["none", "openinference", "openllmetry"])
def test_another_instrumentor_doubles_none_of_our_spans_and_tokens(other, how, beside):
    """Ours are whole and their own roots; what the other makes hangs in the same two traces."""
    out = run(beside, "-c", BESIDE, other, how, PYTHONPATH=str(ROOT))
    found = json.loads(out.splitlines()[-1])
    assert found["trees"] == [WHOLE, WHOLE]
    assert found["roots"] == ["", ""]
    assert found["tokens"] == [9, 9]
    assert (found["theirs"] > 0) is (other != "none")
    assert found["shared"] == ([] if other == "none" else found["traces"])
