"""Our own Parquet files to spans."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

from tracer.formats.report import Report
from tracer.stored import StoredSpan


def parquet_spans(file: IO[bytes], report: Report) -> Iterator[StoredSpan]:
    report.refuse("unknown_format", "Parquet")
    yield
