"""The run folder: written once, read back whole, resumed without a change to what is finished."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tracer.errors import StoreError, TraceFormatError
from tracer.record import Recorder
from tracer.records import CallVerdict, Done, GoldCall, Outcome, Request, Task, Turn
from tracer.spans import item_span, set_answer
from tracer.store import ITEMS, RunStore, open_sink, read_run, read_spans, read_traces

TOOL = {"gen_ai.tool.name": "t", "gen_ai.tool.call.arguments": "{}"}
TASKS = [
    Task(
        f"i{n}",
        "office",
        "question",
        (Turn(f"Question {n}?"),),
        relevant=(("d1", "d2"),),
        groups={"bin": "short"},
        calls=(GoldCall("mail.send", {"to": ["a"]}, True),),
        detail={"any": [1, None]},
    )
    for n in range(3)
]


def run_item(store, recorder, item, condition="base", *, attempt=0):
    request = Request(
        item, f"Question of {item}?", suite="office", condition=condition, base_text="base"
    )
    with item_span(recorder, request, run="r1", assistant_kind="rag") as span:
        with recorder.span("tool", "execute_tool t", TOOL):
            pass
        set_answer(span, f"answer {attempt}")
        spans = len(recorder.so_far(span))
    recorder.flush()
    outcome = Outcome(
        "strict",
        success=True,
        relevant=(("d1", "d2"),),
        calls=(CallVerdict("read", False, 0),),
        flags={"x": True},
    )
    done = Done(
        item, condition, 0, "ok", span.trace_id, request, outcome, spans=spans, attempt=attempt
    )
    store.add_done(done)
    return done


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "run"


def write_run(folder, items=("i0", "i1", "i2")):
    with RunStore.create(folder, {"run": "r1", "suite": "office"}) as store:
        store.write_tasks(TASKS)
        with Recorder(store.sink("0")) as recorder:
            done = [run_item(store, recorder, item) for item in items]
        store.finish({"spans_made": recorder.made, "spans_stored": recorder.stored})
    return done


def test_what_was_written_is_read_back(folder):
    done = write_run(folder)
    run = read_run(folder)
    assert list(run.done.values()) == done
    assert list(run.tasks.values()) == TASKS
    assert (run.spans_made, run.spans_stored) == (6, 6)
    traces = list(run.traces())
    assert [trace.request for trace in traces] == [record.request for record in done]
    assert [trace.outcome for trace in traces] == [record.outcome for record in done]
    assert traces[0].groups == {"bin": "short"}
    assert (traces[0].answer, traces[0].assistant_kind, traces[0].run, traces[0].spans) == (
        "answer 0",
        "rag",
        "r1",
        2,
    )
    assert not traces[0].warnings
    assert [t.trace_id for t in read_traces(folder)] == [t.trace_id for t in traces]
    assert len(list(read_spans(folder / "traces"))) == 6


def test_folders_and_files_are_private_and_ignored(folder):
    write_run(folder)
    assert (folder / ".gitignore").read_text() == "*\n"
    for path in [folder, *folder.rglob("*")]:
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600)


def test_a_trace_without_a_done_record_does_not_count(folder):
    with RunStore.create(folder, {}) as store, Recorder(store.sink("0")) as recorder:
        run_item(store, recorder, "i0")
        with item_span(recorder, Request("i1", "half")):
            pass
    assert [trace.request.item for trace in read_run(folder).traces()] == ["i0"]


def test_a_second_attempt_supersedes_the_first(folder):
    with RunStore.create(folder, {}) as store, Recorder(store.sink("0")) as recorder:
        run_item(store, recorder, "i0")
        run_item(store, recorder, "i0", attempt=1)
    assert [trace.answer for trace in read_run(folder).traces()] == ["answer 1"]


def test_interleaved_workers_are_read_by_trace(folder):
    with RunStore.create(folder, {}) as store, Recorder(store.sink("0")) as recorder:
        a = recorder.start("agent", "a", parent=None)
        b = recorder.start("agent", "b", parent=None)
        for span in (a, b):
            recorder.start("tool", "execute_tool t", TOOL, parent=span).end()
            recorder.flush()
        for item, span in (("a", a), ("b", b)):
            span.end()
            store.add_done(Done(item, "base", 0, "ok", span.trace_id, Request(item, "x"), spans=2))
    assert [(t.request.item, t.spans, t.warnings) for t in read_run(folder).traces()] == [
        ("a", 2, ()),
        ("b", 2, ()),
    ]


def test_resume_keeps_finished_records_byte_for_byte(folder):
    with RunStore.create(folder, {}) as store, Recorder(store.sink("0")) as recorder:
        run_item(store, recorder, "i0")
        run_item(store, recorder, "i1")
    before = (folder / ITEMS).read_bytes()
    with RunStore.resume(folder) as store, Recorder(store.sink("0")) as recorder:
        assert store.attempt == 1
        assert set(store.done()) == {("i0", "base", 0), ("i1", "base", 0)}
        run_item(store, recorder, "i2")
    assert (folder / ITEMS).read_bytes().startswith(before)
    assert len(list(read_run(folder).traces())) == 3


def test_torn_last_lines_are_cut_off_with_a_warning(folder):
    write_run(folder, ("i0", "i1"))
    traces = folder / "traces" / "0.otlp.jsonl"
    for path in (folder / ITEMS, traces):
        path.write_bytes(path.read_bytes()[:-20])
    with pytest.warns(UserWarning, match="torn"):
        assert [t.request.item for t in read_run(folder).traces()] == ["i0"]
    with pytest.warns(UserWarning, match="cut off"):
        store = RunStore.resume(folder)
    assert list(store.done()) == [("i0", "base", 0)]
    with Recorder(store.sink("0")) as recorder:
        run_item(store, recorder, "i1")
    store.close()
    assert [t.request.item for t in read_run(folder).traces()] == ["i0", "i1"]


def test_a_missing_line_is_a_warning_on_its_trace(folder):
    with RunStore.create(folder, {}) as store, Recorder(store.sink("0")) as recorder:
        done = run_item(store, recorder, "i0")
    path = folder / "traces" / "0.otlp.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    assert done.spans == 2
    assert len(lines) == 2
    path.write_bytes(lines[1])
    (trace,) = read_run(folder).traces()
    assert [text.partition(":")[0] for text in trace.warnings] == ["spans_missing", "missing"]


def test_a_damaged_line_is_named_by_file_and_line(folder):
    write_run(folder)
    path = folder / "traces" / "0.otlp.jsonl"
    path.write_bytes(b"garbage\n" + path.read_bytes())
    with pytest.warns(UserWarning, match=r"0\.otlp\.jsonl:1: no JSON"):
        assert len(list(read_run(folder).traces())) == 3
    items = folder / ITEMS
    items.write_bytes(b"{}\n" + items.read_bytes())
    with pytest.raises(TraceFormatError, match=r"items\.jsonl:1: no Done record"):
        read_run(folder)


def test_a_second_process_is_refused_in_one_line(folder):
    with RunStore.create(folder, {}):
        code = "import sys; from tracer.store import RunStore; RunStore.resume(sys.argv[1])"
        child = subprocess.run(
            [sys.executable, "-c", code, str(folder)], capture_output=True, text=True, check=False
        )
        assert "another process is writing this run" in child.stderr.splitlines()[-1]
        with pytest.raises(StoreError, match="another process"):
            RunStore.create(folder, {})
    with pytest.raises(StoreError, match="holds a run already"):
        RunStore.create(folder, {})
    RunStore.resume(folder).close()


def test_a_folder_with_other_things_is_refused(tmp_path):
    (tmp_path / "letter.txt").write_text("mine")
    with pytest.raises(StoreError, match="not empty"):
        RunStore.create(tmp_path, {})
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def test_a_newer_schema_is_refused(folder):
    write_run(folder)
    path = folder / "run.json"
    path.write_text(path.read_text().replace('"schema_version": 2', '"schema_version": 99'))
    with pytest.raises(StoreError, match="99"):
        read_run(folder)


@pytest.mark.parametrize("name", ["../x", "", "a/b", "a" * 300])
def test_a_worker_name_is_no_path(folder, name):
    write_run(folder)
    with pytest.raises(StoreError, match="worker name"):
        open_sink(folder, name)


def test_what_is_no_run_is_said_so(tmp_path):
    with pytest.raises(TraceFormatError, match="no run folder"):
        read_run(tmp_path)
    with pytest.raises(TraceFormatError, match="does not exist"):
        list(read_traces(tmp_path / "nothing"))


def test_failed_and_interrupted_items_are_listed(folder):
    with RunStore.create(folder, {}) as store:
        for status in ("failed", "interrupted"):
            store.add_done(Done(status, "base", 0, status, "0" * 32, Request(status, "x")))
        store.write_variants([{"status": "failed", "reason": "numbers"}, {"status": "admitted"}])
    run = read_run(folder)
    assert [d.item for d in run.failed] == ["failed"]
    assert [d.item for d in run.interrupted] == ["interrupted"]
    assert run.rejected == [{"status": "failed", "reason": "numbers"}]
    assert list(run.traces()) == []


def test_a_lone_surrogate_in_a_record_is_replaced(folder):
    with RunStore.create(folder, {}) as store:
        store.add_done(Done("i0", "base", 0, "failed", "0" * 32, Request("i0", "a\ud83d")))
        (done,) = store.done().values()
    assert done.request.text == "a\ufffd"
