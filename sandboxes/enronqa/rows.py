"""Reading EnronQA's rows from Parquet or JSON lines: one row a mail and split.

Source:
    EnronQA, arXiv 2505.00263: columns `email` (or `text`), `user`, `path`, and lists that run
    parallel to `questions`. The data set declares no licence, so a file is always the user's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tracer.errors import DataMissingError, InputError
from tracer.limits import json_value
from tracer.records import Json
from tracer.registry import missing_extra

SUFFIXES = (".parquet", ".jsonl")
SPLITS = ("train", "dev", "test")
_SPLIT = re.compile(r"(?<![a-z])(train|dev|validation|test)(?![a-z])", re.IGNORECASE)
_MAIL = ("email", "text")
"""Names that the column of the mail's text goes by."""
_NEEDED = ("user", "path", "questions", "gold_answers")
_READ = ("split", "alternate_answers", "include_email")
_ROWS_AT_ONCE = 512


@dataclass(frozen=True, slots=True)
class Question:
    """One question about a mail."""

    index: int
    """Place in the row's list."""
    text: str
    answers: tuple[str, ...]
    """The gold answer, then its alternates."""


@dataclass(frozen=True, slots=True)
class Row:
    """One mail in one split."""

    split: str
    user: str
    path: str
    text: str
    questions: tuple[Question, ...]

    def item(self, question: Question) -> str:
        """Id of a question: split, path and index, so that it stays the same for ever."""
        return f"{self.split}/{self.path}/{question.index}"


def data_files(path: Path) -> list[Path]:
    """The data files that a path stands for, in the order of their names.

    Raises:
        DataMissingError: There is none.
    """
    found = [path] if path.is_file() else sorted(path.rglob("*")) if path.is_dir() else []
    files = [file for file in found if file.suffix in SUFFIXES]
    if not files:
        raise DataMissingError(
            f"enronqa: no {' or '.join(SUFFIXES)} file at {path}; give enronqa:PATH your own copy "
            "of the data set, a file or a folder of its splits"
        )
    return files


def read_rows(files: Sequence[Path]) -> Iterator[Row]:
    """The rows of all files, in their order.

    Raises:
        InputError: A row lacks a column, its lists do not run parallel, or its path stands in the
            split twice.
        MissingExtraError: pyarrow is not installed, and a file is Parquet.
    """
    seen: set[tuple[str, str]] = set()
    for file in files:
        named = _SPLIT.search(file.name)
        for number, record in enumerate(_records(file), start=1):
            row = _row(f"{file}:{number}", record, named[1].lower() if named else "")
            if (row.split, row.path) in seen:
                raise InputError(
                    f"{file}:{number}: path {row.path!r} stands in the split {row.split!r} twice; "
                    "give each split once"
                )
            seen.add((row.split, row.path))
            yield row


def _records(file: Path) -> Iterator[Mapping[str, Json]]:
    if file.suffix == ".parquet":
        yield from _parquet(file)
        return
    with file.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                record = json_value(line.decode())
            except ValueError as error:
                raise InputError(f"{file}:{number}: not JSON ({error})") from error
            if not isinstance(record, dict):
                raise InputError(f"{file}:{number}: no JSON object; write one row a line")
            yield record


def _parquet(file: Path) -> Iterator[Mapping[str, Json]]:
    try:
        import pyarrow as arrow
        import pyarrow.parquet as parquet
    except ImportError as error:
        raise missing_extra("pyarrow", "analysis", "reading Parquet") from error
    try:
        table = parquet.ParquetFile(file)
        names = [name for name in (*_MAIL, *_NEEDED, *_READ) if name in table.schema_arrow.names]
        for batch in table.iter_batches(batch_size=_ROWS_AT_ONCE, columns=names):
            yield from batch.to_pylist()
    except (arrow.ArrowException, OSError) as error:
        raise InputError(f"{file}: cannot be read as Parquet ({error})") from error


def _row(where: str, record: Mapping[str, Json], split: str) -> Row:
    mail = next((name for name in _MAIL if isinstance(record.get(name), str)), None)
    absent = [name for name in _NEEDED if record.get(name) is None]
    if mail is None or absent:
        raise InputError(
            f"{where}: no column {(absent or ['email'])[0]!r}; a row has "
            f"{', '.join((_MAIL[0], *_NEEDED))}"
        )
    split = str(record.get("split") or split).lower()
    split = "dev" if split == "validation" else split
    if split not in SPLITS:
        raise InputError(
            f"{where}: which split is it? Name the file train, dev or test, or add a column 'split'"
        )
    texts, golds = (_texts(where, name, record[name]) for name in ("questions", "gold_answers"))
    if len(texts) != len(golds):
        raise InputError(f"{where}: gold_answers: {len(golds)} for {len(texts)} questions")
    others = _parallel(where, "alternate_answers", record.get("alternate_answers"), len(texts))
    questions = tuple(
        Question(index, text, tuple(dict.fromkeys((gold, *other))))
        for index, (text, gold, other) in enumerate(zip(texts, golds, others, strict=True))
    )
    return Row(split, str(record["user"]), str(record["path"]), record[mail], questions)


def _texts(where: str, name: str, given: Json) -> list[str]:
    if isinstance(given, list) and all(isinstance(one, str) for one in given):
        return given
    raise InputError(f"{where}: {name}: {str(given)[:80]!r} where a list of texts belongs")


def _parallel(where: str, name: str, given: Json, count: int) -> list[list[str]]:
    """One list a question; the file may hold one text or list a question, or turn it round."""
    if not given:
        return [[] for _ in range(count)]
    lists = [
        [one] if isinstance(one, str) else _texts(where, name, one or [])
        for one in (given if isinstance(given, list) else [given])
    ]
    if len(lists) == count:
        return lists
    if all(len(one) == count for one in lists):
        return [list(one) for one in zip(*lists, strict=True)]
    raise InputError(f"{where}: {name}: {len(lists)} for {count} questions")
