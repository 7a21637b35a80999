from __future__ import annotations

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from tracer.record import Recorder
from tracer.testing import CountingIds, MemorySink, SteppingClock


@pytest.fixture
def sink():
    return MemorySink()


@pytest.fixture
def recorder(sink):
    with Recorder(sink, run="r1", clock=SteppingClock(), ids=CountingIds()) as recorder:
        yield recorder
    assert recorder.made == recorder.stored == len(sink.spans())
    assert recorder.open == 0


class Users:
    """A user's own OpenTelemetry set-up, which ours must join."""

    def __init__(self) -> None:
        self.exporter = InMemorySpanExporter()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.tracer = provider.get_tracer("user")

    def mark(self, name: str) -> None:
        with self.tracer.start_as_current_span(name):
            pass

    def spans(self):
        return self.exporter.get_finished_spans()


@pytest.fixture
def users():
    return Users()
