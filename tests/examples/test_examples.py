"""The examples run as they stand, and their traces hold what they say."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tracer.store import read_spans, read_traces

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(name: str, *args: str, cwd: Path) -> subprocess.CompletedProcess:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(EXAMPLES / name), *args],
        capture_output=True,
        text=True,
        timeout=240,
        cwd=cwd,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done


AGENT = Counter({"agent": 1, "chat": 2, "tool": 1})


def kinds(spans) -> Counter:
    names = {"AGENT": "agent", "LLM": "chat", "TOOL": "tool"}
    found = (names.get(span.attributes["openinference.span.kind"]) for span in spans)
    return Counter(kind for kind in found if kind)


@pytest.mark.parametrize("name", ["react_graph.py", "create_agent.py", "function_agent.py"])
def test_an_agent_is_one_trace_of_two_model_calls_and_a_tool_call(name, tmp_path):
    done = run(name, str(tmp_path / "traces"), cwd=tmp_path)
    assert "the review is on Friday" in done.stdout
    assert kinds(read_spans(tmp_path / "traces")) == AGENT
    (trace,) = read_traces(tmp_path / "traces")
    assert trace.warnings == ()
    assert trace.request.text == "When is the review?"
    assert "Friday" in trace.answer
    (call,) = trace.calls
    assert (call.name, call.arguments) == ("search_mail", {"query": "When is the review?"})
    assert [m.input_tokens for m in trace.model_calls] == [20, 20]
    assert [m.model for m in trace.model_calls] == ["small", "small"]


def test_twenty_streams_at_once_are_twenty_whole_traces(tmp_path):
    done = run("web_streams.py", str(tmp_path / "traces"), cwd=tmp_path)
    assert done.stdout == "20 of 20 streams\n"
    traces = list(read_traces(tmp_path / "traces"))
    assert len(traces) == 20
    for trace in traces:
        assert trace.warnings == ()
        assert (len(trace.model_calls), len(trace.calls)) == (2, 1)
        assert f"{trace.trace_id} request" in done.stderr
    assert "detach" not in done.stderr


def test_processes_write_parts_of_one_trace_an_item(tmp_path):
    done = run("many_processes.py", str(tmp_path / "traces"), cwd=tmp_path)
    assert "8 of 8 items answered" in done.stdout
    traces = {trace.request.item: trace for trace in read_traces(tmp_path / "traces")}
    assert sorted(traces) == [f"item{n}" for n in range(8)]
    for item, trace in traces.items():
        assert not any("orphan" in warning for warning in trace.warnings)
        assert [p.doc_id for p in trace.retrievals[-1].passages] == [f"{item}-a", f"{item}-b"]
    assert len(list((tmp_path / "traces" / "traces").iterdir())) > 2


BY_ITSELF = """
import sys
sys.path.insert(0, {examples!r})
from fake_endpoint import fake_endpoint
from react_graph import build
import subprocess
with fake_endpoint() as url:
    agent = build(url)
    print(agent.invoke({{"messages": [("user", "When is the review?")]}})["messages"][-1].content)
    from openai import OpenAI
    client = OpenAI(base_url=url, api_key="x")
    client.chat.completions.create(model="direct", messages=[{{"role": "user", "content": "hi"}}])
    client.responses.create(model="response", input="hi")
    from langchain_openai import ChatOpenAI
    ChatOpenAI(model="bare", base_url=url, api_key="x").invoke("hello")
print("status", sys.argv[1:])
child = "import os; print(sorted(k for k in os.environ if k.startswith('STAGETRACE_TRACE')))"
subprocess.run([sys.executable, "-c", child])
sys.exit(7)
"""


@pytest.mark.parametrize("module", [False, True])
def test_a_script_is_traced_without_a_line_of_its_code(module, tmp_path):
    (tmp_path / "script.py").write_text(BY_ITSELF.format(examples=str(EXAMPLES)))
    what = ["-m", "script"] if module else [sys.executable, "script.py"]
    done = subprocess.run(
        [sys.executable, "-m", "stagetrace", "trace", "--store", "out", "--", *what, "--flag"],
        capture_output=True,
        text=True,
        timeout=240,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 7, done.stderr
    assert "status ['--flag']" in done.stdout
    assert "[]" in done.stdout.splitlines()[-1]
    traces = list(read_traces(tmp_path / "out"))
    agents = [trace for trace in traces if trace.assistant]
    assert len(agents) == 1
    assert (len(agents[0].model_calls), len(agents[0].calls)) == (2, 1)
    others = sorted(trace.model_calls[0].model for trace in traces if not trace.assistant)
    assert others == ["bare", "direct", "response"]
    response = next(t.model_calls[0] for t in traces if t.model_calls[0].model == "response")
    assert response.input_tokens == 20


def test_a_sitecustomize_of_the_users_own_still_runs(tmp_path):
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "sitecustomize.py").write_text("print('own one')\n")
    (tmp_path / "script.py").write_text("print('script')\n")
    done = subprocess.run(
        [sys.executable, "-m", "stagetrace", "trace", "--", sys.executable, "script.py"],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "own")},
        check=False,
    )
    # Once in the command's own process, once in the script's.
    assert (done.stdout, done.stderr) == ("own one\nown one\nscript\n", "")
