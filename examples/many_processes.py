"""An evaluation over several processes: one trace an item, whichever process ran which part.

    python examples/many_processes.py TRACES

The parent opens a span an item and hands its place in the trace to a worker, which goes on there
and writes into a file of its own in the same folder.
"""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Mapping

import stagetrace

ITEMS = 8
WORKERS = 3
ITEMS_A_PROCESS = 2
"""A worker ends after as many, so the items are spread over processes however quick one is."""


@stagetrace.retriever(ranker="exact")
def find(query: str, k: int = 2) -> list[tuple[str, float]]:
    """The ids that fit, with scores."""
    return [(f"{query}-a", 2.0), (f"{query}-b", 1.0)][:k]


def agent(question: str) -> str:
    """The agent under evaluation."""
    return ", ".join(doc_id for doc_id, _ in find(question))


def work(job: tuple[str, str, Mapping[str, str]]) -> str:
    """Answer one item in a worker process, as part of the parent's trace."""
    store, item, headers = job
    with stagetrace.continued(headers):
        return str(stagetrace.trace(agent, store=store)(item))


def main(store: str) -> None:
    """Evaluate the items and print how many have an answer."""
    traced = stagetrace.trace(agent, store=store)
    context = multiprocessing.get_context("spawn")
    with context.Pool(WORKERS, maxtasksperchild=ITEMS_A_PROCESS) as pool:
        waiting = []
        for number in range(ITEMS):
            with stagetrace.identity(item=f"item{number}"), stagetrace.span("evaluate"):
                job = (store, f"item{number}", stagetrace.carrier())
                waiting.append(pool.apply_async(work, (job,)))
                if number == 0:
                    traced("here")
        answers = [result.get() for result in waiting]
        pool.close()
        pool.join()
    print(f"{sum(map(bool, answers))} of {ITEMS} items answered")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "stagetrace-traces")
