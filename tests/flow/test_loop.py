"""The run loop through the command line: order, workers, stops, kills, resuming, failures."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest

from tracer.records import Done
from tracer.store import read_run

Project = Any
"""The fixture's `Project` of conftest.py."""
TinyRun = Callable[..., tuple[int, str, str]]
PATIENCE_S = 60.0


def lines(folder: Path) -> list[bytes]:
    """Whole done-records of a run."""
    path = folder / "items.jsonl"
    return path.read_bytes().splitlines(keepends=True) if path.exists() else []


def keys(folder: Path) -> list[tuple[str, str, int]]:
    return [(d["item"], d["condition"], d["replicate"]) for d in map(json.loads, lines(folder))]


def wait_for(count: int, folder: Path, process: subprocess.Popen[str]) -> None:
    """Until so many done-records are written."""
    end = time.monotonic() + PATIENCE_S
    while len(lines(folder)) < count:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.01)


def verdicts(folder: Path) -> dict[Any, Any]:
    """What was found out of each slot, without times and ids."""
    plain = {}
    for key, done in read_run(folder).done.items():
        plain[key] = msgspec.to_builtins((done.status, done.outcome, done.request, done.spans))
    return plain


def test_all_conditions_of_an_item_come_before_the_next(
    tiny_run: TinyRun, project: Project
) -> None:
    status, _, _ = tiny_run("--conditions", "base,typos", "--replicates", "2", "--limit", "3")
    assert status == 0
    order = [item for item, _, _ in keys(project.folder / "here")]
    assert order == sorted(order)
    assert Counter(order) == {"t00": 4, "t01": 4, "t02": 4}


def test_end_says_spans_folder_and_what_is_next(tiny_run: TinyRun, project: Project) -> None:
    status, out, err = tiny_run()
    assert status == 0
    run = read_run(project.folder / "here")
    assert f"spans {run.spans_made:,} made = stored" in out
    assert run.spans_made == run.spans_stored == sum(1 for _ in run.spans())
    assert "next: stagetrace analyze here" in out
    assert "tiny_box:tiny · tools · model tiny_box:scripted" in err
    assert "6 items x 1 condition x 1 run = 6 · 1 worker · here" in err


def test_two_workers_find_what_one_finds(project: Project) -> None:
    conditions = ("--conditions", "base,typos")
    for count, folder in (("1", "one"), ("2", "two")):
        status, _, err = project.run(
            *project.tiny[:-1], folder, *conditions, "--workers", count, TINY_BROKEN="2"
        )
        assert status == 0, err
    one, two = verdicts(project.folder / "one"), verdicts(project.folder / "two")
    assert one == two
    assert len(one) == 12
    traces = [t.request.item for t in read_run(project.folder / "two").traces()]
    assert Counter(traces) == Counter(item for item, _, _ in one)
    assert len(list((project.folder / "two" / "traces").iterdir())) == 2


def test_interrupted_once_finishes_what_runs_and_can_be_resumed(project: Project) -> None:
    folder = project.folder / "here"
    process = project.start(*project.tiny, TINY_PAUSE_S="0.1", TINY_ITEMS="40")
    wait_for(3, folder, process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert "stopping: 1 item finishes" in err
    before = lines(folder)
    assert f"{len(before)} of 40 done, {len(before)} items complete" in out
    assert "resume: stagetrace run --resume here" in out
    assert all(json.loads(line)["status"] == "ok" for line in before)
    status, _, _ = project.run("run", "--resume", "here", TINY_ITEMS="40")
    assert status == 0
    assert lines(folder)[: len(before)] == before
    assert sorted(Counter(keys(folder)).values()) == [1] * 40


@pytest.mark.parametrize("workers", ["1", "2"])
def test_interrupted_twice_abandons_what_runs(project: Project, workers: str) -> None:
    folder = project.folder / "here"
    process = project.start(*project.tiny, "--workers", workers, TINY_PAUSE_S="2", TINY_ITEMS="4")
    wait_for(1, folder, process)
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130, err
    assert "resume: stagetrace run --resume here" in out
    run = read_run(folder)
    assert run.interrupted
    assert run.manifest["status"] == "interrupted"
    assert project.run("run", "here", "--resume", TINY_ITEMS="4")[0] == 0
    resumed = read_run(folder)
    assert Counter(done.status for done in resumed.done.values()) == {"ok": 4}
    assert len(list(resumed.traces())) == 4


def test_resume_takes_the_wordings_of_the_first_sitting(
    tiny_run: TinyRun, project: Project
) -> None:
    folder = project.folder / "here"
    assert tiny_run("--conditions", "base,typos", TINY_DOWN="4")[0] == 1
    variants = (folder / "variants.jsonl").read_bytes()
    status, _, err = project.inside("run", "--resume", "here")
    assert status == 0, err
    assert (folder / "variants.jsonl").read_bytes() == variants
    assert len(read_run(folder).done) == 12


def test_resume_of_a_finished_run_runs_nothing(tiny_run: TinyRun, project: Project) -> None:
    tiny_run()
    before = lines(project.folder / "here")
    assert project.inside("run", "--resume", "here")[0] == 0
    assert lines(project.folder / "here") == before


def test_failed_items_are_counted_named_and_run_again(tiny_run: TinyRun, project: Project) -> None:
    status, out, err = tiny_run(TINY_DOWN="3")
    assert status == 1
    assert "base                 6/6  ok 5  failed 1" in out
    assert "failed t03 base run 1: EndpointError: endpoint example: status 503" in err
    assert "stagetrace show here t03 --condition base" in out
    assert project.inside("run", "--resume", "here")[0] == 0
    done = read_run(project.folder / "here").done
    assert (done["t03", "base", 0].status, done["t03", "base", 0].attempt) == ("ok", 1)


def test_endpoint_that_is_down_ends_the_run_and_keeps_what_is_finished(
    tiny_run: TinyRun, project: Project
) -> None:
    status, out, err = tiny_run(TINY_DOWN="2,3,4,5")
    assert status == 1
    assert "3 items in a row failed, so the run stops here" in err
    assert "resume: stagetrace run --resume here" in out
    assert Counter(d.status for d in read_run(project.folder / "here").done.values()) == {
        "ok": 2,
        "failed": 3,
    }


def test_worker_that_is_killed_loses_only_its_item(project: Project) -> None:
    status, _, err = project.run(*project.tiny, "--workers", "2", TINY_KILLER="3")
    assert status == 1, err
    done = read_run(project.folder / "here").done
    assert {k[0]: d.error_class for k, d in done.items() if d.status != "ok"} == {
        "t03": "WorkerLost"
    }
    assert len(done) == 6


def test_agents_own_exception_is_no_failure_of_the_run(tiny_run: TinyRun, project: Project) -> None:
    assert tiny_run(TINY_BROKEN="3")[0] == 0
    done: Done = read_run(project.folder / "here").done["t03", "base", 0]
    assert done.outcome is not None
    assert done.outcome.errored is True


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run", "offise"), "unknown suite 'offise'; did you mean 'office'?"),
        (("run", "office", "--model", "rulse"), "unknown model 'rulse'; did you mean 'rules'?"),
        (("run", "office", "--conditions", "indirekt"), "did you mean 'indirect'?"),
        (("run", "office", "--assistant", "none:such"), "none:such"),
        (("run", "office", "--retriever", "bm52"), "did you mean 'bm25'"),
        (("run", "tiny_box:tiny", "--conditions", ","), "no condition is named"),
        (("run", "workbench:email", "--assistant", "tools"), "STAGETRACE_DATA"),
        (("run", "--resume", "nowhere"), "nowhere: no run folder"),
        (("run", "office", "--model", "openai:x"), "neither OPENAI_BASE_URL nor OPENAI_API_KEY"),
    ],
)
def test_bad_input_is_one_line_and_status_2(
    box: ModuleType, project: Project, arguments: tuple[str, ...], said: str
) -> None:
    status, out, err = project.inside(
        *arguments, STAGETRACE_DATA="missing", OPENAI_BASE_URL="", OPENAI_API_KEY=""
    )
    assert (status, out) == (2, ""), err
    assert said in err
    assert err.count("\n") == 1
    assert not (project.folder / "runs").exists()


def test_folder_of_a_run_is_not_run_into_again(tiny_run: TinyRun, project: Project) -> None:
    tiny_run()
    status, _, err = tiny_run()
    assert status == 1
    assert "holds a run already" in err


def test_without_out_each_run_gets_a_folder_of_its_own(box: ModuleType, project: Project) -> None:
    for _ in range(2):
        assert project.inside(*project.tiny[:-2], "--limit", "1")[0] == 0
    names = sorted(path.name for path in (project.folder / "runs").iterdir())
    assert [name[4:] for name in names] == ["-tiny-box-tiny-tools", "-tiny-box-tiny-tools-2"]
