"""One sitting of a run: what is left of it is run, and what came of it is said."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from stagetrace import console

if TYPE_CHECKING:
    from assistants.budget import Budget
    from assistants.loop import Result
    from assistants.run import Bench
    from assistants.slots import Slot
    from stagetrace.progress import LineProgress, LiveProgress, Tally
    from stagetrace.run_config import Config
    from stagetrace.wordings import Wordings
    from tracer.records import Json, Task
    from tracer.store import RunStore


class Sitting:
    """One sitting of a run: from its configuration to the end of the command."""

    def __init__(
        self,
        config: Config,
        workers: int,
        open_store: Callable[[Mapping[str, Json]], RunStore],
        otlp: str = "",
        budget: Budget | None = None,
    ) -> None:
        from assistants.budget import Budget
        from stagetrace.parts import bench

        self._budget = budget or Budget()
        self._config = config
        self._workers = workers
        self._otlp = otlp
        self._open_store = open_store
        self._bench: Bench = bench(config.choice)
        self._tasks = self._chosen()
        self._wordings = self._worded()

    def _chosen(self) -> list[Task]:
        """The tasks of the forms that the assistant takes, up to the limit.

        Raises:
            InputError: The suite has none.
        """
        from stagetrace.parts import FORMS
        from tracer.errors import InputError

        choice = self._config.choice
        if choice.kind == "tools" and not self._bench.sandbox.tools():
            raise InputError(
                f"suite {choice.suite!r} has no tools to call: give --tools MODULE:ATTR, or run "
                "your own agent by --assistant MODULE:ATTR"
            )
        forms = FORMS[choice.kind]
        fitting = (task for task in self._bench.sandbox.tasks() if task.form in forms)
        tasks = list(islice(fitting, self._config.limit))
        if not tasks:
            raise InputError(
                f"suite {choice.suite!r} has no task for --assistant {choice.assistant}, which "
                f"takes the form {' or '.join(forms)}; try --assistant "
                f"{'tools' if choice.kind != 'tools' else 'rag'}"
            )
        return tasks

    def _worded(self) -> Wordings:
        from stagetrace.wordings import make_wordings, named_conditions
        from variants.framings import framed_conditions

        authored = self._bench.sandbox.rewrites()
        file = self._config.variants
        shipped = {*authored, *framed_conditions(list(self._tasks))}
        conditions = named_conditions(self._config.conditions, shipped)
        if len(conditions) > 1 and file is None:
            console.note(f"wording {len(self._tasks)} items in {len(conditions)} conditions")
        return make_wordings(
            self._tasks,
            conditions,
            seed=self._config.choice.seed,
            authored=authored,
            file=Path(file) if file else None,
        )

    def say_plan(self) -> int:
        """Say what would be run; nothing is run, nothing is kept."""
        from assistants.slots import in_order
        from stagetrace.run_plan import plan

        slots = list(in_order(self._tasks, self._wordings.by_item, self._config.replicates))
        with contextlib.closing(self._bench):
            for line in plan(self._bench, slots, self._budget.price):
                console.say(line)
        console.say("nothing was run (--dry-run)")
        return 0

    def run(self) -> int:
        """Run what is not finished; 0 all graded, 1 some failed, 130 stopped by the user."""
        from assistants.models import cassette
        from assistants.slots import in_order
        from tracer.errors import InputError
        from variants.files import to_json

        slots = list(in_order(self._tasks, self._wordings.by_item, self._config.replicates))
        if not slots:
            raise InputError(
                f"no wording was admitted in {self._config.conditions!r}; add base to --conditions"
            )
        record = self._config.choice.record
        if record and not Path(record).exists():
            cassette.begin(Path(record), self._bench.model)
        with self._open_store(self._manifest(len(slots))) as store:
            try:
                store.write_tasks(self._tasks)
                store.write_variants(to_json(variant) for variant in self._wordings.variants)
                self._say_header(store, slots)
                return self._run(store, slots)
            except KeyboardInterrupt:
                console.say(f"stopped. resume: stagetrace run --resume {store.path}")
                return 130

    def _run(self, store: RunStore, slots: Sequence[Slot]) -> int:
        from assistants.loop import run_slots
        from assistants.worker import Setup
        from stagetrace import parts, settings

        records = store.done()
        finished = {key for key, done in records.items() if done.status == "ok"}
        left = [slot for slot in slots if slot.key not in finished]
        # The parts of this process are for one worker; several build their own.
        own = self._bench
        make = (
            functools.partial(parts.bench, self._config.choice)
            if self._workers > 1
            else lambda: own
        )
        tally = self._tally(slots)
        for key, done in records.items():
            self._budget.add(done)
            if key in finished:
                tally.add_earlier(done)
        with contextlib.closing(own), _progress(tally) as progress:
            result = run_slots(
                Setup(
                    make,
                    self._config.durability,
                    content=settings.content(),
                    otlp=self._otlp,
                    otlp_content=settings.live_content(),
                ),
                left,
                store,
                progress,
                workers=self._workers,
                attempts={key: done.attempt + 1 for key, done in records.items()},
                budget=self._budget,
            )
        return self._end(store, slots, tally, result)

    def _tally(self, slots: Sequence[Slot]) -> Tally:
        from stagetrace.progress import Tally

        totals = Counter(slot.wording.condition for slot in slots)
        return Tally(totals, workers=self._workers)

    def _manifest(self, slots: int) -> dict[str, Json]:
        """What the run is; analyzers print its title and its warnings from this."""
        choice, sandbox = self._config.choice, self._bench.sandbox
        admitted = dict.fromkeys(variant.condition for variant in self._wordings.variants)
        return {
            "run": choice.run,
            "suite": choice.suite,
            "assistant": choice.assistant,
            "assistant_kind": choice.kind,
            "model": choice.model,
            "model_source": dataclasses.asdict(self._bench.model.source),
            "tool_call_mode": getattr(self._bench.model, "tool_call_mode", None) or "",
            "retriever": choice.retriever if choice.kind in ("rag", "user") else "",
            "retriever_sources": [
                dataclasses.asdict(source) for source in self._bench.retriever_sources
            ],
            "mode": sandbox.mode,
            "data_version": sandbox.data_version,
            "schema_hash": sandbox.schema_hash,
            "seed": choice.seed,
            "conditions": list(admitted),
            "replicates": self._config.replicates,
            "items": len(self._tasks),
            "slots": slots,
            "not_admitted": dict(self._wordings.not_admitted),
            "config": dataclasses.asdict(self._config),
        }

    def _say_header(self, store: RunStore, slots: Sequence[Slot]) -> None:
        choice, sandbox = self._config.choice, self._bench.sandbox
        dot = " · " if console.unicode_ok() else " . "
        console.note(
            dot.join(
                (
                    choice.suite,
                    choice.assistant,
                    f"model {choice.model}{_about(self._bench)}",
                    f"mode {sandbox.mode}",
                    f"seed {choice.seed}",
                )
            )
        )
        conditions = len({slot.wording.condition for slot in slots})
        runs = self._config.replicates
        refused = self._wordings.not_admitted
        less = f" - {refused.total() * runs} not admitted" if refused else ""
        console.note(
            f"{len(self._tasks)} items x {conditions} condition{'s' * (conditions != 1)} x {runs} "
            f"run{'s' * (runs != 1)}{less} = {len(slots)}{dot}{self._workers} "
            f"worker{'s' * (self._workers != 1)}{dot}{store.path}"
        )
        if refused:
            counts = ", ".join(f"{name} {count}" for name, count in refused.items())
            console.note(
                f"not run: {refused.total()} wordings were not admitted ({counts}); "
                f"the reasons are in {store.path}/variants.jsonl"
            )

    def _end(self, store: RunStore, slots: Sequence[Slot], tally: Tally, result: Result) -> int:
        from stagetrace import progress

        done = store.done()
        store.finish(
            {
                "status": "done" if result.ending == "finished" else "interrupted",
                "spans_made": result.spans_made,
                "spans_stored": result.spans_stored,
                "finished": tally.ok.total(),
                "failed": tally.failed.total(),
                "retried": tally.retried,
                **({"exported": dataclasses.asdict(result.exported)} if self._otlp else {}),
            }
        )
        for text in progress.summary(tally):
            console.say(text)
        made, stored = result.spans_made, result.spans_stored
        same = "made = stored" if made == stored else f"made, {stored:,} stored"
        console.say(f"spans {made:,} {same}{'' if not tally.earlier else ' in this sitting'}")
        if self._otlp:
            sent = result.exported
            console.say(
                f"sent {sent.made:,} spans = {sent.delivered:,} delivered + {sent.rejected:,} "
                f"rejected + {sent.dropped:,} dropped"
            )
        if result.ending != "finished":
            if result.error:
                console.fail(result.error)
            complete = progress.complete_items(done, slots)
            console.say(
                f"{tally.ok.total()} of {tally.total} done, {complete} items complete in all "
                f"conditions. resume: stagetrace run --resume {store.path}"
            )
            return 1 if result.ending in ("given_up", "over_budget") else 130
        console.say(f"run folder: {store.path}")
        console.say(f"next: stagetrace analyze {store.path}")
        if tally.last_failure is not None:
            failed = tally.last_failure
            console.say(
                f"      stagetrace show {store.path} {failed.item} --condition {failed.condition}"
            )
        return 1 if tally.failed else 0


def _about(bench: Bench) -> str:
    source = bench.model.source
    if source.baseline:
        return " (baseline program)"
    return f" (sha256 {source.sha256[:8]})" if source.sha256 else f" ({source.source})"


def _progress(tally: Tally) -> LineProgress | LiveProgress:
    from stagetrace.progress import LineProgress, LiveProgress

    if console.err().is_terminal:
        return LiveProgress(tally, console.err(), unicode=console.unicode_ok())
    return LineProgress(tally, console.note)
