"""A disk that fails, or a process that ends, at the n-th write below one folder."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


class Faults:
    """Stands before the calls that change files of one folder.

    A step is a piece written to a file, or a file put in the place of another.

    Args:
        folder: Files below it are watched, others left alone.
        at: Number of the step that fails, from 1; of files put in place too.
        how: `fail`: the disk is full at this step only; `stop`: nothing reaches the disk after it.
        torn: Half of the piece is written, else nothing when it fails and all of it when it stops.
    """

    def __init__(self, folder: Path, at: int, how: str, torn: bool) -> None:
        self.folder = str(folder)
        self.left = at
        self.how = how
        self.torn = torn
        self.met = False
        self.dead = False
        self._write, self._truncate = os.write, os.ftruncate
        self._fdopen, self._replace, self._unlink = os.fdopen, Path.replace, Path.unlink

    @contextlib.contextmanager
    def standing(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        """Stand there for the time of a block."""
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", self.write)
            patch.setattr(os, "ftruncate", self.ftruncate)
            patch.setattr(os, "fdopen", self.fdopen)
            patch.setattr(Path, "replace", lambda path, target: self.replace(path, target))
            patch.setattr(Path, "unlink", lambda path, **more: self.unlink(path, **more))
            patch.setattr(Path, "open", self._opened(Path.open))
            yield

    def _ours(self, fd: int) -> bool:
        with contextlib.suppress(OSError):
            return str(Path(f"/proc/self/fd/{fd}").readlink()).startswith(self.folder)
        return False

    def _due(self) -> bool:
        if self.dead:
            raise OSError(errno.EIO, "the process has ended")
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
        if not self._ours(fd) or not self._due():
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

    def fdopen(self, fd: int, mode: str = "r", *more: Any, **named: Any) -> Any:
        """As `os.fdopen`; what is written to a file of the folder goes through `write`."""
        if "w" in mode and self._ours(fd):
            return _File(self, fd, text="b" not in mode)
        return self._fdopen(fd, mode, *more, **named)

    def _opened(self, opened: Any) -> Any:
        """As `Path.open`, for those who do not write through `tracer.files`."""

        def open_(path: Path, mode: str = "r", *more: Any, **named: Any) -> Any:
            if "w" in mode and str(path).startswith(self.folder):
                fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
                return _File(self, fd, text="b" not in mode)
            return opened(path, mode, *more, **named)

        return open_

    def replace(self, path: Path, target: Path) -> Path:
        """As `Path.replace`, up to the fault."""
        if str(path).startswith(self.folder) and self._due():
            if self.how == "stop" and not self.torn:
                self._replace(path, target)
            self._end()
        return self._replace(path, target)

    def unlink(self, path: Path, **more: Any) -> None:
        """As `Path.unlink`; a process that has ended removes nothing."""
        if self.dead and str(path).startswith(self.folder):
            raise OSError(errno.EIO, "the process has ended")
        self._unlink(path, **more)


class _File:
    """A file without a buffer, so that each piece is a step."""

    def __init__(self, faults: Faults, fd: int, *, text: bool) -> None:
        self._faults, self._fd, self._text = faults, fd, text

    def write(self, data: Any) -> int:
        """Write a piece."""
        rest = data.encode() if self._text else bytes(data)
        while rest:
            rest = rest[self._faults.write(self._fd, rest) :]
        return len(data)

    def __enter__(self) -> _File:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)
