"""Ctrl-C at odd moments, and two runs in one folder: one line that says how to go on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from stagetrace import progress, wordings
from stagetrace.commandline import run
from tracer.store import RunStore, read_run

pytest.importorskip("langgraph")
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def asking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The command line of a run of four questions into the folder `here`."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "mine"
    folder.mkdir()
    documents = [{"id": f"d{n}", "text": f"Order {n} leaves on day {n}."} for n in range(4)]
    tasks = [{"item": f"q{n}", "text": f"When does order {n} leave?"} for n in range(4)]
    for name, rows in (("documents", documents), ("tasks", tasks)):
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(text)
    return ["run", "tasks:mine", "--assistant", "rag", "--out", "here"]


def press() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def interrupted(*_: Any, **more: Any) -> None:
    raise KeyboardInterrupt


def test_pressed_twice_between_two_items_says_how_to_go_on(
    asking: list[str], monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    noted = progress.LineProgress.done

    def done(*given: Any) -> None:
        noted(*given)
        press()
        press()

    with monkeypatch.context() as patch:
        patch.setattr(progress.LineProgress, "done", done)
        assert run(asking) == 130
    said = capsys.readouterr().out.splitlines()[-1]
    assert said == (
        "1 of 4 done, 1 items complete in all conditions. resume: stagetrace run --resume here"
    )
    assert read_run("here").manifest["status"] == "interrupted"
    kept = Path("here/items.jsonl").read_bytes()
    assert run(["run", "--resume", "here"]) == 0
    assert Path("here/items.jsonl").read_bytes().startswith(kept)
    lines = Path("here/items.jsonl").read_bytes().splitlines()
    items = Counter(json.loads(line)["item"] for line in lines)
    assert items == {f"q{n}": 1 for n in range(4)}


@pytest.mark.parametrize("step", ["write_variants", "write_tasks", "done"])
def test_pressed_before_the_first_item_says_how_to_go_on(
    asking: list[str], step: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(RunStore, step, interrupted)
        assert run(asking) == 130
    assert "resume: stagetrace run --resume here" in capsys.readouterr().out
    assert run(["run", "--resume", "here"]) == 0
    assert len(read_run("here").done) == 4


def test_pressed_before_there_is_a_folder_is_said_in_one_line(
    asking: list[str], monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr(wordings, "make_wordings", interrupted)
    assert run(asking) == 130
    said = capsys.readouterr().err.strip()
    assert said == "stagetrace: stopped; what was being done is not finished"
    assert not Path("here").exists()


def test_pressed_while_the_program_is_loaded_is_no_traceback(tmp_path: Path) -> None:
    # Python imports this file before anything of ours.
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\n"
        "class Pressed:\n"
        "    def find_spec(self, name, *more):\n"
        "        if name == 'stagetrace.commandline':\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Pressed())\n"
    )
    ended = subprocess.run(
        [sys.executable, "-m", "stagetrace", "suites"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (130, "")
    assert ended.stderr == "stagetrace: stopped; nothing was done\n"


def test_second_run_in_one_folder_is_refused_and_changes_nothing(
    asking: list[str], capsys: Capture
) -> None:
    assert run(asking) == 0
    before = {path: path.read_bytes() for path in Path("here").rglob("*") if path.is_file()}
    with RunStore.resume("here"):
        held = Path("here/run.json").read_bytes()
        capsys.readouterr()
        for command in (["run", "--resume", "here"], asking):
            assert run(command) == 1
            err = capsys.readouterr().err.splitlines()
            assert err == [
                "stagetrace: here: another process is writing this run; wait for it or name "
                "another --out"
            ]
        assert Path("here/run.json").read_bytes() == held
    now = {path: path.read_bytes() for path in Path("here").rglob("*") if path.is_file()}
    changed = {path for path in now if before.get(path) != now[path]}
    assert changed <= {Path("here/run.json")}


def test_a_folder_that_a_killed_run_had_only_begun_is_begun_anew(asking: list[str]) -> None:
    assert run(asking) == 0
    for path in Path("here").iterdir():
        if path.name not in (".lock", ".gitignore", "traces"):
            path.unlink()
    for path in Path("here/traces").iterdir():
        path.unlink()
    Path("here/.run.json.part").write_bytes(b'{"half')
    assert run(asking) == 0
    assert len(read_run("here").done) == 4
