"""The real Enron mails: through `tasks:PATH`, and in EnronQA's layout through `enronqa:PATH`."""

from __future__ import annotations

import importlib.util
import json
from collections import defaultdict
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from assistants.base import RETRIEVERS
from sandboxes.base import Sandbox
from sandboxes.enronqa import EnronQA
from sandboxes.user_tasks import UserTasks
from stagetrace.commandline import run
from tests.conftest import ROOT

pytest.importorskip("bm25s")


@pytest.fixture(scope="module")
def example() -> ModuleType:
    path = ROOT / "examples" / "enron_questions.py"
    spec = importlib.util.spec_from_file_location("enron_questions", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def own_tasks(
    example: ModuleType, data_dir: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    out = tmp_path_factory.mktemp("enron")
    assert example.convert(data_dir / "enronqa", out) == 454
    return out


@pytest.fixture(scope="module")
def in_layout(data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same mails and questions as rows of the data set's layout."""
    out = tmp_path_factory.mktemp("rows")
    asked: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for question in lines(data_dir / "enronqa" / "enron_template_questions.jsonl"):
        asked[question["gold_email_ids"][-1]].append(question)
    with (out / "train.jsonl").open("w", encoding="utf-8") as file:
        for mail in lines(data_dir / "enronqa" / "enron_emails.jsonl"):
            mine = asked[mail["email_id"]]
            head = f"Subject: {mail['subject']}\nSender: {mail['from']}\nDate: {mail['date']}\n"
            row = {
                "email": f"{head}=====================\n{mail['body']}",
                "user": mail["mailbox"],
                "path": mail["email_id"],
                "questions": [question["question"] for question in mine],
                "gold_answers": [question["gold_answer"] for question in mine],
            }
            file.write(json.dumps(row) + "\n")
    return out


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def recall(box: Sandbox, k: int = 5) -> dict[str, float]:
    """Shares of questions of which a gold mail is among the first `k` of its mailbox."""
    indexes: dict[str, Any] = {}
    hits: dict[str, list[float]] = defaultdict(list)
    for task in box.tasks():
        corpus = box.corpus(task)
        assert corpus is not None
        assert task.relevant is not None
        if corpus.name not in indexes:
            indexes[corpus.name] = RETRIEVERS.get("bm25")(corpus.documents)
        shown = {passage.doc_id for passage in indexes[corpus.name](task.text, k)}
        hits["lenient"].append(float(not shown.isdisjoint(task.relevant[0])))
        hits["strict"].append(float(str(task.detail.get("path", "")) in shown))
    return {name: sum(values) / len(values) for name, values in hits.items()}


def test_recall_over_own_tasks(own_tasks: Path) -> None:
    """0.956 with bm25s 0.3.16; easy, because the questions quote the subject."""
    assert recall(UserTasks(str(own_tasks), data=str))["lenient"] == pytest.approx(0.956, abs=0.02)


def test_strict_recall_is_lower_where_mails_repeat(in_layout: Path) -> None:
    """One id a question undercounts when a copy of the gold mail is shown in its place."""
    box = EnronQA(str(in_layout), data=str)
    five, first = recall(box), recall(box, 1)
    assert five["lenient"] == pytest.approx(0.954, abs=0.02)
    assert five["strict"] <= five["lenient"]
    assert first["strict"] < first["lenient"]


def test_the_table_shows_recall(
    in_layout: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    going = ["run", f"enronqa:{in_layout}", "--assistant", "rag", "--limit", "15"]
    assert run([*going, "--out", str(out)]) == 0
    assert run(["analyze", str(out)]) == 0
    shown = capsys.readouterr().out
    assert "recall@5" in shown
    assert "15" in shown
