"""A worker process: takes slots over a pipe, sends done-records back, dies with its parent."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import TypeAlias

from assistants.base import Patient
from assistants.run import Bench, run_slot
from assistants.slots import Slot
from sandboxes.base import Sandbox
from tracer.content import Content
from tracer.errors import StagetraceError
from tracer.export import ExportCount
from tracer.live_export import LiveExporter
from tracer.record import Durability, Recorder
from tracer.records import Done
from tracer.redact import Redactor
from tracer.store import open_sink

Told: TypeAlias = tuple[Done, int, int, int] | str | BaseException | ExportCount
"""A done-record with retries and the spans made and stored; why it waits; what ends the run; at the
end, where the spans went that were sent elsewhere."""

_PR_SET_PDEATHSIG = 1
_LOOK_S = 1.0


@dataclass(frozen=True, slots=True)
class Setup:
    """How each process comes by its parts; it is sent to workers, so it must pickle."""

    bench: Callable[[], Bench]
    durability: Durability = "tool"
    content: bool | Content = True
    salt: bytes = field(default_factory=lambda: os.urandom(16))
    """Makes redaction tokens that are equal in every worker of a run."""

    otlp: str = ""
    """Endpoint that is sent the spans while the run goes on; `grpc://` sends over gRPC."""
    otlp_content: bool = False

    def exporter(self) -> LiveExporter | None:
        """What sends the spans of one process, None when nothing is to be sent."""
        return LiveExporter.to(self.otlp, content=self.otlp_content) if self.otlp else None

    def redactor(self, sandbox: Sandbox) -> Redactor:
        """The rules of redaction, which leave alone what the sandbox declares as invented."""
        redactor = Redactor(salt=self.salt)
        secrets = getattr(sandbox, "secrets", None)
        redactor.exempt(
            secrets() if callable(secrets) else (), getattr(sandbox, "synthetic_arguments", ())
        )
        return redactor


def work(setup: Setup, folder: str, number: str, line: Connection) -> None:
    """Run slots until None comes, or until the parent is gone."""
    die_with_parent(os.getppid())
    # Ctrl-C reaches the whole group; the parent decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        _serve(setup, folder, number, line)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return
    except StagetraceError as error:
        line.send(error)


def _serve(setup: Setup, folder: str, number: str, line: Connection) -> None:
    with closing(setup.bench()) as bench:
        _run_orders(bench, setup, folder, number, line)


def _run_orders(bench: Bench, setup: Setup, folder: str, number: str, line: Connection) -> None:
    model = bench.model
    if isinstance(model, Patient):
        model.on_wait = line.send
    exporter = setup.exporter()
    tasks = {task.item: task for task in bench.sandbox.tasks()}
    with Recorder(
        open_sink(folder, number),
        durability=setup.durability,
        content=setup.content,
        redactor=setup.redactor(bench.sandbox),
        beside=[exporter] if exporter else [],
    ) as recorder:
        while (order := line.recv()) is not None:
            item, wording, replicate, attempt = order
            slot = Slot(tasks[item], wording, replicate)
            retries = model.retries if isinstance(model, Patient) else 0
            made, stored = recorder.made, recorder.stored
            done = run_slot(bench, recorder, slot, attempt=attempt)
            retries = model.retries - retries if isinstance(model, Patient) else 0
            line.send((done, retries, recorder.made - made, recorder.stored - stored))
    if exporter is not None:
        line.send(exporter.close())


def die_with_parent(parent: int) -> None:
    """Have this process end when its parent does, however the parent ends.

    Linux sends a signal; elsewhere, and should the parent be gone already, a thread looks.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    threading.Thread(target=_watch, args=(parent,), name="parent-watch", daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK_S)
    os._exit(1)
