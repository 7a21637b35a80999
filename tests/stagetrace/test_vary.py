from __future__ import annotations

import json

import pytest

from stagetrace.commandline import run
from variants.files import read_variants


def _vary(capsys, *arguments):
    status = run(["vary", *map(str, arguments)])
    return status, capsys.readouterr()


def test_vary_writes_every_slot_and_prints_the_yields(tmp_path, capsys):
    out = tmp_path / "v.jsonl"
    status, said = _vary(
        capsys, "office", "--conditions", "typos,indirect", "--limit", 4, "--out", out
    )
    assert status == 0
    assert [v.condition for v in read_variants(out)] == ["typos", "indirect"] * 4
    assert "100.0%" in said.out
    assert f"next: stagetrace run office --variants {out}" in said.out


def test_an_empty_slot_gives_status_1_and_its_reason(tmp_path, capsys):
    out = tmp_path / "v.jsonl"
    status, said = _vary(
        capsys, "office", "--conditions", "rtt", "--limit", 1, "--out", out, "--json"
    )
    document = json.loads(said.out)
    assert status == 1
    assert document["conditions"][0]["not_made"] == {"no translator": 1}
    assert document["failed"][0]["condition"] == "rtt"


def test_check_gates_the_texts_of_somebody_else(tmp_path, capsys):
    made = tmp_path / "v.jsonl"
    _vary(capsys, "office", "--conditions", "formal", "--limit", 2, "--out", made)
    item = read_variants(made)[0].item_id
    mine = tmp_path / "mine.jsonl"
    mine.write_text(
        json.dumps({"item_id": item, "condition": "formal", "text": "Kindly tell me."}) + "\n"
    )
    status, said = _vary(capsys, "office", "--check", mine)
    assert status == 1
    assert "numbers: numbers missing" in said.out
    status, _ = _vary(capsys, "office", "--check", made)
    assert status == 0


def test_two_runs_are_byte_identical(tmp_path, capsys):
    paths = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for path in paths:
        _vary(
            capsys, "office", "--conditions", "all", "--limit", 3, "--density", 0.5, "--out", path
        )
    assert paths[0].read_bytes() == paths[1].read_bytes()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["office"], "no --out"),
        (["office", "--conditions", "typo", "--out", "{}/v"], "did you mean 'typos'"),
        (["offise", "--out", "{}/v"], "did you mean 'office'"),
        (["office", "--out", "{}/none/v"], "there is no folder"),
        (["office", "--density", "2", "--out", "{}/v"], "--density"),
        (["office", "--check", "{}/none"], "no readable file of variants"),
    ],
)
def test_bad_usage_is_one_line_and_status_2(tmp_path, capsys, arguments, said):
    status, captured = _vary(capsys, *(a.format(tmp_path) for a in arguments))
    assert status == 2
    assert captured.out == ""
    assert said in captured.err
    assert len(captured.err.splitlines()) == 1


def test_an_item_that_the_suite_lacks_is_named(tmp_path, capsys):
    mine = tmp_path / "mine.jsonl"
    mine.write_text('{"item_id": "office-q999", "condition": "formal", "text": "x"}\n')
    status, said = _vary(capsys, "office", "--check", mine)
    assert status == 2
    assert "mine.jsonl:1: office has no item 'office-q999'" in said.err
