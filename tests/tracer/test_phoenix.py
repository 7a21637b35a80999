"""A run sent to a real Phoenix, straight and through another project's receiver, and read back."""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from analyzers.base import METRICS
from stagetrace.commandline import run as command
from stagetrace.score_export import trace_scores
from tests.conftest import ROOT
from tests.tracer.test_export import free_port, rotel
from tracer.formats.report import Report
from tracer.store import read_spans, read_traces

pytestmark = [pytest.mark.service, pytest.mark.timeout(900)]

PHOENIX = ROOT / ".venv-phoenix" / "bin" / "phoenix"
SPANS = "/v1/projects/default/spans"
WAIT_S = 300


@pytest.fixture(scope="module")
def phoenix(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server that has just been started."""
    if not PHOENIX.exists():
        pytest.skip("Phoenix is not installed; make .venv-phoenix/.done")
    folder = tmp_path_factory.mktemp("phoenix")
    port, grpc = free_port(), free_port()
    told = {
        "PHOENIX_WORKING_DIR": str(folder),
        "PHOENIX_HOST": "127.0.0.1",
        "PHOENIX_PORT": str(port),
        "PHOENIX_GRPC_PORT": str(grpc),
        "PHOENIX_TELEMETRY_ENABLED": "false",
    }
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [str(PHOENIX), "serve"],
            cwd=folder,
            env={**os.environ, **told},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    url = f"http://127.0.0.1:{port}"
    try:
        deadline = time.monotonic() + WAIT_S
        while not healthy(url):
            assert process.poll() is None, (folder / "log").read_text()
            assert time.monotonic() < deadline, "Phoenix does not answer"
            time.sleep(0.5)
        yield url
    finally:
        process.terminate()
        process.wait(60)


def healthy(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/healthz", timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A run of each reference assistant."""
    folder = tmp_path_factory.mktemp("runs")
    for name in ("tools", "rag"):
        asked = ["run", "office", "--assistant", name, "--conditions", "base,indirect"]
        assert command([*asked, "--limit", "4", "--out", str(folder / name)]) == 0
    return {name: folder / name for name in ("tools", "rag")}


def of_run(url: str, run: str, *kinds: str) -> str:
    """The address of the spans of one run, or of those of one kind."""
    asked = [("attribute", f"stagetrace.run.id:{run}"), *(("span_kind", kind) for kind in kinds)]
    return f"{url}{SPANS}?{urllib.parse.urlencode(asked)}"


def rows_of(url: str, run: str, count: int, *kinds: str) -> list[dict[str, Any]]:
    """As Phoenix answers them, once as many have been taken in as were sent."""
    deadline = time.monotonic() + WAIT_S
    while True:
        rows: list[dict[str, Any]] = []
        cursor = ""
        while True:
            with urllib.request.urlopen(f"{of_run(url, run, *kinds)}&limit=500{cursor}") as answer:
                page = json.load(answer)
            rows += page["data"]
            if page["next_cursor"] is None:
                break
            cursor = f"&cursor={page['next_cursor']}"
        assert len(rows) <= count
        if len(rows) == count:
            return rows
        assert time.monotonic() < deadline, f"{len(rows)} of {count} spans were taken in"
        time.sleep(1)


def test_spans_and_scores_arrive_as_they_were_sent(phoenix, runs, capsys):
    for name, run in runs.items():
        stored = {span.span_id: span for span in read_spans(run)}
        scores = list(trace_scores(run))
        assert command(["export", str(run), "--otlp", phoenix, "--scores"]) == 0
        sent = len(stored) + len(scores)
        assert f"{sent} spans = {sent} delivered" in capsys.readouterr().out
        rows = rows_of(phoenix, name, sent)
        found = {row["context"]["span_id"]: row for row in rows}
        arguments = documents = 0
        for span_id, span in stored.items():
            row = found[span_id]
            given = row["attributes"]
            assert row["context"]["trace_id"] == span.trace_id
            assert (row["parent_id"] or "") == span.parent_id
            assert row["name"] == span.name
            assert row["span_kind"] == span.attributes["openinference.span.kind"]
            for key in ("gen_ai.tool.call.arguments", "stagetrace.retrieval.ids"):
                assert given.get(key) == span.attributes.get(key)
            if "gen_ai.tool.call.arguments" in given:
                arguments += 1
            for rank, document in enumerate(span.attributes.get("stagetrace.retrieval.ids", ())):
                documents += 1
                assert given[f"retrieval.documents.{rank}.document.id"] == document
                assert given[f"retrieval.documents.{rank}.document.content"]
        assert (documents if name == "rag" else arguments) > 0
        assert sorted(
            (
                row["attributes"]["trace.evaluations.0.evaluation.name"],
                row["attributes"]["trace.evaluations.0.evaluation.score"],
            )
            for row in rows
            if row["span_kind"] == "EVALUATOR"
        ) == sorted((score.metric, score.value) for score in scores)


def test_phoenix_and_the_store_give_the_same_traces(phoenix, runs):
    for name, run in runs.items():
        assert command(["export", str(run), "--otlp", phoenix, "--protocol", "http"]) == 0
        rows_of(phoenix, name, sum(1 for _ in read_spans(run)), *KINDS)
        report = Report()
        read = {trace.trace_id: trace for trace in read_traces(of_run(phoenix, name), report)}
        assert not report.counts
        for stored in read_traces(run):
            other = read[stored.trace_id]
            assert other.answer == stored.answer
            assert [asked(call) for call in other.calls] == [asked(call) for call in stored.calls]
            assert [one.passages for one in other.retrievals] == [
                one.passages for one in stored.retrievals
            ]
            assert [(one.input_tokens, one.output_messages) for one in other.model_calls] == [
                (one.input_tokens, one.output_messages) for one in stored.model_calls
            ]


KINDS = ("CHAIN", "AGENT", "LLM", "RETRIEVER", "TOOL")
"""All that are no scores."""


def asked(call):
    return call.name, call.arguments, call.result, call.status, call.kind, call.call_id


def test_through_a_receiver_and_phoenix_the_analyzers_print_the_same_table(
    phoenix, runs, tmp_path, capsys
):
    # Phoenix keeps times to the microsecond.
    shown = ",".join(name for name in METRICS.names() if name != "latency_ms")
    for name, run in runs.items():
        # Another run id, so that these are not the spans of the other tests once more.
        copy = tmp_path / f"{name}.jsonl"
        assert command(["export", str(run), "--otlp-json", str(copy)]) == 0
        own = f"routed-{name}"
        named = '"key":"stagetrace.run.id","value":{"stringValue":'
        text = copy.read_text().replace(f'{named}"{name}"', f'{named}"{own}"')
        text = re.sub(
            r'"(traceId|spanId|parentSpanId)":"(\w)', lambda m: f'"{m[1]}":"{flipped(m[2])}', text
        )
        copy.write_text(text)
        with rotel(phoenix) as urls:
            assert command(["export", str(copy), "--otlp", urls["http"]]) == 0
            rows_of(phoenix, own, sum(1 for _ in read_spans(copy)))
        graded = tmp_path / f"graded-{name}"
        asked_for = ["grade", of_run(phoenix, own), "--suite", "office", "--out", str(graded)]
        assert command(asked_for) == 0
        capsys.readouterr()
        tables = []
        for folder in (run, graded):
            assert command(["analyze", str(folder), "--metrics", shown]) == 0
            out = capsys.readouterr().out
            tables.append(out[out.index("WHERE IT BREAKS") : out.index("next:")])
        assert tables[0] == tables[1]
        assert "points" in tables[0]


def flipped(digit: str) -> str:
    return "f" if digit != "f" else "e"
