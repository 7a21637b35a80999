"""What the environment says of tracing: content, endpoints, and what `trace` makes of it."""

from __future__ import annotations

import pytest

from stagetrace import settings
from tests.tracer.graphs import agent_graph
from tests.tracer.test_live_export import FaultyReceiver
from tracer.content import NOTHING, Content
from tracer.errors import InputError
from tracer.langgraph import trace_graph
from tracer.record import Recorder
from tracer.testing import MemorySink

CAPTURE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"


@pytest.fixture(autouse=True)
def _bare(monkeypatch):
    for name in (CAPTURE, "STAGETRACE_CONTENT", "OTEL_EXPORTER_OTLP_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("variables", "kept"),
    [
        ({}, Content()),
        ({CAPTURE: "SPAN_ONLY"}, Content()),
        ({CAPTURE: "NO_CONTENT"}, NOTHING),
        ({CAPTURE: "false"}, NOTHING),
        ({CAPTURE: "EVENT_ONLY"}, NOTHING),
        ({"STAGETRACE_CONTENT": "off"}, NOTHING),
        ({"OPENINFERENCE_HIDE_INPUTS": "true"}, Content(inputs=False)),
        ({"OPENINFERENCE_HIDE_OUTPUT_MESSAGES": "1"}, Content(outputs=False)),
        ({"OPENINFERENCE_HIDE_LLM_TOOLS": "true"}, Content(tools=False)),
        ({CAPTURE: "SPAN_ONLY", "STAGETRACE_CONTENT": "false"}, NOTHING),
        ({"STAGETRACE_CONTENT": "on", "OPENINFERENCE_HIDE_INPUTS": "true"}, Content(inputs=False)),
    ],
)
def test_the_most_private_switch_wins(variables, kept, monkeypatch):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert settings.content() == kept


def test_a_switch_that_is_neither_on_nor_off_is_refused(monkeypatch):
    monkeypatch.setenv("STAGETRACE_CONTENT", "perhaps")
    with pytest.raises(InputError, match="STAGETRACE_CONTENT"):
        settings.content()


@pytest.mark.parametrize("value", ["SPAN_ONLY", "span_and_event", "true"])
def test_live_content_is_sent_when_the_convention_asks(value, monkeypatch):
    assert not settings.live_content()
    monkeypatch.setenv(CAPTURE, value)
    assert settings.live_content()


def test_hidden_inputs_and_outputs_are_in_no_byte():
    for content, gone, kept in (
        (Content(inputs=False), b"QUESTION-WORDS", b"seen mail"),
        (Content(outputs=False), b"seen mail", b"QUESTION-WORDS"),
        (NOTHING, b"QUESTION-WORDS", b"execute_tool look"),
    ):
        sink = MemorySink()
        with Recorder(sink, content=content) as recorder:
            trace_graph(agent_graph(), recorder).invoke({"question": "QUESTION-WORDS"})
        assert gone not in sink.data
        assert kept in sink.data


@pytest.mark.parametrize(
    ("variables", "found"),
    [
        ({}, None),
        (
            {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://h:4318"},
            settings.Otlp("http://h:4318/v1/traces"),
        ),
        (
            {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://h:1/x"},
            settings.Otlp("http://h:1/x"),
        ),
        (
            {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://h:4317", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"},
            settings.Otlp("http://h:4317", "grpc"),
        ),
        (
            {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://h:4318", "OTEL_TRACES_EXPORTER": "none"},
            None,
        ),
    ],
)
def test_opentelemetrys_own_variables_name_the_endpoint(variables, found, monkeypatch):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert settings.otlp_endpoint() == found


def test_trace_sends_beside_the_store_and_says_where_all_went(tmp_path, capfd):
    import subprocess
    import sys

    code = (
        "import sys, stagetrace\n"
        "f = stagetrace.trace(lambda q: q + '!', store=sys.argv[1], otlp=sys.argv[2], name='f')\n"
        "print(f('hi'))\n"
    )
    with FaultyReceiver() as receiver:
        done = subprocess.run(
            [sys.executable, "-c", code, str(tmp_path), receiver.url],
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
    assert done.stdout == "hi!\n"
    assert "recording requests, answers, calls, documents in" in done.stderr
    assert (
        f"export to {receiver.url}: 1 spans = 1 delivered + 0 rejected + 0 dropped" in done.stderr
    )
    assert [span.name for span in receiver.spans] == ["invoke_agent f"]
    assert b"hi!" not in receiver.spans[0].SerializeToString()
