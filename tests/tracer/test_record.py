"""The recording path: nothing lost, nothing doubled, everything nested."""

import subprocess
import sys
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry import baggage, trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from tracer.errors import StoreError
from tracer.formats.reading import read_file
from tracer.record import Recorder
from tracer.records import Outcome, Request
from tracer.spans import agent_span, identity, item_span, set_answer, set_outcome
from tracer.store import FileSink
from tracer.testing import MemorySink

REQUEST = Request("i1", "When?", suite="office", condition="formal", axis="formality", replicate=2)


def by_name(sink):
    return {span.name: span for span in sink.spans()}


def test_identity_stands_once_a_line_and_on_every_span_read(recorder, sink):
    with item_span(recorder, REQUEST) as item, recorder.span("node", "node a"):
        pass
    assert item.root
    assert sink.data.count(b'"stagetrace.item.id"') == len(sink.lines())
    for span in sink.spans():
        assert span.attributes["stagetrace.item.id"] == "i1"
        assert span.attributes["stagetrace.replicate"] == 2
        assert span.attributes["session.id"] == "r1/i1/formal/2"
        assert span.attributes["gen_ai.conversation.id"] == "r1/i1/formal/2"


def test_identity_travels_in_baggage_without_the_text():
    with identity(REQUEST, "r1"):
        carried = baggage.get_all()
    assert carried["stagetrace.item.id"] == "i1"
    assert "When?" not in str(carried)
    assert not baggage.get_all()


def test_a_span_without_identity_belongs_to_the_conversation_of_its_trace(recorder, sink):
    with recorder.span("chain", "a"):
        pass
    assert by_name(sink)["a"].attributes["gen_ai.conversation.id"] == f"{1:032x}"


def test_the_item_span_carries_flags_and_no_gold(recorder, sink):
    with item_span(recorder, REQUEST) as item:
        set_answer(item, "Monday")
        set_outcome(item, Outcome("strict", success=True, gold_answers=("Tuesday",)))
    span = by_name(sink)["stagetrace.item"]
    assert span.attributes["stagetrace.outcome.success"] is True
    assert span.attributes["output.value"] == "Monday"
    assert b"Tuesday" not in sink.data


def test_so_far_holds_the_stored_spans_and_the_open_item(recorder, sink):
    with item_span(recorder, REQUEST) as item:
        with recorder.span("tool", "t"):
            pass
        assert [span.name for span in recorder.so_far(item)] == ["t", "stagetrace.item"]
    assert len(sink.spans()) == 2


def test_a_later_turn_is_on_its_own_spans(recorder, sink):
    later = Request("i1", "And then?", suite="office", turn=1)
    with (
        item_span(recorder, REQUEST),
        agent_span(recorder, "a", "tools", later),
        recorder.span("tool", "t"),
    ):
        pass
    turns = {span.name: span.attributes["stagetrace.turn"] for span in sink.spans()}
    assert turns == {"t": 1, "invoke_agent a": 1, "stagetrace.item": 0}


def test_an_exception_is_noted_and_passes_on(recorder, sink):
    with pytest.raises(KeyError), recorder.span("tool", "t"):
        raise KeyError("x")
    span = by_name(sink)["t"]
    assert span.status == 2
    assert span.attributes["error.type"] == "KeyError"
    assert span.events[0].attributes["exception.message"] == "'x'"


def test_what_is_open_when_the_root_ends_is_ended_with_its_reason(recorder, sink):
    root = recorder.start("agent", "a")
    recorder.start("chat", "c", parent=root)
    root.end(TimeoutError())
    assert by_name(sink)["c"].attributes["stagetrace.ended_by"] == "timeout"
    assert recorder.open == 0


def test_our_root_hangs_under_the_callers_span_and_users_spans_under_ours(recorder, sink):
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("user")
    with (
        tracer.start_as_current_span("outer"),
        recorder.span("agent", "a") as ours,
        tracer.start_as_current_span("inner"),
        recorder.span("tool", "t"),
    ):
        pass
    theirs = {span.name: span for span in exporter.get_finished_spans()}
    spans = by_name(sink)
    assert spans["a"].parent_id == f"{theirs['outer'].context.span_id:016x}"
    assert theirs["inner"].parent.span_id == ours.number
    assert spans["t"].parent_id == f"{theirs['inner'].context.span_id:016x}"
    assert [
        spans["a"].attributes["stagetrace.sequence"],
        spans["t"].attributes["stagetrace.sequence"],
    ] == [0, 1]
    assert len({s.trace_id for s in sink.spans()}) == 1


def test_an_attribute_set_through_the_api_lands_on_the_current_span(recorder, sink):
    with recorder.span("tool", "t"):
        trace.get_current_span().set_attribute("mine", 3)
    assert by_name(sink)["t"].attributes["mine"] == 3


def test_content_off_keeps_no_words(sink):
    facts = {"mine": "MARK", "n": 1, "deep": {"a": "MARK"}}
    with Recorder(sink, content=False) as recorder, item_span(recorder, Request("i1", "MARK")):
        span = recorder.start("chain", "c", facts)
        span.event("e", {"text": "MARK"})
        span.end(ValueError("MARK"))
    assert b"MARK" not in sink.data
    assert by_name(sink)["c"].attributes["error.type"] == "ValueError"
    assert by_name(sink)["c"].attributes["n"] == 1


def test_values_that_the_convention_has_no_type_for_are_not_lost(recorder, sink):
    values = {"d": {"a": 1}, "n": None, "mixed": [1, "a"], "set": {1}, "big": 2**70, "b": b"\xff"}
    with recorder.span("chain", "c"):
        trace.get_current_span().set_attributes(values)
    read = by_name(sink)["c"].attributes
    assert {key: read[key] for key in values} == {
        "d": '{"a":1}',
        "n": "null",
        "mixed": [1, "a"],
        "set": "[1]",
        "big": "1180591620717411303424",
        "b": b"\xff",
    }


def test_a_lone_surrogate_is_replaced_and_flagged(recorder, sink):
    with recorder.span("chain", "c", {"text": "a\ud83d"}):
        pass
    assert by_name(sink)["c"].attributes["text"] == "a\ufffd"
    assert by_name(sink)["c"].attributes["text.replaced"] == 1


text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
scalars = text | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False)
values = (
    scalars | st.lists(text, max_size=4) | st.lists(st.integers(-(2**63), 2**63 - 1), max_size=4)
)


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(text.map(lambda key: f"k{key}"), values, max_size=6),
    st.lists(st.tuples(text, st.dictionaries(text, values, max_size=3)), max_size=3),
    text,
)
def test_what_is_written_is_what_is_read(attributes, events, name):
    sink = MemorySink()
    with Recorder(sink) as recorder, recorder.span("chain", name, attributes) as span:
        for event, facts in events:
            span.event(event, facts)
    (read,) = sink.spans()
    assert read.name == name
    assert {key: read.attributes[key] for key in attributes} == attributes
    assert {key: type(read.attributes[key]) for key in attributes} == {
        key: type(value) for key, value in attributes.items()
    }
    assert [(event.name, dict(event.attributes)) for event in read.events] == events
    assert (read.trace_id, read.span_id) == (span.trace_id, span.span_id)
    assert (read.started_ns, read.ended_ns) == (span.started_ns, span.ended_ns)


@pytest.mark.parametrize("threads", [1, 8])
def test_twenty_thousand_quick_spans_are_all_stored(threads, tmp_path):
    path = tmp_path / "t.otlp.jsonl"
    recorder = Recorder(FileSink(path), queue_bytes=2**20, durability="item")
    root = recorder.start("agent", "root")

    def work():
        for _ in range(20_000 // threads):
            recorder.start("chain", "quick", parent=root).end()

    workers = [threading.Thread(target=work) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    root.end()
    recorder.close()
    assert recorder.made == recorder.stored == 20_001
    assert sum(1 for _ in read_file(path)) == 20_001


class Full(MemorySink):
    full = True

    def write(self, lines):
        if self.full:
            raise StoreError("disk full")
        super().write(lines)


def test_a_failing_sink_is_reported_and_nothing_is_lost():
    sink = Full()
    recorder = Recorder(sink)
    with pytest.raises(StoreError, match="disk full"), recorder.span("agent", "a"):
        pass
    assert (recorder.made, recorder.stored) == (1, 0)
    sink.full = False
    recorder.flush()
    recorder.close()
    assert (recorder.made, recorder.stored) == (1, 1)
    assert [span.name for span in sink.spans()] == ["a"]


def test_close_ends_what_is_open():
    sink = MemorySink()
    recorder = Recorder(sink)
    recorder.start("chat", "c")
    recorder.close()
    assert by_name(sink)["c"].attributes["stagetrace.ended_by"] == "closed"


def run_child(code: str, *args: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-c", code, *args], capture_output=True, text=True, timeout=60, check=False
    )


KILLED = """
import os, signal, sys
from pathlib import Path
from tracer.record import Recorder
from tracer.store import FileSink
recorder = Recorder(FileSink(Path(sys.argv[1])), durability="span")
with recorder.span("agent", "root"):
    for n in range(int(sys.argv[2])):
        recorder.start("chain", str(n)).end()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("ended", [1, 57, 200])
def test_every_ended_span_survives_kill_9_under_durability_span(ended, tmp_path):
    path = tmp_path / "t.otlp.jsonl"
    assert run_child(KILLED, str(path), str(ended)).returncode == -9
    assert [span.name for span in read_file(path)] == [str(n) for n in range(ended)]


ABANDONED = """
import sys
from pathlib import Path
from tracer.record import Recorder
from tracer.store import FileSink
recorder = Recorder(FileSink(Path(sys.argv[1])), durability="item")
root = recorder.start("agent", "root")
for n in range(50):
    recorder.start("chain", str(n), parent=root).end()
"""


def test_the_end_of_the_interpreter_writes_what_is_queued_and_is_not_held_up(tmp_path):
    path = tmp_path / "t.otlp.jsonl"
    child = run_child(ABANDONED, str(path))
    assert (child.returncode, child.stderr) == (0, "")
    ended = {span.name: span.attributes.get("stagetrace.ended_by") for span in read_file(path)}
    assert ended == {"root": "exit"} | {str(n): None for n in range(50)}


FORKED = """
import os, sys, warnings
warnings.simplefilter("ignore", DeprecationWarning)
from pathlib import Path
from tracer.record import Recorder
from tracer.store import FileSink
recorder = Recorder(FileSink(Path(sys.argv[1])))
with recorder.span("agent", "parent"):
    pass
children = []
for worker in range(4):
    pid = os.fork()
    if pid == 0:
        for n in range(25):
            with recorder.span("agent", f"{worker}-{n}"):
                pass
        recorder.close()
        os._exit(0)
    children.append(pid)
for pid in children:
    os.waitpid(pid, 0)
with recorder.span("agent", "after"):
    pass
"""


def test_forked_children_write_files_of_their_own(tmp_path):
    child = run_child(FORKED, str(tmp_path / "w.otlp.jsonl"))
    assert child.returncode == 0, child.stderr
    files = sorted(tmp_path.glob("*.otlp.jsonl"))
    assert len(files) == 5
    names = [span.name for file in files for span in read_file(file)]
    assert len(names) == len(set(names)) == 102


FULL = """
import resource, sys
from pathlib import Path
from tracer.record import Recorder
from tracer.store import FileSink
from tracer.errors import StoreError
resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))
recorder = Recorder(FileSink(Path(sys.argv[1])))
try:
    for n in range(1000):
        with recorder.span("agent", str(n), {"text": "x" * 1000}):
            pass
except StoreError as error:
    print(n, error)
    sys.exit(3)
"""


def test_a_full_disk_gives_a_clear_error_and_keeps_whole_lines(tmp_path):
    path = tmp_path / "t.otlp.jsonl"
    child = run_child(FULL, str(path))
    assert child.returncode == 3, child.stderr
    stored = int(child.stdout.split()[0])
    assert str(path) in child.stdout
    assert "make room" in child.stdout
    assert path.read_bytes().endswith(b"\n")
    assert [span.name for span in read_file(path)] == [str(n) for n in range(stored)]


def test_files_are_private(tmp_path):
    path = tmp_path / "t.otlp.jsonl"
    FileSink(path).close()
    assert path.stat().st_mode & 0o777 == 0o600
