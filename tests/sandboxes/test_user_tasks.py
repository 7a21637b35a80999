"""The user's own questions over the user's own documents."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sandboxes.base import SANDBOXES
from sandboxes.user_tasks import UserTasks
from tracer.errors import DataMissingError, InputError
from tracer.records import Request, Trace

DOCUMENTS = [
    {"id": "d1", "text": "The key lies under the mat.", "corpus": "home"},
    {"id": "d2", "text": "The key lies in the drawer.", "corpus": "office"},
]
TASK = {
    "item": "q1",
    "text": "Where is the key?",
    "answers": ["mat"],
    "corpus": "home",
    "relevant": [["d1"]],
}


def write(folder: Path, tasks: list[object], documents: list[object] = DOCUMENTS) -> Path:
    for name, rows in (("tasks.jsonl", tasks), ("documents.jsonl", documents)):
        text = "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def box_of(folder: Path) -> UserTasks:
    return UserTasks(str(folder), data=str)


def graded(box: UserTasks, answer: str, error: str | None = None) -> bool | None:
    task = next(iter(box.tasks()))
    trace = Trace("t", Request(task.item, task.text), answer=answer, error=error)
    return box.grade(task, trace).answer_correct


def test_a_task_searches_only_its_corpus(tmp_path: Path):
    box = box_of(write(tmp_path, [TASK]))
    corpus = box.corpus(next(iter(box.tasks())))
    assert corpus is not None
    assert list(corpus.documents) == ["d1"]


def test_a_task_without_a_corpus_searches_all(tmp_path: Path):
    box = box_of(write(tmp_path, [{"item": "q", "text": "?"}]))
    corpus = box.corpus(next(iter(box.tasks())))
    assert corpus is not None
    assert list(corpus.documents) == ["d1", "d2"]


def test_answers_match_as_the_task_says(tmp_path: Path):
    assert graded(box_of(write(tmp_path, [TASK])), "It is under the mat, I think.") is True
    exact = {**TASK, "answer_match": "exact"}
    assert graded(box_of(write(tmp_path, [exact])), "It is under the mat, I think.") is False
    assert graded(box_of(write(tmp_path, [exact])), "The mat.") is True


def test_an_agent_that_raised_is_wrong_and_no_gold_is_no_verdict(tmp_path: Path):
    assert graded(box_of(write(tmp_path, [TASK])), "mat", error="boom") is False
    assert graded(box_of(write(tmp_path, [{"item": "q", "text": "?"}])), "mat") is None


@pytest.mark.parametrize(
    ("tasks", "said"),
    [
        (["{"], "tasks.jsonl:1: not JSON"),
        ([{"item": "q"}], "'text' is a required property"),
        ([{"item": "q", "text": "?", "answer": "x"}], "'answer' was unexpected"),
        (
            [{"item": "q", "text": "?", "relevant": [[7]]}],
            "relevant.0.0: 7 is not of type 'string'",
        ),
        (
            [{"item": "q", "text": "?"}, {"item": "q", "text": "!"}],
            "tasks.jsonl:2: item 'q' stands",
        ),
        ([{**TASK, "relevant": [["d2"]]}], "relevant document 'd2' is not among its 1 documents"),
        ([], "no task in it"),
    ],
)
def test_bad_files_are_named_by_line_and_field(tmp_path: Path, tasks: list[object], said: str):
    with pytest.raises(InputError) as caught:
        box_of(write(tmp_path, tasks))
    assert said in str(caught.value)


def test_an_absent_file_says_what_to_give(tmp_path: Path):
    with pytest.raises(DataMissingError, match="no tasks at"):
        SANDBOXES.get("tasks")(str(tmp_path / "none"), mode=None, data=str)


def test_wordings_come_along(tmp_path: Path):
    box = box_of(write(tmp_path, [{**TASK, "rewrites": {"indirect": "I can't find the key."}}]))
    assert box.rewrites() == {"indirect": {"q1": {"text": "I can't find the key."}}}
