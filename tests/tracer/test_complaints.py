"""What people complain of in other tracers, as far as no other file of this folder shows it."""

from __future__ import annotations

import asyncio
import gc
import json
import math
import socket
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt
from opentelemetry import trace as ot

from stagetrace.commandline import run
from tests.tracer.graphs import ScriptedModel, State, line_graph
from tests.tracer.test_export import Receiver, free_port
from tests.tracer.test_langgraph import QUESTION
from tracer.check import check
from tracer.export import export_otlp
from tracer.fold import fold
from tracer.langgraph import trace_graph
from tracer.record import Recorder
from tracer.records import Passage, Tool
from tracer.store import FileSink, read_spans
from tracer.testing import MemorySink
from tracer.wrap import wrap_retriever, wrap_tool


def refuse(name: str) -> None:
    raise AssertionError(f"{name} is no JSON")


def test_an_endpoint_that_refuses_is_a_count_and_a_status(tmp_path, capsys):
    path = tmp_path / "t.otlp.jsonl"
    with Recorder(FileSink(path)) as recorder:
        recorder.start("tool", "t").end()
    receiver = Receiver()
    receiver.answers = [(400, {})]
    assert run(["export", str(path), "--otlp", receiver.url]) == 1
    receiver.close()
    assert run(["export", str(path), "--otlp", f"http://127.0.0.1:{free_port()}"]) == 1
    refused, dead = capsys.readouterr().err.splitlines()
    assert "400" in refused
    assert "1 spans were not exported" in dead


def test_a_history_of_120_messages_loses_no_attribute(recorder, sink):
    """Fifteen kilobytes of it, 242 attributes where each message has its own."""
    history = [(HumanMessage, AIMessage)[n % 2](f"line {n} " + "x" * 100) for n in range(120)]
    history.append(HumanMessage("And now?"))
    graph = line_graph(("ask", lambda state, config: _asked(state, config)))
    trace_graph(graph, recorder).invoke({"messages": history})
    (chat,) = [span for span in sink.spans() if span.name.startswith("chat")]
    assert len(json.loads(chat.attributes["gen_ai.input.messages"])) == 121
    assert (chat.dropped, chat.attributes["openinference.span.kind"]) == (0, "LLM")
    assert chat.attributes["input.value"] == "And now?"
    assert len(chat.attributes) < 100


def _asked(state, config):
    return {"answer": str(ScriptedModel().invoke(state["messages"], config).content)}


def test_a_state_of_100_kilobytes_costs_the_new_words_only(recorder, sink):
    """What ten nodes pass on is not noted; what one of them asks a model is, once."""
    words = "".join(f"word {n} " for n in range(10_000))
    nodes = [(f"n{n}", lambda state: {"question": state["question"]}) for n in range(10)]
    graph = line_graph(
        *nodes, ("ask", lambda s, config: _asked({"messages": [HumanMessage(words)]}, config))
    )
    trace_graph(graph, recorder).invoke(QUESTION | {"blob": "y" * 100_000})
    assert len(sink.data) < 1.5 * len(words)


def test_a_file_too_large_for_jaegers_page_is_said(tmp_path, capsys, monkeypatch):
    path = tmp_path / "t.otlp.jsonl"
    with Recorder(FileSink(path)) as recorder, recorder.span("agent", "a"):
        recorder.start("tool", "t").end()
    monkeypatch.setattr("tracer.export_json.UPLOAD_BYTES", 1000)
    out = tmp_path / "out.json"
    assert run(["export", str(path), "--jaeger-json", str(out)]) == 0
    assert "larger than" in " ".join(capsys.readouterr().err.split())
    assert list(json.loads(out.read_text(), parse_constant=refuse)) == ["resourceSpans"]


class Gone:
    """A proxy whose object is gone raises as soon as anybody asks for its class."""

    @property
    def __class__(self):
        raise RuntimeError("working outside of a request")


class Loud:
    def __repr__(self) -> str:
        raise RuntimeError("no repr")


class Odd(dict):
    def items(self):
        raise RuntimeError("no items")


def _deep(depth: int) -> list:
    value: list = []
    for _ in range(depth):
        value = [value]
    return value


def _round() -> dict:
    value: dict = {}
    value["self"] = value
    return value


POISON = {
    "lock": threading.Lock(),
    "function": lambda: 0,
    "repr": Loud(),
    "class": Gone(),
    "items": Odd(a=1),
    "deep": _deep(5000),
    "round": _round(),
    "tuple keys": {(1, 2): "a", None: "b", 3: "password=hunter2-test"},
    "bytes": {b"\xff": bytearray(b"\xff")},
    "set": {1, "a", (2, 3)},
    "nan": [math.nan, {"x": -math.inf}],
    "big": [2**70, 2**20_000],
    "surrogate": {"\ud83d": "\ud83d"},
    "long": "z" * 17_000_000,
    "generator": (n for n in range(3)),
}


@pytest.mark.parametrize("durability", ["span", "item"])
def test_odd_values_cost_no_other_span_of_the_batch(durability, tmp_path, caplog):
    """Each odd value stands on a span of its own between good ones; all are stored and sent."""
    path = tmp_path / "t.otlp.jsonl"
    with (
        Recorder(FileSink(path), durability=durability) as recorder,
        recorder.span("agent", "whole"),
    ):
        for name, value in POISON.items():
            recorder.start("tool", f"good {name}", {"text": "kept"}).end()
            bad = recorder.start("tool", f"bad {name}", {"value": value, "text": "kept"})
            if name != "long":
                bad.event("event", {"value": value})
            bad.end()
        recorder.flush()
        assert recorder.stored == 2 * len(POISON)
    spans = list(read_spans(path))
    assert Counter(span.name.split()[0] for span in spans) == {
        "good": len(POISON),
        "bad": len(POISON),
        "whole": 1,
    }
    assert all(s.attributes["text"] == "kept" for s in spans if s.name != "whole")
    # None of it is beyond telling, in one way or another.
    assert all(s.attributes["value"] for s in spans if s.name.startswith("bad"))
    assert "could not be written" not in caplog.text
    assert b"hunter2" not in path.read_bytes()
    for line in path.read_text().splitlines():
        json.loads(line, parse_constant=refuse)
    receiver = Receiver()
    try:
        assert export_otlp(path, receiver.url).delivered == len(spans)
    finally:
        receiver.close()


def test_a_span_that_cannot_be_encoded_keeps_its_plain_values(tmp_path, monkeypatch, caplog):
    """Should one fail all the same, it is written without what failed, and says so."""
    from tracer.encode import TraceEncoder

    whole = TraceEncoder.encode

    def encode(self, span, **kwargs):
        if "odd" in span.attributes and isinstance(span.attributes["odd"], tuple):
            raise RuntimeError("a fault of ours")
        return whole(self, span, **kwargs)

    monkeypatch.setattr(TraceEncoder, "encode", encode)
    path = tmp_path / "t.otlp.jsonl"
    long = "a long text that stands twice " * 20
    with Recorder(FileSink(path)) as recorder, recorder.span("agent", "a"):
        recorder.start("tool", "before", {"text": long}).end()
        recorder.start("tool", "odd", {"odd": [1], "n": 1, "text": long}).end()
        recorder.start("tool", "after", {"text": long}).end()
    spans = {span.name: span for span in read_spans(path)}
    assert set(spans) == {"a", "before", "odd", "after"}
    assert (spans["odd"].attributes["n"], spans["odd"].dropped) == (1, 1)
    assert {spans[name].attributes["text"] for name in ("before", "odd", "after")} == {long}
    assert "could not be written whole" in caplog.text
    assert "producer_dropped_data" in check(path).report.kinds


def test_a_link_set_through_the_api_is_kept(recorder, sink):
    other = ot.SpanContext(7, 9, is_remote=True)
    with recorder.span("chain", "c"):
        ot.get_current_span().add_link(other, {"why": "same request"})
        ot.get_current_span().add_link(ot.SpanContext(0, 0, is_remote=True))
    (span,) = sink.spans()
    assert [(link.trace_id, link.span_id) for link in span.links] == [(f"{7:032x}", f"{9:016x}")]
    assert [dict(event.attributes) for event in span.events] == [{"why": "same request"}]


def test_not_a_number_in_arguments_and_scores_is_tagged_and_strict(recorder, sink):
    with recorder.span("agent", "a"):
        wrap_tool(Tool("t", "", {}, False, lambda **_: {"out": -math.inf}), recorder).run(
            x=math.nan, deep=[{"y": math.inf}]
        )
        wrap_retriever(lambda q, k: [Passage("d1", math.nan), Passage("d2", 0.5)], recorder)("q", 2)
    for line in sink.lines():
        json.loads(line, parse_constant=refuse)
    for span in sink.spans():
        for side in ("input", "output"):
            if span.attributes.get(f"{side}.mime_type") == "application/json":
                json.loads(span.attributes[f"{side}.value"], parse_constant=refuse)
    trace = fold(sink.spans())
    (call,) = trace.calls
    assert call.arguments == {"x": {"$float": "NaN"}, "deep": [{"y": {"$float": "Infinity"}}]}
    assert call.result == {"out": {"$float": "-Infinity"}}
    assert [p.doc_id for p in trace.retrievals[0].passages] == ["d1", "d2"]
    assert trace.retrievals[0].passages[0].score is None


@pytest.mark.slow
def test_two_thousand_runs_whole_broken_off_and_interrupted_leave_nothing():
    """Every fourth is broken off, every fourth stops for a person and is resumed, or never is."""

    def ask(state: State):
        return {"answer": interrupt("sure?")}

    with Recorder(MemorySink(), durability="item") as recorder:
        plain = trace_graph(line_graph(("n", lambda state: {"answer": "x"})), recorder)

        def some(n):
            saver = InMemorySaver()
            asking = trace_graph(line_graph(ask, checkpointer=saver), recorder, name="asking")
            for number in range(n // 4):
                config = {"configurable": {"thread_id": f"t{number}"}}
                plain.invoke(QUESTION)
                next(plain.stream(QUESTION))
                asking.invoke(QUESTION, config)
                if number % 2:
                    asyncio.run(asking.ainvoke(Command(resume="yes"), config))
                else:
                    asking.invoke(QUESTION, {"configurable": {"thread_id": f"again {number}"}})
            kept = len(asking._interrupted)
            del asking, saver
            recorder.sink._written.clear()
            gc.collect()
            assert recorder.open == 0
            return kept, len(gc.get_objects())

        some(40)
        (kept, before), (_, after) = some(1000), some(1000)
    assert kept <= 1000
    assert abs(after - before) < 400


def test_a_retriever_without_scores_is_told_by_the_checker(tmp_path):
    path = tmp_path / "t.otlp.jsonl"
    with Recorder(FileSink(path)) as recorder, recorder.span("agent", "a"):
        wrap_retriever(lambda q, k: [Passage("d1"), Passage("d2")], recorder)("q", 2)
        wrap_retriever(lambda q, k: [Passage("d1", 1.0)], recorder)("q", 1)
    (note,) = check(path).report.notes
    assert note == "1 of 2 rankings have no scores; their ids are all that metrics of ranking need"


HOST, HOME = socket.gethostname(), f"{Path.home()}/"
MINE = """
import sys
import stagetrace
agent = stagetrace.trace(lambda question: question, store="traces", name="a")
agent("q")
"""


def test_no_fact_of_the_machine_or_its_user_is_recorded(tmp_path, monkeypatch, capsys):
    """User, host, home folder and command line, neither by a traced script nor by a run."""
    for name in ("USER", "LOGNAME", "HOSTNAME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / "zq-mine"))
    monkeypatch.chdir(tmp_path)
    script = [sys.executable, "-c", MINE, "zq-argument"]
    subprocess.run(script, capture_output=True, timeout=240, check=True)
    office = ["run", "office", "--assistant", "tools", "--model", "rules", "--limit", "1"]
    assert run([*office, "--conditions", "base", "--out", "run"]) == 0
    written = {
        path: path.read_bytes()
        for name in ("traces", "run")
        for path in (tmp_path / name).rglob("*")
        if path.is_file()
    }
    assert len(written) > 4
    names = [b"zq-", *(text.encode() for text in (str(tmp_path), HOST, sys.executable, HOME))]
    for path, data in written.items():
        assert [name for name in names if name in data] == [], path.name
