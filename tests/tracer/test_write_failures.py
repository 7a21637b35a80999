"""A disk that fails, or a process that ends, at any write of a run: what was finished stays.

Each write of a run of six items is the one at which the disk is full, or after which nothing
reaches the disk any more; the write itself is torn or whole. The run is then resumed, and may meet
the same fault again. What is read in the end is what an unbroken run gives.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import warnings
from pathlib import Path

import pytest

from tests.tracer.test_store import TASKS, run_item
from tracer.check import check
from tracer.errors import StagetraceError, TraceFormatError
from tracer.record import Recorder
from tracer.store import RunStore, read_run

SLOTS = [(f"i{n}", condition) for n in range(3) for condition in ("base", "indirect")]


class Faults:
    """Stands before the system's calls that change files of one folder."""

    def __init__(self, folder: Path, at: int, how: str, torn: bool) -> None:
        self.folder = str(folder)
        self.left = at
        self.how = how
        self.torn = torn
        self.met = False
        self.dead = False
        self.writes = 0
        self._write, self._truncate, self._replace = os.write, os.ftruncate, Path.replace

    def _ours(self, fd: int) -> bool:
        with contextlib.suppress(OSError):
            return str(Path(f"/proc/self/fd/{fd}").readlink()).startswith(self.folder)
        return False

    def _due(self) -> bool:
        if self.dead:
            raise OSError(errno.EIO, "the process has ended")
        self.writes += 1
        self.left -= 1
        return self.left == 0

    def _end(self) -> None:
        self.met = True
        if self.how == "stop":
            self.dead = True
            raise OSError(errno.EIO, "the process has ended")
        raise OSError(errno.ENOSPC, "No space left on device")

    def write(self, fd: int, data: bytes) -> int:
        """As `os.write`, up to the fault."""
        if not self._ours(fd):
            return self._write(fd, data)
        if not self._due():
            return self._write(fd, data)
        if self.torn:
            self._write(fd, bytes(data)[: max(1, len(data) // 2)])
        elif self.how == "stop":
            self._write(fd, data)
        self._end()
        raise AssertionError

    def ftruncate(self, fd: int, size: int) -> None:
        """As `os.ftruncate`; a process that has ended cuts nothing off."""
        if self.dead and self._ours(fd):
            raise OSError(errno.EIO, "the process has ended")
        self._truncate(fd, size)

    def replace(self, path: Path, target: Path) -> Path:
        """As `Path.replace`, up to the fault."""
        if str(path).startswith(self.folder) and self._due():
            if self.how == "stop" and not self.torn:
                self._replace(path, target)
            self._end()
        return self._replace(path, target)


def drive(folder: Path) -> None:
    """Run what is not finished."""
    with contextlib.ExitStack() as stack:
        if (folder / "run.json").exists():
            store = stack.enter_context(RunStore.resume(folder))
        else:
            shutil.rmtree(folder, ignore_errors=True)
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
    with monkeypatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        patch.setattr(os, "write", faults.write)
        patch.setattr(os, "ftruncate", faults.ftruncate)
        patch.setattr(Path, "replace", lambda path, target: faults.replace(path, target))
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
        assert set(check(folder).report.counts) <= {"spans_lost"}, at
        shutil.rmtree(folder)
    assert at > 15
