"""`stagetrace diff` over run folders written by the tracer's own store."""

from __future__ import annotations

import json

import pytest

from stagetrace import console
from stagetrace.commandline import run
from tracer.record import Recorder
from tracer.records import CallVerdict, Done, GoldCall, Outcome, Request
from tracer.spans import item_span, set_answer, set_tool_call, set_tool_result
from tracer.store import RunStore

MANIFEST = {"run": "one", "suite": "office", "assistant": "tools", "mode": "strict", "seed": 7}
HOSTILE = "\x1b[31m\u202eto \u2066Projects"


def write_run(path, *, conditions=("base", "indirect"), runs=1, graded=True):
    """One item: `base` searches and moves a mail, every other condition searches only."""
    with RunStore.create(path, MANIFEST) as store:
        recorder = Recorder(store.sink(0), run="one")
        for condition in conditions:
            for replicate in range(runs):
                text = f"Move it, {condition} {HOSTILE}"
                request = Request(
                    "t1",
                    text,
                    "office",
                    condition,
                    replicate=replicate,
                )
                moves = condition == "base" or (runs > 1 and replicate == 0)
                with item_span(recorder, request, assistant_kind="tools") as span:
                    with recorder.span("tool", "execute_tool search") as tool:
                        set_tool_call(tool, "search", {"query": condition}, effect="read")
                        set_tool_result(tool, ["m-1"])
                    if moves:
                        with recorder.span("tool", "execute_tool move") as tool:
                            set_tool_call(
                                tool, "move", {"id": "m-1", "to": "x" * 90}, effect="write"
                            )
                            set_tool_result(tool, "ok")
                    set_answer(span, "done" if moves else HOSTILE)
                recorder.flush()
                verdicts = [CallVerdict("read", False, 0)]
                verdicts += [CallVerdict("write", False, 1)] if moves else []
                outcome = Outcome(
                    "strict",
                    success=moves,
                    required_calls=(GoldCall("search"), GoldCall("move", writes=True)),
                    calls=tuple(verdicts),
                )
                store.add_done(
                    Done("t1", condition, replicate, "ok", span.trace_id, request, outcome, spans=0)
                )
        recorder.close()
        store.finish({"spans_made": recorder.made, "spans_stored": recorder.stored})
    return path if graded else path / "traces"


@pytest.fixture(autouse=True)
def _fresh_consoles(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    console.out.cache_clear()
    console.err.cache_clear()
    yield
    console.out.cache_clear()
    console.err.cache_clear()


@pytest.fixture
def folder(tmp_path):
    return write_run(tmp_path / "run")


def test_both_findings_end_the_table(folder, capsys):
    assert run(["diff", str(folder), "t1", "--conditions", "base,indirect"]) == 0
    out = capsys.readouterr().out
    assert "1 ~ tool" in out
    assert "not called" in out
    assert "<- harm" in out
    findings = "first diverging step 1 (arguments) · first harmful step 2 (required call missing)"
    assert findings in " ".join(out.split())


def test_no_line_is_wider_than_the_terminal(folder, capsys):
    assert run(["diff", str(folder), "t1"]) == 0
    assert all(len(line) <= 80 for line in capsys.readouterr().out.splitlines())


def test_a_cut_is_counted_and_full_shows_the_value(folder, capsys):
    assert run(["diff", str(folder), "t1"]) == 0
    assert "cut; --full shows them whole" in capsys.readouterr().out
    assert run(["diff", str(folder), "t1", "--full"]) == 0
    full = capsys.readouterr().out
    assert "cut" not in full
    assert sum(line.count("x") for line in full.splitlines()) >= 90


def test_text_of_traces_cannot_steer_the_terminal(folder, capsys):
    assert run(["diff", str(folder), "t1", "--full"]) == 0
    out = capsys.readouterr().out
    assert not {"\x1b", "\u202e", "\u2066"} & set(out)


def test_the_json_is_one_document_with_both_sides(folder, capsys):
    assert run(["diff", str(folder), "t1", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["diffs"]
    assert (found["first_diverging"], found["first_harmful"], found["stage"]) == (1, 2, "call")
    assert [row["sign"] for row in found["rows"]] == ["~", "-", "~"]
    assert found["rows"][0]["changed"][0]["base"] == "base"


def test_the_first_run_that_differs_is_shown(tmp_path, capsys):
    folder = write_run(tmp_path / "run", runs=3)
    assert run(["diff", str(folder), "t1"]) == 0
    assert "run 2 shown; 2 of 3 runs differ" in capsys.readouterr().out
    assert run(["diff", str(folder), "t1", "--run", "1"]) == 0
    assert "run 1 shown" in capsys.readouterr().out


def test_several_conditions_are_compared_one_after_the_other(tmp_path, capsys):
    folder = write_run(tmp_path / "run", conditions=("base", "indirect", "formal"))
    options = ["--conditions", "base,indirect,formal", "--json"]
    assert run(["diff", str(folder), "t1", *options]) == 0
    found = json.loads(capsys.readouterr().out)["diffs"]
    assert [one["variant"]["condition"] for one in found] == ["indirect", "formal"]


def test_all_shows_what_only_nests(folder, capsys):
    assert run(["diff", str(folder), "t1", "--all", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["diffs"]
    assert len(found["rows"]) >= 3


def test_without_gold_harm_is_not_known(tmp_path, capsys):
    traces = write_run(tmp_path / "run", graded=False)
    assert run(["diff", str(traces), "t1"]) == 0
    assert "no gold, so harm is not known" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["t2"], "did you mean 't1'"),
        (["t1", "--conditions", "base,indirct"], "did you mean 'indirect'"),
        (["t1", "--run", "4"], "runs on both: 1"),
    ],
)
def test_bad_usage_is_one_line_and_status_2(folder, arguments, message, capsys):
    assert run(["diff", str(folder), *arguments]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert len(captured.err.splitlines()) == 1
    assert captured.out == ""


def test_one_condition_alone_cannot_be_compared(tmp_path, capsys):
    folder = write_run(tmp_path / "run", conditions=("base",))
    assert run(["diff", str(folder), "t1"]) == 2
    assert "nothing to compare it with" in capsys.readouterr().err


def test_an_ascii_terminal_gets_ascii(folder, capsys, monkeypatch):
    monkeypatch.setattr(console, "unicode_ok", lambda: False)
    assert run(["diff", str(folder), "t1"]) == 0
    assert capsys.readouterr().out.isascii()
