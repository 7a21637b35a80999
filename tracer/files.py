"""Files that survive: appended by whole lines, replaced in one step, held by one process."""

from __future__ import annotations

import fcntl
import os
import warnings
from contextlib import suppress
from pathlib import Path
from typing import IO, Final

from tracer.errors import StoreError

SUFFIX: Final = ".otlp.jsonl"
LOCK: Final = ".lock"


class FileSink:
    """Appends whole lines to one file; a forked child gets a file of its own.

    Args:
        path: The file; a torn last line is cut off.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._pid = os.getpid()
        self._fd = open_append(path)

    def write(self, lines: bytes) -> None:
        """Append all of `lines`, or leave the file as it was.

        Raises:
            StoreError: The disk is full or the file cannot be written.
        """
        if os.getpid() != self._pid:
            self._pid = os.getpid()
            stem = self.path.name.removesuffix(SUFFIX)
            self.path = self.path.with_name(f"{stem}-{self._pid}{SUFFIX}")
            self._fd = open_append(self.path)
        append(self._fd, lines, self.path)

    def sync(self) -> None:
        """Have the file survive a loss of power."""
        os.fsync(self._fd)

    def close(self) -> None:
        """Close the file."""
        if self._fd >= 0 and os.getpid() == self._pid:
            os.close(self._fd)
            self._fd = -1

    def __repr__(self) -> str:
        return f"FileSink({str(self.path)!r})"


def append(fd: int, lines: bytes, path: Path) -> None:
    """Append all of `lines`, or leave the file as it was.

    Raises:
        StoreError: The disk is full or the file cannot be written.
    """
    before = os.fstat(fd).st_size
    rest = memoryview(lines)
    try:
        while rest:
            rest = rest[os.write(fd, rest) :]
    except OSError as error:
        os.ftruncate(fd, before)
        raise write_error(path, error) from error


def open_append(path: Path) -> int:
    """The file opened for appending, mode 0600, with a torn last line cut off."""
    try:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        with path.open("rb") as file:
            whole = _whole_lines(file)
        size = os.fstat(fd).st_size
        if whole < size:
            warnings.warn(
                f"{path}: the last line was torn; {size - whole} bytes are cut off", stacklevel=3
            )
            os.ftruncate(fd, whole)
    except OSError as error:
        raise write_error(path, error) from error
    return fd


def _whole_lines(file: IO[bytes]) -> int:
    """Size of a file up to the end of its last whole line."""
    end = file.seek(0, os.SEEK_END)
    at = end
    while at > 0:
        step = min(at, 65536)
        file.seek(at - step)
        found = file.read(step).rfind(b"\n")
        if found >= 0:
            return at - step + found + 1
        at -= step
    return 0


def write_whole(path: Path, data: bytes) -> None:
    """Replace a file in one step, so that a reader sees the old or the new one.

    Raises:
        StoreError: The disk is full or the file cannot be written; the old one stays.
    """
    part = part_of(path)
    try:
        fd = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with os.fdopen(fd, "wb") as file:
            file.write(data)
        part.replace(path)
    except OSError as error:
        # Half a file takes room that is needed to go on.
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise write_error(path, error) from error


def part_of(path: Path) -> Path:
    """Where a file is written before it is put in its place."""
    return path.with_name(f".{path.name}.part")


def write_error(path: Path, error: OSError) -> StoreError:
    """What to raise when a file of the run cannot be written."""
    return StoreError(
        f"{path}: cannot be written ({error.strerror or error}); what is stored stays readable: "
        "make room or mend the folder, then go on with --resume"
    )


def take_lock(folder: Path) -> int:
    """Hold the folder for this process until `unlock`; the system lets go when the process dies.

    Raises:
        StoreError: Another process holds it.
    """
    try:
        fd = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise write_error(folder, error) from error
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(fd)
        raise StoreError(
            f"{folder}: another process is writing this run; wait for it or name another --out"
        ) from error
    return fd


def unlock(fd: int) -> None:
    """Let go of a folder."""
    os.close(fd)
