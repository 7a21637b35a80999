"""How often and how many at a time an endpoint is asked, over all workers and runs of a machine."""

from __future__ import annotations

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

_LOOK_S = 0.02
"""Between two looks for room."""


@dataclass(frozen=True, slots=True)
class Throttle:
    """Room for so many requests at once and so many a minute; it holds between processes.

    Each place at an endpoint is a locked file: a process that dies gives its place back.
    """

    folder: Path
    """Of one endpoint."""
    at_once: int | None = None
    per_minute: float | None = None

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for room, and keep it while the request is under way."""
        if self.at_once is None and self.per_minute is None:
            yield
            return
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with self._place():
            self._wait_for_turn()
            yield

    @contextmanager
    def _place(self) -> Iterator[None]:
        if self.at_once is None:
            yield
            return
        while True:
            for number in range(self.at_once):
                with (self.folder / f"place-{number}").open("ab") as file:
                    if _locked(file):
                        yield
                        return
            time.sleep(_LOOK_S)

    def _wait_for_turn(self) -> None:
        if self.per_minute is None:
            return
        with (self.folder / "next").open("a+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            planned = 0.0
            with suppress(ValueError):  # an empty file: nobody has asked yet
                planned = float(file.read())
            # The system's clock, as every process reads the same; one set back costs a gap at most.
            now = time.time()
            gap = 60.0 / self.per_minute
            turn = min(max(now, planned), now + gap * 1_000)
            file.truncate(0)
            file.write(f"{turn + gap:.6f}".encode())
        time.sleep(max(turn - now, 0.0))


def _locked(file: BinaryIO) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
