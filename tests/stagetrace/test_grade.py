"""Grading stored and foreign traces: joined by item, request or attribute, in any one mode."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sandboxes.office import OfficeSandbox
from sandboxes.user_tasks import UserTasks
from stagetrace.commandline import run
from stagetrace.grading import Graded, grade_traces
from tracer import spans
from tracer.record import Recorder
from tracer.records import Passage, Request
from tracer.store import open_sink, read_run, read_spans

TASKS = [
    {"item": "k1", "text": "Where is the key?", "answers": ["mat"], "relevant": [["d1"]]},
    {"item": "k2", "text": "Where is the cat?", "answers": ["roof"]},
    {"item": "k3", "text": "Who has the lamp?", "rewrites": {"casual": "who's got the lamp"},
     "answers": ["Jo"]},
    {"item": "k4", "text": "Where  is the CAT?", "answers": ["shed"]},
]  # fmt: skip
DOCUMENTS = [{"id": "d1", "text": "The key lies under the mat."}]


@pytest.fixture
def suite(tmp_path: Path) -> UserTasks:
    folder = tmp_path / "tasks"
    folder.mkdir()
    for name, rows in (("tasks", TASKS), ("documents", DOCUMENTS)):
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(text)
    return UserTasks(str(folder), data=str)


def foreign(folder: Path, *asked: tuple[str, str, dict[str, Any]]) -> Path:
    """Traces of somebody's agent: request, answer and further attributes; no identity of ours."""
    recorder = Recorder(open_sink(folder, "agent"))
    (folder / "traces").mkdir(parents=True, exist_ok=True)
    for text, answer, attributes in asked:
        with spans.agent_span(recorder, "theirs", "", Request("", text)) as span:
            for key, value in attributes.items():
                span.set(key, value)
            with recorder.span("retrieval", "retrieval") as found:
                spans.set_retrieval_query(found, text, 5)
                spans.set_passages(found, [Passage("d1", 1.0, "The key lies under the mat.")])
            spans.set_answer(span, answer)
    recorder.close()
    return folder


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    folder = tmp_path / "theirs"
    (folder / "traces").mkdir(parents=True)
    return foreign(
        folder,
        ("where is  the KEY?", "Under the mat.", {"case.id": "k1"}),
        ("who's got the lamp", "Nobody.", {"case.id": "k3"}),
        ("Where is the cat?", "On the roof.", {"case.id": "k2"}),
        ("What is the time?", "Noon.", {}),
        ("Where is the key?", "In the drawer.", {"case.id": "k9"}),
    )


def verdicts(graded: Graded) -> list[tuple[str, str, int, bool | None]]:
    return [
        (d.item, d.condition, d.replicate, d.outcome.answer_correct if d.outcome else None)
        for d in graded.done
    ]


def test_requests_are_joined_with_base_texts_and_wordings(theirs: Path, suite: UserTasks) -> None:
    graded = grade_traces(theirs, suite, "request")
    assert verdicts(graded) == [
        ("k1", "base", 0, True),
        ("k3", "casual", 0, False),
        ("k1", "base", 1, False),
    ]
    assert [left.why for left in graded.left] == [
        "2 tasks have its request: k2, k4",
        "no task has its request",
    ]
    assert graded.missing == ["k2", "k4"]
    assert [done.request.axis for done in graded.done] == ["base", "formality", "base"]


def test_an_attribute_names_the_item(theirs: Path, suite: UserTasks) -> None:
    graded = grade_traces(theirs, suite, "case.id")
    assert [row[0] for row in verdicts(graded)] == ["k1", "k3", "k2"]
    assert [left.why.partition(";")[0] for left in graded.left] == [
        "no span has the attribute 'case.id'",
        "no task 'k9'",
    ]


def test_nothing_that_matches_is_one_line(
    theirs: Path, suite: UserTasks, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["grade", str(theirs), "--suite", suite.name]) == 2
    said = capsys.readouterr().err
    assert "none of 5 traces belongs to a task" in said
    assert "the trace names no item; try --match request" in said


def test_a_foreign_folder_becomes_a_run_that_analyze_reads(
    theirs: Path, suite: UserTasks, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "graded"
    arguments = ["grade", str(theirs), "--suite", suite.name, "--match", "case.id"]
    assert run([*arguments, "--out", str(out)]) == 1
    said = capsys.readouterr().out
    assert "2 traces belong to no task" in said
    assert "k4" in said
    graded = read_run(out)
    traces = list(graded.traces())
    assert [trace.request.item for trace in traces] == ["k1", "k3", "k2"]
    assert [trace.outcome and trace.outcome.mode for trace in traces] == ["strict"] * 3
    assert traces[0].retrievals[0].passages is not None
    assert graded.manifest["graded_from"] == str(theirs)
    wanted = {trace.trace_id for trace in traces}
    before = {s.span_id: s for s in read_spans(theirs) if s.trace_id in wanted}
    after = {s.span_id: s for s in read_spans(out)}
    assert {key: span.attributes for key, span in after.items()} == {
        key: span.attributes for key, span in before.items()
    }
    assert run(["analyze", str(out), "--format", "json"]) in (0, 1)
    assert "recall@5" in capsys.readouterr().out


def test_records_alone_go_into_a_file(theirs: Path, suite: UserTasks, tmp_path: Path) -> None:
    out = tmp_path / "records.jsonl"
    run(["grade", str(theirs), "--suite", suite.name, "--match", "request", "--out", str(out)])
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row["item"] for row in rows] == ["k1", "k3", "k1"]
    assert rows[0]["outcome"]["answer_correct"] is True


def test_json_lists_everything(
    theirs: Path, suite: UserTasks, capsys: pytest.CaptureFixture[str]
) -> None:
    run(["grade", str(theirs), "--suite", suite.name, "--match", "request", "--json"])
    document = json.loads(capsys.readouterr().out)
    assert [row["answer_right"] for row in document["conditions"]] == ["1 of 2", "0 of 1"]
    assert document["conditions"][0]["success"] is None
    assert len(document["unmatched"]) == 2
    assert document["items_without_trace"] == ["k2", "k4"]


def test_a_run_is_graded_again_with_the_same_verdicts(tmp_path: Path) -> None:
    source = tmp_path / "run"
    going = ["run", "office:actions", "--assistant", "tools", "--model", "rules", "--limit", "5"]
    assert run([*going, "--conditions", "base,indirect", "--out", str(source)]) == 0
    graded = grade_traces(source, OfficeSandbox("actions", data=str))
    stored = read_run(source).done
    assert {(d.item, d.condition, d.replicate): d.outcome for d in graded.done} == {
        key: done.outcome for key, done in stored.items()
    }


def test_another_mode_goes_into_another_folder_and_is_never_mixed(
    tmp_path: Path, data_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, out = tmp_path / "run", tmp_path / "strict"
    going = ["run", "workbench:email", "--assistant", "tools", "--model", "gold", "--limit", "3"]
    assert run([*going, "--out", str(source)]) == 0
    before = (source / "items.jsonl").read_bytes()
    again = ["grade", str(source), "--suite", "workbench:email", "--mode", "strict"]
    assert run([*again, "--out", str(source)]) == 2
    assert "name another --out" in capsys.readouterr().err
    assert run([*again, "--out", str(out)]) == 0
    assert (source / "items.jsonl").read_bytes() == before
    modes = [
        {trace.outcome.mode for trace in read_run(folder).traces() if trace.outcome}
        for folder in (source, out)
    ]
    assert modes == [{"official"}, {"strict"}]
    assert read_run(out).manifest["mode"] == "strict"
    capsys.readouterr()
    assert run(["analyze", str(source), str(out), "--format", "json"]) in (0, 1)
    shown = capsys.readouterr().out
    assert '"official"' in shown
    assert '"strict"' in shown


def test_a_grader_that_breaks_gives_no_verdict_and_the_rest_is_graded(
    theirs: Path, suite: UserTasks, monkeypatch: pytest.MonkeyPatch
) -> None:
    grade = suite.grade

    def broken(task: Any, trace: Any) -> Any:
        if task.item == "k3":
            raise RuntimeError("tripped")
        return grade(task, trace)

    monkeypatch.setattr(suite, "grade", broken)
    graded = grade_traces(theirs, suite, "case.id")
    assert [done.status for done in graded.done] == ["ok", "failed", "ok"]
    assert graded.done[1].outcome is None
    assert "tripped" in graded.done[1].error


def test_tooltalk_gold_grades_right_from_stored_traces(tmp_path: Path, data_dir: Path) -> None:
    """Under default redaction: declared passwords, tokens and codes are still there."""
    source = tmp_path / "run"
    going = ["run", "tooltalk:easy", "--assistant", "tools", "--model", "gold", "--limit", "12"]
    assert run([*going, "--out", str(source)]) == 0
    out = tmp_path / "graded"
    assert run(["grade", str(source), "--suite", "tooltalk:easy", "--out", str(out)]) == 0
    outcomes = [trace.outcome for trace in read_run(out).traces()]
    assert len(outcomes) == 12
    assert all(outcome and outcome.success for outcome in outcomes)
