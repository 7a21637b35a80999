"""Once a process: write what is queued at its end, and keep forked children apart."""

from __future__ import annotations

import atexit
import os
import signal
import threading
import weakref
from functools import cache
from types import FrameType
from typing import TYPE_CHECKING

from tracer.live import TerminatedExit

if TYPE_CHECKING:
    from tracer.record import Recorder

_recorders: weakref.WeakSet[Recorder] = weakref.WeakSet()


@cache
def _install_hooks() -> None:
    atexit.register(_at_exit)
    os.register_at_fork(
        before=_before_fork, after_in_parent=_after_fork_parent, after_in_child=_after_fork_child
    )


def watch(recorder: Recorder) -> None:
    """Look after a recorder as long as it lives."""
    _install_hooks()
    _recorders.add(recorder)


def _at_exit() -> None:
    for recorder in list(_recorders):
        recorder.write_at_exit()


_forking: list[Recorder] = []


def _before_fork() -> None:
    _forking.extend(_recorders)
    for recorder in _forking:
        recorder.hold_for_fork()


def _after_fork_parent() -> None:
    for recorder in _forking:
        recorder.go_on_after_fork()
    _forking.clear()


def _after_fork_child() -> None:
    for recorder in _forking:
        recorder.start_over()
    _forking.clear()


def end_spans_on_sigterm() -> bool:
    """Have SIGTERM end the process as `sys.exit(143)` does, so that open spans end with a reason.

    Only where nobody else handles the signal, and only from the main thread.

    Returns:
        Whether it is so now.
    """
    if threading.current_thread() is not threading.main_thread():
        return False
    if signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        return False
    signal.signal(signal.SIGTERM, _terminated)
    return True


def _terminated(number: int, frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_DFL)
    raise TerminatedExit(128 + number)
