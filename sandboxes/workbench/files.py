"""Reading WorkBench's CSV files, with an error that names the file when one does not fit."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from tracer.errors import DataMissingError

MISSING = frozenset(
    {"", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN"}
    | {"<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"}
)
"""Fields that count as missing in the sandbox's tables.

Source:
    pandas 2.1.4, default of `read_csv`, with which the published code reads them.
"""
_MEND = "copy the files of olly-styles/WorkBench at 42f1b6d (2024-07-23) again, unchanged"


def read_rows(path: Path, columns: Sequence[str], *, header: bool = True) -> list[tuple[str, ...]]:
    """The rows of a CSV file as text, in the order of the file.

    Args:
        path: The file.
        columns: Column names, in the order of the file.
        header: Whether the first line holds the names; it is then compared with `columns`.

    Raises:
        DataMissingError: The file is absent, is no UTF-8 text or has other columns.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = [tuple(row) for row in csv.reader(file)]
    except FileNotFoundError as error:
        raise DataMissingError(
            f"{path}: this file of the WorkBench data is missing; {_MEND}"
        ) from error
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DataMissingError(f"{path}: cannot be read ({error}); {_MEND}") from error
    if header:
        found, rows = (rows[0] if rows else ()), rows[1:]
        if found != tuple(columns):
            raise DataMissingError(
                f"{path}: columns {list(found)!r} where {list(columns)!r} are expected; {_MEND}"
            )
    for number, row in enumerate(rows, start=1):
        if len(row) != len(columns):
            raise DataMissingError(
                f"{path}: row {number} has {len(row)} fields where {len(columns)} are expected; "
                f"{_MEND}"
            )
    return rows
