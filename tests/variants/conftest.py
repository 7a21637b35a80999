from __future__ import annotations

import csv
import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from tracer.records import Task, Turn
from variants.words import word_set

NAMES = word_set(
    """aisha akira amir anaya carlos chenwei dmitri fatima jinsoo kofi leila lena luis nadia nia
    olga raj santiago sofia yuki"""
)


@pytest.fixture(scope="session")
def parses() -> ModuleType:
    """The module with the stored parses, which lies beside the tests."""
    return _beside("parses")


@pytest.fixture(scope="session")
def scripted() -> ModuleType:
    """The module with a model and a rater that follow a script."""
    return _beside("scripted")


def _beside(name: str) -> ModuleType:
    path = Path(__file__).with_name(f"{name}.py")
    spec = importlib.util.spec_from_file_location(f"variant_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def email_tasks(data_dir: Path) -> list[Task]:
    """The e-mail requests of WorkBench with the people they name."""
    path = data_dir / "workbench/queries_and_answers/email_queries_and_answers.csv"
    with path.open(encoding="utf-8", newline="") as file:
        queries = [row["query"] for row in csv.DictReader(file)]
    return [
        Task(
            f"email-{number:02}",
            "workbench:email",
            "actions",
            (Turn(query),),
            protected=tuple(name for name in sorted(NAMES) if re.search(rf"\b{name}\b", query)),
        )
        for number, query in enumerate(queries)
    ]


@pytest.fixture
def task() -> Task:
    return Task(
        "t1",
        "tasks:own",
        "actions",
        (Turn("Please forward the 3 invoices from Kay to sam@corp.example by 10:30."),),
        protected=("Kay",),
        groups={"head_verb": "forward"},
    )
