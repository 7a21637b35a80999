"""A disk that fails, or a process that ends, at any write of a run: what was finished stays.

Each write of a run of six items is the one at which the disk is full, or after which nothing
reaches the disk any more; the write itself is torn or whole. The run is then resumed, and may meet
the same fault again. What is read in the end is what an unbroken run gives.
"""

from __future__ import annotations

import contextlib
import shutil
import warnings
from pathlib import Path

import pytest

from tests.tracer.faults import Faults
from tests.tracer.test_store import TASKS, run_item
from tracer.check import check
from tracer.errors import StagetraceError, TraceFormatError
from tracer.record import Recorder
from tracer.store import RunStore, read_run

SLOTS = [(f"i{n}", condition) for n in range(3) for condition in ("base", "indirect")]


def drive(folder: Path) -> None:
    """Run what is not finished."""
    with contextlib.ExitStack() as stack:
        if (folder / "run.json").exists():
            store = stack.enter_context(RunStore.resume(folder))
        else:
            store = stack.enter_context(RunStore.create(folder, {"run": "r1"}))
        store.write_tasks(TASKS)
        finished = {key[:2] for key, done in store.done().items() if done.status == "ok"}
        recorder = Recorder(store.sink("0"))
        try:
            for item, condition in SLOTS:
                if (item, condition) not in finished:
                    run_item(store, recorder, item, condition)
        finally:
            recorder.close()
        store.finish({"spans_made": recorder.made, "spans_stored": recorder.stored})


def broken(folder: Path, monkeypatch: pytest.MonkeyPatch, at: int, how: str, torn: bool) -> Faults:
    """Run up to a fault."""
    faults = Faults(folder, at, how, torn)
    with faults.standing(monkeypatch), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with contextlib.suppress(StagetraceError, OSError):
            drive(folder)
    return faults


def table(folder: Path) -> list[tuple[object, ...]]:
    return sorted(
        (t.request.item, t.request.condition, t.answer, t.outcome, len(t.calls), t.warnings)
        for t in read_run(folder).traces()
    )


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory):
    folder = tmp_path_factory.mktemp("unbroken") / "run"
    drive(folder)
    return table(folder)


@pytest.mark.parametrize("torn", [True, False], ids=["torn", "whole"])
@pytest.mark.parametrize("how", ["fail", "stop"])
def test_whatever_write_is_the_last_one_a_resumed_run_is_whole(
    how, torn, unbroken, tmp_path, monkeypatch
):
    at = 0
    met = True
    while met:
        at += 1
        folder = tmp_path / f"run-{at}"
        met = broken(folder, monkeypatch, at, how, torn).met
        with contextlib.suppress(TraceFormatError), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rows = table(folder)
            assert [row for row in rows if row not in unbroken] == [], at
        if met:
            # A second fault, in the resumed run.
            broken(folder, monkeypatch, 1 + at % 5, how, torn)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            drive(folder)
        assert table(folder) == unbroken, at
        assert check(folder).report.counts == {}, at
        shutil.rmtree(folder)
    assert at > 15
