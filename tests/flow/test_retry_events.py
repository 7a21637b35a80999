"""What a model tells while it is asked stands on the span of that call, and nothing is lost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any

import pytest

from assistants.base import ASSISTANTS
from assistants.run import Bench, run_slot
from assistants.slots import Slot, base_wording
from tracer.record import Recorder
from tracer.records import Json, Message, ModelSource, Reply, Tool
from tracer.testing import MemorySink

pytest.importorskip("langgraph")


class Flaky:
    """A model that asks its endpoint twice."""

    name = "openai:flaky"
    source = ModelSource("openai", "test")

    def __init__(self) -> None:
        self.on_event: Callable[[str, Mapping[str, Json]], None] | None = None

    def chat(self, messages: Sequence[Message], tools: Sequence[Tool] = ()) -> Reply:
        if self.on_event is not None:
            self.on_event("stagetrace.model.retry", {"attempt": 1, "wait_s": 0.5, "status": 429})
        return Reply(Message("assistant", "Done."), input_tokens=7, output_tokens=2)


def test_retry_is_an_event_of_the_models_span(box: ModuleType) -> None:
    sandbox: Any = box.Outbox(items=1, questions=0, turns=1)
    sink = MemorySink()
    bench = Bench(sandbox, Flaky(), ASSISTANTS.get("tools"), "tools", run="r")
    with Recorder(sink) as recorder:
        task = next(iter(sandbox.tasks()))
        done = run_slot(bench, recorder, Slot(task, base_wording(task)))
    assert done.status == "ok"
    assert (done.input_tokens, done.output_tokens) == (7, 2)
    told = [(s.name, e.name) for s in sink.spans() for e in s.events]
    assert told == [("chat openai:flaky", "stagetrace.model.retry")]
