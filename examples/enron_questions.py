"""Turn a folder of Enron mails and template questions into tasks and documents for `tasks:PATH`.

    python examples/enron_questions.py ENRON_FOLDER OUT
    stagetrace run tasks:OUT --assistant rag

ENRON_FOLDER holds `enron_emails.jsonl` and `enron_template_questions.jsonl`. Each mailbox is a
corpus of its own; equal copies of a mail are one relevant group. No result on these questions is
an EnronQA result.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any


def convert(source: Path, out: Path) -> int:
    """Write `tasks.jsonl` and `documents.jsonl` into `out`; the number of tasks comes back."""
    out.mkdir(parents=True, exist_ok=True)
    _write(out / "documents.jsonl", map(_document, _lines(source / "enron_emails.jsonl")))
    return _write(
        out / "tasks.jsonl", map(_task, _lines(source / "enron_template_questions.jsonl"))
    )


def _document(mail: Mapping[str, Any]) -> dict[str, Any]:
    heads = [("From", mail["from"]), ("To", ", ".join(mail["to"])), ("Date", mail["date"])]
    heads.append(("Subject", mail["subject"]))
    text = "".join(f"{name}: {value}\n" for name, value in heads) + "\n" + mail["body"]
    return {"id": mail["email_id"], "corpus": mail["mailbox"], "text": text}


def _task(question: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "item": question["question_id"],
        "text": question["question"],
        "answers": [question["gold_answer"]],
        "answer_match": "exact",
        "relevant": [question["gold_email_ids"]],
        "corpus": question["mailbox"],
        "cluster": question["mailbox"],
        "groups": {"kind": question["kind"]},
    }


def _lines(path: Path) -> Iterator[Mapping[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _write(path: Path, rows: Iterator[Mapping[str, Any]]) -> int:
    with path.open("w", encoding="utf-8") as file:
        return sum(file.write(json.dumps(row) + "\n") > 0 for row in rows)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python examples/enron_questions.py ENRON_FOLDER OUT")
    print(f"{convert(Path(sys.argv[1]), Path(sys.argv[2]))} tasks in {sys.argv[2]}")
