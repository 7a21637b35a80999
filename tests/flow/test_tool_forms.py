"""The acting assistant in its two forms: our graph, and LangChain's `create_agent`."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from assistants.base import ASSISTANTS
from assistants.models.gold import gold
from assistants.models.rules import rules
from assistants.run import Bench, run_slot
from assistants.slots import Slot, base_wording
from sandboxes.office import OfficeSandbox
from tracer.errors import EndpointError, StoreError
from tracer.fold import fold
from tracer.protocols import ChatModel
from tracer.record import Recorder
from tracer.records import Message, ModelSource, Reply, ToolCall, Trace
from tracer.testing import CountingIds, MemorySink, SteppingClock

pytest.importorskip("langchain.agents")
FORMS = ("tools", "tools-create-agent")


class Says:
    """A model that gives the replies of a list, one a call, and keeps what it was shown."""

    name = "says"
    source = ModelSource("stagetrace", "tests")

    def __init__(self, *replies: Message | Exception) -> None:
        self.replies = list(replies)
        self.seen: list[list[Message]] = []

    def chat(self, messages: Any, tools: Any = ()) -> Reply:
        self.seen.append(list(messages))
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return Reply(reply, input_tokens=7, output_tokens=2, finish_reason="stop")


def asks(*calls: ToolCall) -> Message:
    return Message("assistant", tool_calls=calls)


def send(text: str, call_id: str = "c") -> ToolCall:
    return ToolCall("outbox.send", {"text": text}, call_id)


class Served:
    """One item through one form."""

    def __init__(self, box: Any, model: ChatModel, form: str, item: Any, **more: Any) -> None:
        sink = MemorySink()
        recorder = Recorder(sink, clock=SteppingClock(), ids=CountingIds())
        bench = Bench(box, model, ASSISTANTS.get(form), "tools", clock=SteppingClock(), **more)
        task = item
        if isinstance(item, str):
            task = next(task for task in box.tasks() if task.item == item)
        self.done = run_slot(bench, recorder, Slot(task, base_wording(task)))
        recorder.flush()
        self.trace: Trace = fold(sink.spans())
        self.spans = sink.spans()
        recorder.close()

    def told(self) -> dict[str, Any]:
        """What the trace says, without the framework's own steps and their times."""
        calls = [
            (c.name, c.arguments, c.raw, c.status, c.result, c.error_type, c.call_id, c.turn)
            for c in self.trace.calls
        ]
        chats = [
            (_unnamed(c.input_messages), c.output_messages, c.finish_reasons, c.input_tokens)
            for c in self.trace.model_calls
        ]
        return {
            "answer": self.trace.answer,
            "error": (self.trace.error, self.trace.error_type),
            "calls": calls,
            "chats": chats,
            "outcome": self.done.outcome,
            "status": self.done.status,
        }


def _unnamed(messages: Any) -> Any:
    """Messages without the tool's name, which LangChain adds to a result."""
    return [{key: value for key, value in one.items() if key != "name"} for one in messages or ()]


def both(box: ModuleType, *replies: Message | Exception, item: str = "t00", **more: Any) -> Any:
    """What both forms tell of the same replies, and what the model was shown; they must agree."""
    told, seen = [], []
    for form in FORMS:
        model = Says(*replies)
        served = Served(box.Outbox(items=3, questions=0, turns=1), model, form, item, **more)
        told.append(served.told())
        seen.append(model.seen)
    assert told[1] == told[0]
    assert seen[1] == seen[0]
    return told[0]


ANSWER = Message("assistant", "Done.")
BROKEN = ToolCall("outbox.send", None, "b", raw="{oops")


def test_a_call_and_its_answer(box: ModuleType) -> None:
    told = both(box, asks(send("note 0")), ANSWER)
    assert told["outcome"].success is True
    assert [call[3] for call in told["calls"]] == ["ok"]


def test_several_calls_of_one_message_are_made_in_their_order(box: ModuleType) -> None:
    many = asks(*(send(f"note {n}", f"c{n}") for n in range(6)))
    told = both(box, many, ANSWER)
    assert [call[1]["text"] for call in told["calls"]] == [f"note {n}" for n in range(6)]


def test_an_error_of_a_tool_is_shown_and_the_run_goes_on(box: ModuleType) -> None:
    told = both(box, asks(send("")), asks(send("note 0")), ANSWER)
    assert [call[5] for call in told["calls"]] == ["ValueError", None]
    assert told["outcome"].errored is False


def test_an_unknown_tool_is_a_call_that_failed(box: ModuleType) -> None:
    told = both(box, asks(ToolCall("outbox.sent", {"text": "a"}, "c")), ANSWER)
    assert (told["calls"][0][0], told["calls"][0][3]) == ("outbox.sent", "error")


def test_arguments_that_cannot_be_read_are_shown_as_such(box: ModuleType) -> None:
    told = both(box, asks(BROKEN), asks(send("note 0")), ANSWER)
    assert [call[3] for call in told["calls"]] == ["malformed", "ok"]
    assert told["calls"][0][2] == "{oops"


def test_an_exception_of_the_model_is_the_outcome(box: ModuleType) -> None:
    assert both(box, ValueError("no idea"))["error"][1] == "ValueError"


def test_an_endpoint_that_is_down_is_no_score(box: ModuleType) -> None:
    assert both(box, EndpointError("endpoint x: status 503"))["status"] == "failed"


@pytest.mark.parametrize("limits", [{"steps": 4}, {"calls": 3}, {"tool_calls": 2}])
def test_limits_are_the_same(box: ModuleType, limits: dict[str, int]) -> None:
    count = [asks(ToolCall("outbox.count", {}, f"c{n}")) for n in range(7)]
    told = both(box, *count, ANSWER, limits=limits)
    reached = "tool_calls" not in limits
    assert (told["error"][1] == "StepLimitError") is reached
    assert told["outcome"].errored is reached


def test_later_turns_see_the_answer_keys_reply(box: ModuleType) -> None:
    told = both(box, Message("assistant", "Mine."), asks(send("note 0")), ANSWER, item="m00")
    assert told["outcome"].success is True
    assert [call[7] for call in told["calls"]] == [1]


def test_both_calls_of_a_mixed_message_are_answered(box: ModuleType) -> None:
    for form in FORMS:
        model = Says(asks(BROKEN, send("note 0")), ANSWER)
        served = Served(box.Outbox(), model, form, "t00")
        answered = {m.tool_call_id for m in model.seen[1] if m.role == "tool"}
        assert answered == {"b", "c"}
        assert sorted(call.status for call in served.trace.calls) == ["malformed", "ok"]


def test_a_store_that_is_full_ends_the_run(box: ModuleType) -> None:
    """What is wrong around the agent is no text for the model."""
    for form in FORMS:
        broken = box.Outbox()

        def fail(text: str) -> Any:
            raise StoreError("no room")

        broken._send = fail
        with pytest.raises(StoreError, match="no room"):
            Served(broken, Says(asks(send("note 0")), ANSWER), form, "t00")


@pytest.mark.parametrize(
    ("replies", "asked"),
    [
        ([Message("assistant", "Which note do you mean?")], True),
        ([Message("assistant", "I cannot do that.")], False),
        ([asks(send("note 0")), Message("assistant", "Sent. Was that the one?")], False),
    ],
)
def test_asking_in_the_place_of_acting_is_flagged(
    box: ModuleType, replies: list[Message], asked: bool
) -> None:
    for form in FORMS:
        served = Served(box.Outbox(), Says(*replies), form, "t00")
        item = next(span for span in served.spans if span.name == "stagetrace.item")
        assert item.attributes["stagetrace.outcome.asked_back"] is asked
        assert served.done.outcome is not None
        assert served.done.outcome.asked_back is asked


def test_each_step_is_one_span(box: ModuleType) -> None:
    served = Served(box.Outbox(), gold(""), "tools-create-agent", "t00")
    names = [span.name for span in served.spans]
    assert names.count("invoke_agent tools-create-agent") == 1
    assert names.count("chat gold") == 2
    assert names.count("execute_tool outbox.send") == 1
    assert served.trace.agent_runs == 1


@pytest.mark.parametrize("make", [gold, rules], ids=["gold", "rules"])
def test_office_gives_equal_results(make: Any) -> None:
    """A sample of the acting items and conversations, by the answer key and by the planner."""
    box = OfficeSandbox("", data=str)
    tasks = list(box.tasks())
    acting = [task for task in tasks if task.form == "actions"][::12]
    talking = [task for task in tasks if task.form == "conversation"][::5]
    for task in [*acting, *talking]:
        own, other = (Served(box, make(""), form, task) for form in FORMS)
        assert other.told() == own.told(), task.item
        if make is gold:
            assert own.done.outcome is not None
            assert own.done.outcome.success is True
