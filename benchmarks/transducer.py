"""Speed of a dialect beside bare parsing: the same requests, both in one run.

`python benchmarks/transducer.py` prints requests a CPU second and their ratio.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence

from sandboxes.base import SANDBOXES
from stagetrace import settings
from tracer.records import Task
from variants.features import DIALECTS
from variants.parse import MODEL, parse
from variants.protect import protected_spans
from variants.transduce import transduce

SUITES = ("workbench:email", "office")
ROUNDS = 5
FLOOR = 0.60
"""Least share of the speed of bare parsing that we accept."""


def main() -> None:
    """Measure both arms in turns, so that a busy machine slows both alike."""
    import spacy

    nlp = spacy.load(MODEL, exclude=["ner"])
    tasks = _tasks()
    arms: dict[str, Callable[[Task], object]] = {"bare parsing": lambda task: nlp(task.text)}
    arms |= {f"dialect_{name}": _arm(name) for name in DIALECTS.names()}
    for arm in arms.values():
        _seconds(arm, tasks[:10])
    measured: dict[str, list[float]] = {name: [] for name in arms}
    for _ in range(ROUNDS):
        for name, arm in arms.items():
            measured[name].append(_seconds(arm, tasks))
    bare = measured["bare parsing"]
    print(f"{len(tasks)} requests, {ROUNDS} rounds, CPU time of this process")
    for name, seconds in measured.items():
        ratio = statistics.median(b / s for b, s in zip(bare, seconds, strict=True))
        rate = len(tasks) / statistics.median(seconds)
        mark = "" if name == "bare parsing" or ratio >= FLOOR else f"  below {FLOOR:.2f}"
        print(f"{name:28} {rate:7.1f} requests/s  {ratio:5.2f} x bare parsing{mark}")


def _arm(name: str) -> Callable[[Task], object]:
    dialect = DIALECTS.get(name)

    def run(task: Task) -> object:
        spans = protected_spans(task.text, task.protected)
        parsed = parse(task.text, spans)
        return transduce(parsed, dialect, item=task.item, protected=spans)

    return run


def _seconds(arm: Callable[[Task], object], tasks: Sequence[Task]) -> float:
    start = time.process_time()
    for task in tasks:
        arm(task)
    return time.process_time() - start


def _tasks() -> list[Task]:
    tasks: list[Task] = []
    for suite in SUITES:
        scheme, _, part = suite.partition(":")
        tasks += SANDBOXES.get(scheme)(part, mode=None, data=settings.data_folder).tasks()
    return tasks


if __name__ == "__main__":
    main()
