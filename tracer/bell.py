"""How one thread wakes another."""

from __future__ import annotations

import threading
from contextlib import suppress


class Bell:
    """Wakes one waiting thread; rings that nobody has heard yet are one."""

    # An event does the same at ten times the cost, since it may wake many.
    __slots__ = ("_lock",)

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lock.acquire()

    def ring(self) -> None:
        """Wake who waits, or who will wait next."""
        with suppress(RuntimeError):  # it has rung already
            self._lock.release()

    def wait(self, timeout: float) -> bool:
        """True once it has rung, False when it has not within `timeout` seconds."""
        return self._lock.acquire(timeout=timeout)
