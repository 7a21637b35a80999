"""The run loop: slot after slot, in this process or in workers, until done or stopped."""

from __future__ import annotations

import multiprocessing
import signal
import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from types import FrameType
from typing import Literal, Protocol, TypeAlias

from assistants.base import Patient
from assistants.budget import Budget
from assistants.run import Bench, run_slot
from assistants.slots import Key, Slot
from assistants.worker import Setup, Told, work
from tracer.errors import EndpointError
from tracer.export import ExportCount
from tracer.record import Recorder
from tracer.records import Done
from tracer.store import RunStore

Ending: TypeAlias = Literal["finished", "stopped", "interrupted", "given_up", "over_budget"]
"""`stopped`: Ctrl-C once, what ran was finished; `interrupted`: twice, what ran was abandoned;
`given_up`: the model's endpoint is down; `over_budget`: a limit of the run was reached."""

GIVE_UP_AFTER = 3
"""So many items in a row that fail at the model's endpoint end the run: it is down."""
_LAST_WORDS_S = 30.0
_DEATHS = 3
"""So many workers may die of themselves before the run is given up."""


class Watcher(Protocol):
    """Is told how the run goes."""

    def begun(self, slot: Slot) -> None:
        """A slot is being run."""
        ...

    def done(self, slot: Slot, done: Done, retries: int) -> None:
        """A slot has its done-record; `retries` is how often its model had to ask again."""
        ...

    def waiting(self, text: str) -> None:
        """A model waits for its endpoint."""
        ...

    def stopping(self, running: int) -> None:
        """The user asked to stop; so many slots are still being run."""
        ...


@dataclass(slots=True)
class Result:
    """How a run ended, and what its recorders counted."""

    ending: Ending = "finished"
    spans_made: int = 0
    spans_stored: int = 0
    error: str = ""
    """Why it was given up."""
    exported: ExportCount = field(default_factory=ExportCount)
    """Where the spans went that were sent elsewhere while the run went on."""


def run_slots(
    setup: Setup,
    slots: Sequence[Slot],
    store: RunStore,
    watcher: Watcher,
    *,
    workers: int = 1,
    attempts: Mapping[Key, int] | None = None,
    budget: Budget | None = None,
) -> Result:
    """Run the slots in their order; each has its done-record before the next is begun in its place.

    Args:
        setup: Makes the parts, in each process anew.
        slots: What is to be run, items together.
        store: Takes spans and done-records.
        watcher: Is told of every step.
        workers: Processes to run in; 1 runs in this one.
        attempts: How often a slot was begun in earlier sittings.
        budget: What may be used up; when it is, what runs is finished and no more is begun.

    Raises:
        StoreError: The store cannot be written.
        InputError: The parts do not fit together.
    """
    running = _Run(setup, deque(slots), store, watcher, attempts or {}, budget or Budget())
    with _interrupts(running):
        try:
            if workers > 1 and len(slots) > 1:
                _in_workers(running, min(workers, len(slots)))
            else:
                _in_process(running)
        except EndpointError as error:
            running.result.ending, running.result.error = "given_up", str(error)
        except KeyboardInterrupt:
            # Pressed twice where no agent was at work: between two items, or as one was noted.
            running.result.ending = "interrupted"
    return running.result


@dataclass(slots=True)
class _Run:
    """What both ways of running share."""

    setup: Setup
    left: deque[Slot]
    store: RunStore
    watcher: Watcher
    attempts: Mapping[Key, int]
    budget: Budget
    result: Result = field(default_factory=Result)
    busy: int = 0
    asked_to_stop: bool = False
    failures_in_a_row: int = 0

    def next_slot(self) -> Slot | None:
        """The next slot to run; None when there is none, or the user asked to stop."""
        if not self.left or self.asked_to_stop:
            return None
        reached = self.budget.over()
        if reached:
            self.result.ending, self.result.error = "over_budget", reached
            return None
        slot = self.left.popleft()
        self.busy += 1
        self.watcher.begun(slot)
        return slot

    def finish(self, slot: Slot, done: Done, retries: int) -> None:
        """Keep the done-record; give up when the endpoint is down.

        Raises:
            EndpointError: The last few items all failed at the endpoint.
        """
        self.busy -= 1
        self.store.add_done(done)
        self.budget.add(done)
        self.watcher.done(slot, done, retries)
        at_endpoint = done.status == "failed" and done.error_class == EndpointError.__name__
        self.failures_in_a_row = self.failures_in_a_row + 1 if at_endpoint else 0
        if self.failures_in_a_row >= GIVE_UP_AFTER and self.left:
            raise EndpointError(
                f"{done.error}; {GIVE_UP_AFTER} items in a row failed, so the run stops here"
            )

    def attempt(self, slot: Slot) -> int:
        """How often the slot was begun before."""
        return self.attempts.get(slot.key, 0)


@contextmanager
def _interrupts(run: _Run) -> Iterator[None]:
    """Ctrl-C once: no new slot begins. Twice: `KeyboardInterrupt`, wherever the run is."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def pressed(number: int, frame: FrameType | None) -> None:
        if run.asked_to_stop:
            raise KeyboardInterrupt
        run.asked_to_stop = True
        run.watcher.stopping(run.busy)

    before = signal.signal(signal.SIGINT, pressed)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if run.asked_to_stop and run.result.ending == "finished" and run.left:
            run.result.ending = "stopped"


def _in_process(run: _Run) -> None:
    bench = run.setup.bench()
    exporter = run.setup.exporter()
    recorder = Recorder(
        run.store.sink("0"),
        durability=run.setup.durability,
        content=run.setup.content,
        redactor=run.setup.redactor(bench.sandbox),
        beside=[exporter] if exporter else [],
    )
    try:
        while (slot := run.next_slot()) is not None:
            done, retries = _one(bench, recorder, slot, run)
            run.finish(slot, done, retries)
            if done.status == "interrupted":
                run.result.ending = "interrupted"
                return
    finally:
        recorder.close()
        if exporter is not None:
            run.result.exported += exporter.close()
        run.result.spans_made += recorder.made
        run.result.spans_stored += recorder.stored


def _one(bench: Bench, recorder: Recorder, slot: Slot, run: _Run) -> tuple[Done, int]:
    model = bench.model
    before = model.retries if isinstance(model, Patient) else 0
    if isinstance(model, Patient):
        model.on_wait = run.watcher.waiting
    done = run_slot(bench, recorder, slot, attempt=run.attempt(slot))
    return done, (model.retries - before if isinstance(model, Patient) else 0)


@dataclass(slots=True)
class _Worker:
    number: int
    process: SpawnProcess
    line: Connection
    slot: Slot | None = None


def _in_workers(run: _Run, count: int) -> None:
    pool = _Pool(run)
    try:
        for number in range(count):
            pool.start(number)
        while pool.busy():
            pool.listen()
        pool.dismiss()
    except KeyboardInterrupt:
        run.result.ending = "interrupted"
        pool.abandon()
    finally:
        pool.kill()


class _Pool:
    """Workers, each with one slot at a time; only this process writes done-records."""

    def __init__(self, run: _Run) -> None:
        self._run = run
        self._workers: dict[int, _Worker] = {}
        self._deaths = 0
        self._context = multiprocessing.get_context("spawn")

    def start(self, number: int) -> None:
        """Start a worker and give it a slot; no worker is started for nothing."""
        slot = self._run.next_slot()
        if slot is None:
            return
        ours, theirs = self._context.Pipe()
        setup, folder = self._run.setup, str(self._run.store.path)
        process = self._context.Process(
            target=work, args=(setup, folder, str(number), theirs), name=f"stagetrace-{number}"
        )
        process.start()
        theirs.close()
        self._workers[number] = _Worker(number, process, ours)
        self._give(self._workers[number], slot)

    def busy(self) -> list[_Worker]:
        """The workers that have a slot."""
        return [worker for worker in self._workers.values() if worker.slot is not None]

    def _give(self, worker: _Worker, slot: Slot | None) -> None:
        worker.slot = slot
        if slot is not None:
            worker.line.send(
                (slot.task.item, slot.wording, slot.replicate, self._run.attempt(slot))
            )

    def listen(self) -> None:
        """Wait for what the workers tell, and act on it."""
        workers = {worker.line: worker for worker in self.busy()}
        for line in wait(list(workers), timeout=1.0):
            worker = workers[line]  # type: ignore[index]  # only these were waited for
            try:
                told: Told = worker.line.recv()
            except (EOFError, OSError):
                self._buried(worker)
                continue
            self._act(worker, told)

    def _act(self, worker: _Worker, told: Told) -> None:
        if isinstance(told, str):
            self._run.watcher.waiting(told)
            return
        if isinstance(told, BaseException):
            raise told
        if isinstance(told, ExportCount):
            self._run.result.exported += told
            return
        done, retries, made, stored = told
        slot = worker.slot
        if slot is None:
            return
        self._run.result.spans_made += made
        self._run.result.spans_stored += stored
        worker.slot = None
        self._run.finish(slot, done, retries)
        self._give(worker, self._run.next_slot())

    def _buried(self, worker: _Worker) -> None:
        """A worker died with its slot: the slot has failed, another worker goes on.

        Raises:
            StagetraceError: Too many have died.
        """
        worker.process.join()
        worker.line.close()
        del self._workers[worker.number]
        self._deaths += 1
        slot = worker.slot
        if slot is not None:
            code = worker.process.exitcode
            self._run.finish(slot, _without_trace(slot, "failed", f"worker ended with {code}"), 0)
        if self._deaths < _DEATHS:
            self.start(worker.number)

    def dismiss(self) -> None:
        """Let the workers close their files and end."""
        for worker in self._workers.values():
            worker.line.send(None)
        for worker in self._workers.values():
            if self._run.setup.otlp and worker.line.poll(_LAST_WORDS_S):
                with suppress(EOFError, OSError):
                    self._act(worker, worker.line.recv())
            worker.process.join(30)

    def abandon(self) -> None:
        """End the workers at once and record their slots as interrupted."""
        for worker in self.busy():
            worker.process.kill()
            worker.process.join()
        for worker in self.busy():
            slot, worker.slot = worker.slot, None
            if slot is not None:
                self._run.finish(slot, _without_trace(slot, "interrupted", "by the user"), 0)

    def kill(self) -> None:
        """End whatever still runs."""
        for worker in self._workers.values():
            if worker.process.is_alive():
                worker.process.kill()
            worker.process.join()
            worker.process.close()
            worker.line.close()


def _without_trace(slot: Slot, status: Literal["failed", "interrupted"], why: str) -> Done:
    """The done-record of a slot whose worker is gone; its spans, if any, do not count."""
    item, condition, replicate = slot.key
    return Done(
        item=item,
        condition=condition,
        replicate=replicate,
        status=status,
        trace_id="",
        request=slot.request(0),
        error_class="WorkerLost" if status == "failed" else "KeyboardInterrupt",
        error=why,
    )
