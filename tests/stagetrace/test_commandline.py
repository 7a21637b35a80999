"""One clear line and the right exit status, whatever is typed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from stagetrace.commandline import run
from stagetrace.rooms import ROOMS, shadowed


def outcome(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = run(arguments)
    captured = capsys.readouterr()
    return status, captured.out, captured.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["rnu"], "unknown command 'rnu'; did you mean 'run'?"),
        (["run", "offce"], "unknown suite 'offce'; did you mean 'office'?"),
        (["run", "workbench:mail"], "unknown part 'mail'"),
        (["run", "office", "--assistant", "rg"], "unknown assistant 'rg'; did you mean 'rag'?"),
        (["run", "office", "--assistant", "rag", "--model", "rulez"], "unknown model 'rulez'"),
        (["run", "office", "--assistant", "rag", "--conditions", "base,indirekt"], "'indirekt'"),
        (["run", "office", "--retriever", "bm52"], "unknown retriever 'bm52'"),
        (["run", "tasks:nowhere", "--assistant", "rag"], "no tasks at nowhere"),
        (["show", "nowhere"], "nowhere: does not exist"),
        (["analyze", "nowhere"], "nowhere"),
        (["export", "nowhere"], "--otlp"),
        (["run", "office", "--replicates", "many"], "--replicates"),
    ],
)
def test_bad_input_is_one_line_and_status_2(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    said: str,
):
    monkeypatch.chdir(tmp_path)
    status, out, err = outcome(capsys, *arguments)
    assert status == 2
    assert out == ""
    assert said in err
    assert err.startswith("stagetrace: ")
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_absent_data_says_where_it_was_looked_for(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("STAGETRACE_DATA", str(tmp_path / "none"))
    status, _, err = outcome(capsys, "run", "workbench:email", "--assistant", "tools")
    assert status == 2
    assert f"looked in {tmp_path / 'none' / 'workbench'}; set STAGETRACE_DATA" in err


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]):
    status, out, _ = outcome(capsys, "--help")
    assert status == 0
    for command in ("run", "vary", "analyze", "show", "export", "suites", "models"):
        assert f"  {command} " in out


@pytest.mark.parametrize(
    "command", ["run", "vary", "analyze", "show", "export", "suites", "models"]
)
def test_every_command_has_help(capsys: pytest.CaptureFixture[str], command: str):
    status, out, _ = outcome(capsys, command, "--help")
    assert status == 0
    assert "Usage:" in out


def test_rooms_are_ours():
    assert shadowed() is None


@pytest.mark.parametrize("room", ROOMS)
def test_a_file_that_hides_a_room_is_named(tmp_path: Path, room: str):
    hiding = tmp_path / f"{room}.py"
    hiding.write_text("raise SystemExit('wrong file imported')\n", encoding="utf-8")
    result = subprocess.run(
        [sys.executable, "-m", "stagetrace", "suites"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 2
    said = f"stagetrace: {hiding.resolve()} hides stagetrace's own package"
    assert result.stderr.startswith(said)
    assert result.stderr.count("\n") == 1
