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


def write_run(path, *, manifest=MANIFEST, items=8, status="ok", mode="strict", gold_answers=()):
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
                outcome = Outcome(
                    mode,
                    data_version="0.1",
                    success=right,
                    required_calls=(),
                    gold_answers=gold_answers,
                )
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
    assert f"next: stagetrace diff {folder} t1 --conditions base,formal" in out


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
        (["--format", "pdf"], "pdf"),
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


def test_a_gate_that_is_met_names_the_cell_and_ends_with_1(folder, capsys):
    gate = "success@formal < -0.05 and p < 0.2"
    assert run(["analyze", str(folder), "--fail-if", gate]) == 1
    captured = capsys.readouterr()
    assert "success@formal: difference -0.5" in captured.err
    assert "WHERE IT BREAKS" in captured.out
    assert run(["analyze", str(folder), "--fail-if", "success@formal > 0"]) == 0


def test_a_gate_may_ask_for_a_metric_that_is_not_shown(folder, capsys):
    arguments = ["--metrics", "no_call", "--fail-if", "success@formal < 0"]
    assert run(["analyze", str(folder), *arguments]) == 1
    assert "success   higher" not in capsys.readouterr().out


def test_a_gate_that_cannot_be_read_is_bad_usage(folder, capsys):
    assert run(["analyze", str(folder), "--fail-if", "success < "]) == 2
    assert capsys.readouterr().out == ""


def test_analyses_are_listed_and_added_to_the_tables(folder, capsys):
    assert run(["analyze", str(folder), "--analysis", "list"]) == 0
    assert "localisation" in capsys.readouterr().out
    assert run(["analyze", str(folder), "--analysis", "fragility,baselines"]) == 0
    out = capsys.readouterr().out
    assert "Fragility by condition, success" in out
    assert "Matched baselines, success" in out


def test_analyses_are_in_the_json_and_in_files_of_csv(folder, tmp_path, capsys):
    assert run(["analyze", str(folder), "--analysis", "fragility", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["analyses"]
    assert [one["analysis"] for one in found] == ["fragility.conditions", "fragility.items"]
    arguments = ["--analysis", "fragility", "--format", "csv", "--out", str(tmp_path / "out")]
    assert run(["analyze", str(folder), *arguments]) == 0
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"effects.csv", "analyses.csv"}


def test_latex_is_one_table_environment_a_grid(folder, capsys):
    assert run(["analyze", str(folder), "--format", "latex", "--metrics", "success"]) == 0
    out = capsys.readouterr().out
    assert out.count("\\begin{table}") == out.count("\\end{table}") == 2
    assert "\\bottomrule" in out
    assert "_" not in out.replace("\\_", "").replace("% ", "").split("\\begin")[1]


def test_tables_are_broken_down_by_axis(folder, capsys):
    assert run(["analyze", str(folder), "--by", "axis", "--metrics", "success"]) == 0
    assert "success by axis" in capsys.readouterr().out


def test_a_judge_marks_answers_and_its_verdicts_are_kept(tmp_path, capsys, monkeypatch):
    folder = write_run(tmp_path / "run", gold_answers=("done",))
    arguments = ["analyze", str(folder), "--judge", "rules", "--metrics", "judged,judged_invalid"]
    assert run([*arguments, "--json"]) == 0
    captured = capsys.readouterr()
    assert "asked about" in captured.err
    (block,) = json.loads(captured.out)["blocks"]
    assert block["subject"]["answer_matcher"].startswith("judge rules")
    assert (folder / "judged.jsonl").exists()
    assert run([*arguments, "--json"]) == 0
    assert "asked about" not in capsys.readouterr().err


def test_prices_and_scoring_stand_in_the_footer(tmp_path, capsys):
    folder = write_run(tmp_path / "run", gold_answers=("done",))
    prices = tmp_path / "prices.json"
    prices.write_text('{"currency": "EUR", "models": {"m": {"input": 1, "output": 2}}}')
    options = ["--scoring", "s2_released", "--prices", str(prices)]
    assert run(["analyze", str(folder), *options]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "em, answer_f1, am: the released scripts of Out of Style" in out
    assert "cost: EUR by prices.json" in out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--analysis", "fragilty"], "did you mean 'fragility'"),
        (["--scoring", "s2"], "s2_released"),
        (["--prices", "nowhere.json"], "no price list"),
    ],
)
def test_a_wrong_choice_is_answered(folder, options, message, capsys):
    assert run(["analyze", str(folder), *options]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("price", ["1e300", "-1", "NaN", "true", '"1"', "1" + "0" * 400])
def test_a_price_that_no_sum_can_hold_is_refused(folder, tmp_path, price, capsys):
    prices = tmp_path / "prices.json"
    prices.write_text(f'{{"models": {{"m": {{"input": {price}, "output": 2}}}}}}')
    assert run(["analyze", str(folder), "--prices", str(prices)]) == 2
    assert "no price list" in capsys.readouterr().err
