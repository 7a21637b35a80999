"""Kill -9, again and again, of a run in two workers: resumed, it is the run that nobody stopped."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from stagetrace.commandline import run
from tracer.check import check
from tracer.store import read_run

Project = Any
"""The fixture's `Project` of conftest.py."""
ITEMS = 30
RUN = (
    *("run", "tiny_box:tiny", "--assistant", "tiny_box:sender", "--model", "tiny_box:scripted"),
    *("--conditions", "base,typos", "--limit", str(ITEMS)),
)
SLOTS = 2 * ITEMS
PATIENCE_S = 60.0


def records(folder: Path) -> list[bytes]:
    """Whole done-records, as they stand on disk."""
    path = folder / "items.jsonl"
    lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
    return [line for line in lines if line.endswith(b"\n")]


def wait_until(true: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not true():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.005)


def workers_of(pid: int) -> list[int]:
    """Processes that a run works in."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    commands = {int(child): Path(f"/proc/{child}/cmdline") for child in children}
    return [child for child, command in commands.items() if b"spawn_main" in command.read_bytes()]


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def kill(process: subprocess.Popen[str]) -> None:
    """Kill a run, and see that its workers go with it."""
    workers = workers_of(process.pid)
    assert len(workers) == 2
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=PATIENCE_S)
    end = time.monotonic() + 5
    while any(map(alive, workers)) and time.monotonic() < end:
        time.sleep(0.01)
    assert not any(map(alive, workers))


def verdicts(folder: Path) -> dict[Any, Any]:
    """What was found out of each slot, without times, ids and the number of the attempt."""
    return {
        key: msgspec.to_builtins((done.status, done.outcome, done.request, done.spans))
        for key, done in read_run(folder).done.items()
    }


def tables(folder: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    """What `analyze` finds, without the times; the folder's name is taken for one."""
    capsys.readouterr()
    assert run(["analyze", str(folder), "--json", "--resamples", "100"]) == 0
    found = json.loads(capsys.readouterr().out.replace(str(folder), "RUN"))
    for block in found["blocks"]:
        for name in ("levels", "effects"):
            block[name] = [one for one in block[name] if one["metric"] != "latency_ms"]
    return found


@pytest.mark.slow
def test_after_five_kills_the_tables_are_those_of_an_unbroken_run(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    environment = {"TINY_ITEMS": str(ITEMS), "TINY_PAUSE_S": "0.02"}
    whole, folder = project.folder / "whole", project.folder / "here"
    status, _, err = project.run(*RUN, "--out", "whole", **environment)
    assert status == 0, err

    resume = ("run", "--resume", "here", "--workers", "2")
    process = project.start(*RUN, "--out", "here", "--workers", "2", **environment)
    wait_until(lambda: len(records(folder)) >= 7, process)
    kill(process)
    kept = records(folder)
    # Two in the middle of a resumed run; two before it has finished anything, its agents asleep.
    for more, pause in ((11, "0.02"), (0, "30"), (0, "30"), (13, "0.02")):
        process = project.start(*resume, **{**environment, "TINY_PAUSE_S": pause})
        before = len(kept)
        if more:
            wait_until(lambda: len(records(folder)) >= before + more, process)  # noqa: B023
        else:
            wait_until(lambda: len(workers_of(process.pid)) == 2, process)  # noqa: B023
        kill(process)
        now = records(folder)
        assert now[:before] == kept
        kept = now
    assert before < len(kept) < SLOTS

    status, _, err = project.run(*resume, **environment)
    assert status == 0, err
    now = records(folder)
    assert now[: len(kept)] == kept
    found = [json.loads(line) for line in now]
    slots = Counter((one["item"], one["condition"]) for one in found)
    assert sorted(slots.values()) == [1] * SLOTS
    traces = Counter((t.request.item, t.request.condition) for t in read_run(folder).traces())
    assert traces == slots
    assert check(folder).report.counts == {}
    assert verdicts(folder) == verdicts(whole)
    assert tables(folder, capsys) == tables(whole, capsys)
