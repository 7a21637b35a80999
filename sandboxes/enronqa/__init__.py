"""EnronQA: questions about real mails, each over one user's mailbox.

The data set declares no licence: it is never bundled, and `enronqa:PATH` names the user's own copy.

Source:
    EnronQA, arXiv 2505.00263; sampling: Lost in the Request, appendix B.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from sandboxes.base import SANDBOXES, Corpus, DataFolder
from sandboxes.enronqa.classify import by_rules
from sandboxes.enronqa.mailbox import equal_mails
from sandboxes.enronqa.rows import Question, Row, data_files, read_rows
from sandboxes.enronqa.sample import checked_files, read_manifest
from sandboxes.enronqa.wording import identifying, kept, literals
from tracer.answer_text import answer_match
from tracer.errors import DataMissingError, UnknownNameError
from tracer.records import Change, Json, Outcome, Task, Tool, Trace, Turn

MODE = "strict"


@SANDBOXES.add("enronqa")
class EnronQA:
    """Questions over mailboxes.

    Args:
        part: Path of a Parquet or JSON-lines file, of a folder of them, or of the manifest of a
            sample (`.json`) that `stagetrace data sample` made.
        mode: Grading mode; `strict` is the only one.
        data: Not used: the path says where the files are.

    Raises:
        DataMissingError: There is no such file.
        InputError: A row does not fit, or the files are not those of the sample.
        UnknownNameError: There is no such mode.
    """

    parts: ClassVar[Sequence[str]] = ("PATH",)
    private = True
    """Its mails are of real people: exports leave content out unless it is asked for."""
    mode = MODE
    briefing = "The documents are the mails of one mailbox."
    schema_hash = ""

    def __init__(self, part: str, *, mode: str | None = None, data: DataFolder) -> None:
        if not part:
            raise DataMissingError("enronqa: needs a path, such as enronqa:enron/train.parquet")
        if mode not in (None, MODE):
            raise UnknownNameError(f"unknown grading mode {mode!r} of enronqa; known: {MODE}")
        path = Path(part)
        self.name = f"enronqa:{path}"
        self._labels: dict[str, Mapping[str, Json]] | None = None
        if path.suffix == ".json" and path.is_file():
            manifest = read_manifest(path)
            files = checked_files(manifest, path.parent)
            self._labels = {row["item"]: row for row in manifest["items"]}
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
        else:
            files = data_files(path)
            digest = _digest(files)
        self.data_version = f"sha256:{digest[:12]}"
        self._mailboxes: dict[str, dict[str, str]] = {}
        self._asked: list[tuple[Row, Question]] = []
        for row in read_rows(files):
            self._mailboxes.setdefault(row.user, {})[row.path] = row.text
            self._asked += [
                (row, question)
                for question in row.questions
                if self._labels is None or row.item(question) in self._labels
            ]
        self._groups: dict[str, dict[str, tuple[str, ...]]] = {}

    def tasks(self) -> Iterable[Task]:
        """The questions in the order of the rows; of a sample, in the order of its manifest."""
        tasks = [self._task(row, question) for row, question in self._asked]
        if self._labels is not None:
            place = {item: number for number, item in enumerate(self._labels)}
            tasks.sort(key=lambda task: place[task.item])
        return tasks

    def reset(self, task: Task) -> None:
        """Nothing: there is no state."""

    def begin_turn(self, task: Task, turn: int) -> None:
        """Nothing: there is no state."""

    def tools(self) -> Sequence[Tool]:
        """None."""
        return ()

    def corpus(self, task: Task) -> Corpus | None:
        """The mailbox that the question is about: path to mail."""
        user = str(task.detail["user"])
        return Corpus(f"enronqa-{self.data_version}-{user}", self._mailboxes[user])

    def rewrites(self) -> Mapping[str, Mapping[str, Mapping[str, Json]]]:
        """None are shipped."""
        return {}

    def state_digest(self) -> str:
        """The same always: there is no state."""
        return hashlib.sha256(b"").hexdigest()[:16]

    def take_changes(self) -> tuple[Change, ...]:
        """None."""
        return ()

    def grade(self, task: Task, trace: Trace) -> Outcome:
        """Whether the answer holds a gold answer, and whether the wording points at the mail.

        Gold answers are sentences, of which few stand in any answer word by word: exact match and
        answer match are low for everybody, and `stagetrace analyze --judge MODEL` asks a model.
        """
        errored = trace.error is not None
        right = answer_match(trace.answer or "", task.answers) == 1.0
        tokens = tuple(task.detail["identifying"])
        flags = {"identifying_kept": len(kept(tokens, trace.request.text)) == len(tokens)}
        return Outcome(
            mode=self.mode,
            data_version=self.data_version,
            relevant=task.relevant,
            relevant_strict=((task.detail["path"],),),
            gold_answers=task.answers,
            answer_correct=right and not errored,
            answer_matcher="am",
            errored=errored,
            flags=flags,
        )

    def _task(self, row: Row, question: Question) -> Task:
        item = row.item(question)
        mailbox = self._mailboxes[row.user]
        if row.user not in self._groups:
            self._groups[row.user] = equal_mails(mailbox)
        label = self._label(item, row, question)
        return Task(
            item=item,
            suite=self.name,
            form="question",
            turns=(Turn(question.text),),
            cluster=row.user,
            protected=literals(question.text),
            answers=question.answers,
            relevant=(self._groups[row.user][row.path],),
            groups={"split": row.split, **label},
            detail={
                "user": row.user,
                "path": row.path,
                "identifying": list(identifying(question.text, row.text)),
            },
        )

    def _label(self, item: str, row: Row, question: Question) -> dict[str, str]:
        """Bin and reasoning: as the sample was drawn by, else by our rules."""
        if self._labels is not None:
            label = self._labels[item]
            return {"bin": label["bin"], "reasoning": label["reasoning"]}
        found = by_rules(question.text, row.text)
        return {"bin": found.bin or "several", "reasoning": found.reasoning}


def _digest(files: Sequence[Path]) -> str:
    whole = hashlib.sha256()
    for file in files:
        with file.open("rb") as content:
            whole.update(hashlib.file_digest(content, "sha256").digest())
    return whole.hexdigest()
