"""`stagetrace analyze` over run folders written by the tracer's own store."""

from __future__ import annotations

import csv
import json

import pytest

from stagetrace import console
from stagetrace.commandline import run
from tracer.record import Recorder
from tracer.records import Done, Outcome, Request
from tracer.spans import item_span, set_answer
from tracer.store import RunStore

MANIFEST = {
    "run": "one",
    "suite": "office",
    "assistant": "tools",
    "assistant_kind": "tools",
    "model": "rules",
    "model_source": {"provider": "stagetrace", "source": "built in", "baseline": True},
    "mode": "strict",
    "data_version": "0.1",
    "seed": 7,
}


def write_run(path, *, manifest=MANIFEST, items=8, status="ok", mode="strict"):
    """A run of `items` items: all right in base, every second one wrong under `formal`."""
    with RunStore.create(path, manifest) as store:
        sink = store.sink(0)
        recorder = Recorder(sink, run="one")
        for number in range(items):
            for condition in ("base", "formal"):
                right = condition == "base" or number % 2 == 0
                request = Request(f"t{number}", "do it", suite="office", condition=condition)
                with item_span(recorder, request, assistant_kind="tools") as span:
                    set_answer(span, "done")
                recorder.flush()
                outcome = Outcome(mode, data_version="0.1", success=right, required_calls=())
                store.add_done(
                    Done(
                        request.item,
                        condition,
                        0,
                        status,
                        span.trace_id,
                        request,
                        outcome if status == "ok" else None,
                        spans=1,
                    )
                )
        recorder.close()
        store.finish({"spans_made": recorder.made, "spans_stored": recorder.stored})
    return path


@pytest.fixture
def folder(tmp_path):
    return write_run(tmp_path / "run")


@pytest.fixture(autouse=True)
def _fresh_consoles(monkeypatch):
    """Consoles bound to the streams of this test, 80 columns wide."""
    monkeypatch.setenv("COLUMNS", "80")
    console.out.cache_clear()
    console.err.cache_clear()
    yield
    console.out.cache_clear()
    console.err.cache_clear()


def test_the_table_names_model_baseline_and_effect(folder, capsys):
    assert run(["analyze", str(folder)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("office · tools · model rules · strict · data 0.1 · seed 7")
    assert "baseline program: shows the tool, not a finding" in out
    assert "spans 16 made = stored" in out
    assert "-50.0" in out
    assert f"next: stagetrace show {folder} t1 --condition formal" in out


def test_the_json_is_one_document_on_stdout(folder, capsys):
    assert run(["analyze", str(folder), "--json"]) == 0
    (block,) = json.loads(capsys.readouterr().out)["blocks"]
    (effect,) = [e for e in block["effects"] if e["metric"] == "success"]
    assert (effect["difference"], effect["b"], effect["c"]) == (-0.5, 4, 0)


@pytest.mark.parametrize(
    ("form", "name"), [("table", "analysis.txt"), ("md", "analysis.md"), ("csv", "effects.csv")]
)
def test_a_file_can_be_written_instead(folder, tmp_path, form, name, capsys):
    target = tmp_path / "out"
    assert run(["analyze", str(folder), "--format", form, "--out", str(target)]) == 0
    assert "success" in (target / name).read_text()
    assert capsys.readouterr().out == ""


def test_csv_on_stdout_is_only_csv(folder, capsys):
    assert run(["analyze", str(folder), "--format", "csv", "--metrics", "success"]) == 0
    (line,) = csv.DictReader(capsys.readouterr().out.splitlines())
    assert line["condition"] == "formal"


def test_runs_of_two_modes_get_a_block_each(folder, tmp_path, capsys):
    other = write_run(
        tmp_path / "other", manifest={**MANIFEST, "mode": "official"}, mode="official"
    )
    assert run(["analyze", str(folder), str(other), "--json"]) == 0
    blocks = json.loads(capsys.readouterr().out)["blocks"]
    assert [block["subject"]["mode"] for block in blocks] == ["strict", "official"]


def test_runs_that_agree_are_one_block(folder, tmp_path, capsys):
    other = write_run(tmp_path / "other")
    assert run(["analyze", str(folder), str(other), "--json"]) == 0
    (block,) = json.loads(capsys.readouterr().out)["blocks"]
    assert block["runs_per_condition"] == 2


def test_a_run_named_twice_is_read_once(folder, capsys):
    assert run(["analyze", str(folder), str(folder), "--json"]) == 0
    (block,) = json.loads(capsys.readouterr().out)["blocks"]
    assert block["runs_per_condition"] == 1


def test_a_folder_of_traces_without_gold_shows_dashes(folder, capsys):
    assert run(["analyze", str(folder / "traces"), "--metrics", "success"]) == 0
    assert "not graded" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--metrics", "sucess"], "did you mean 'success'"),
        (["--conditions", "formel"], "did you mean 'formal'"),
        (["--baseline", "plain"], "these traces hold 'base', 'formal'"),
        (["--by", "kind"], "these items carry no labels"),
        (["--format", "html"], "html"),
        (["--resamples", "0"], "resamples"),
    ],
)
def test_bad_usage_is_one_line_and_status_2(folder, options, message, capsys):
    assert run(["analyze", str(folder), *options]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert len(captured.err.splitlines()) == 1
    assert captured.out == ""


def test_a_path_without_traces_is_bad_input(tmp_path, capsys):
    assert run(["analyze", str(tmp_path / "nothing")]) == 2
    assert "does not exist" in capsys.readouterr().err


def test_a_run_without_finished_items_says_so(tmp_path, capsys):
    folder = write_run(tmp_path / "run", status="failed")
    assert run(["analyze", str(folder)]) == 2
    assert "no finished item to analyze (16 failed)" in capsys.readouterr().err


def test_strict_pairs_refuse_a_missing_item(folder, capsys):
    items = folder / "items.jsonl"
    items.write_text("".join(items.read_text().splitlines(keepends=True)[:-1]))
    assert run(["analyze", str(folder)]) == 0
    assert run(["analyze", str(folder), "--strict-pairs"]) == 1
    assert "'t7'" in capsys.readouterr().err


def test_a_folder_that_cannot_be_written_is_one_line(folder, capsys):
    blocked = folder / "run.json"
    assert run(["analyze", str(folder), "--format", "md", "--out", str(blocked)]) == 2
    assert "--out" in capsys.readouterr().err


def test_hostile_ids_reach_the_terminal_escaped(tmp_path, capsys):
    folder = write_run(tmp_path / "run")
    items = folder / "items.jsonl"
    items.write_text(items.read_text().replace('"t1"', '"\\u001b[31mt1"'))
    assert run(["analyze", str(folder)]) == 0
    assert "\x1b" not in capsys.readouterr().out


def test_the_baseline_line_is_left_out_for_a_language_model(tmp_path, capsys):
    source = {"provider": "openai", "source": "host", "baseline": False}
    manifest = {**MANIFEST, "model": "openai:x", "model_source": source}
    assert run(["analyze", str(write_run(tmp_path / "run", manifest=manifest))]) == 0
    assert "baseline program" not in capsys.readouterr().out


def test_a_missing_extra_is_answered_with_the_install_command(folder, monkeypatch, capsys):
    from stagetrace.commands import analyze

    monkeypatch.setattr(analyze, "find_spec", lambda package: None)
    assert run(["analyze", str(folder)]) == 2
    assert "pip install 'stagetrace[analysis]'" in capsys.readouterr().err
