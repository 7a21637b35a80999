"""Recall and mean reciprocal rank of retrievers over one suite, in any of its wordings.

    python benchmarks/retrieval.py office --retrievers bm25,minilm,splade-tiny,hybrid,rerank:bm25
    python benchmarks/retrieval.py tasks:FOLDER --corpora 2 --questions 40 --conditions base,typos

The table has one line a retriever and condition. Recall@k is the share of a question's groups of
relevant documents of which one is among the first k; the reciprocal rank is that of the first
relevant document. `base R@5` is that of the same questions in their base wording, since not every
question has every wording. Vectors are kept in the cache folder, so that a second run is short.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from itertools import islice

from analyzers.ranking import reciprocal_rank
from assistants.slots import Slot, in_order
from sandboxes.base import Corpus, Sandbox
from stagetrace import console, parts
from stagetrace.suite import open_suite
from stagetrace.wordings import make_wordings, named_conditions
from tracer.protocols import Retriever
from tracer.records import Task

BASE = "base"
CUTS = (1, 5, 10)
DEPTH = 50
DEFAULT = "bm25,minilm,splade-tiny,hybrid,rerank:bm25"


def main() -> None:
    """Print the table, line by line as it comes."""
    options = _options()
    box = open_suite(options.suite)
    tasks = chosen(box, options.corpora, options.questions)
    authored = box.rewrites()
    conditions = named_conditions(options.conditions, authored)
    wordings = make_wordings(tasks, conditions, seed=0, authored=authored, file=None)
    slots = list(in_order(tasks, wordings.by_item, 1))
    console.say(f"{options.suite}: {len(tasks)} questions, {len(conditions)} conditions")
    console.say(
        "| retriever | condition | n | "
        + " | ".join(f"R@{k}" for k in CUTS)
        + " | MRR | base R@5 | s |"
    )
    console.say("|---|---|---|" + "---|" * (len(CUTS) + 3))
    for name in options.retrievers.split(","):
        opened = parts.retriever(name, writer=options.writer, model_paths=options.model_path or ())
        indexes: dict[str, Retriever] = {}
        base: dict[str, float] = {}
        for condition in conditions:
            said = [slot for slot in slots if slot.wording.condition == condition]
            if said:
                _line(opened, box, indexes, condition, said, base)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("suite", help="As on the command line of `stagetrace run`.")
    parser.add_argument("--retrievers", default=DEFAULT, help="Names by commas.")
    parser.add_argument("--conditions", default="base", help="Wordings by commas, or all.")
    parser.add_argument("--writer", default="", help="Model that makes up passages for hyde.")
    parser.add_argument("--model-path", action="append", help="NAME=DIR of an encoder.")
    parser.add_argument("--corpora", type=int, help="Only the questions of the first corpora.")
    parser.add_argument("--questions", type=int, help="Only so many, spread evenly.")
    return parser.parse_args()


def chosen(box: Sandbox, corpora: int | None, questions: int | None) -> list[Task]:
    """The questions with relevant documents, of the first corpora, spread evenly over them."""
    tasks = [task for task in box.tasks() if task.form == "question" and task.relevant]
    names = [_corpus(box, task).name for task in tasks]
    wanted = set(islice(dict.fromkeys(names), corpora))
    tasks = [task for task, name in zip(tasks, names, strict=True) if name in wanted]
    step = max(1.0, len(tasks) / questions) if questions else 1.0
    return [tasks[int(place * step)] for place in range(int(len(tasks) / step))]


def _corpus(box: Sandbox, task: Task) -> Corpus:
    corpus = box.corpus(task)
    if corpus is None:
        raise SystemExit(f"{task.item}: there are no documents to search")
    return corpus


def _line(
    opened: parts.Opened,
    box: Sandbox,
    indexes: dict[str, Retriever],
    condition: str,
    slots: Sequence[Slot],
    base: dict[str, float],
) -> None:
    """Say one line; `base` keeps the Recall@5 of each question's base wording."""
    started = time.perf_counter()
    recalls: dict[int, list[float]] = {k: [] for k in CUTS}
    ranks: list[float] = []
    for slot in slots:
        corpus = _corpus(box, slot.task)
        if corpus.name not in indexes:
            indexes[corpus.name] = opened.build(corpus.documents)
        found = [p.doc_id for p in indexes[corpus.name](slot.wording.texts[0], DEPTH)]
        groups = slot.task.relevant or ()
        for k in CUTS:
            hits = sum(not set(found[:k]).isdisjoint(group) for group in groups)
            recalls[k].append(hits / len(groups))
        if condition == BASE:
            base[slot.task.item] = recalls[5][-1]
        relevant = {doc_id: 1.0 for group in groups for doc_id in group}
        ranks.append(reciprocal_rank(found, relevant) or 0.0)
    cells = [f"{sum(recalls[k]) / len(slots):.3f}" for k in CUTS]
    same = [base[slot.task.item] for slot in slots if slot.task.item in base]
    cells += [f"{sum(ranks) / len(slots):.3f}"]
    cells += [f"{sum(same) / len(same):.3f}" if len(same) == len(slots) else "not available"]
    cells += [f"{time.perf_counter() - started:.1f}"]
    console.say(f"| {opened.label} | {condition} | {len(slots)} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
