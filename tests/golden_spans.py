"""Whole spans compared with a golden file; `STAGETRACE_GOLDEN=1` rewrites it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tracer.stored import StoredSpan

FOLDER = Path(__file__).parent / "golden"
CHANGING = {"stagetrace.graph.task_id", "stagetrace.version"}
"""Random in LangGraph, and different in every release of ours."""


def plain(spans: Iterable[StoredSpan]) -> list[dict[str, Any]]:
    """The spans as JSON holds them, without what changes from run to run."""
    rows = [msgspec.to_builtins(span) for span in spans]
    for row in rows:
        for part in ("attributes", "resource"):
            row[part] = {key: "*" if key in CHANGING else value for key, value in row[part].items()}
    plain_rows: list[dict[str, Any]] = json.loads(json.dumps(rows))
    return plain_rows


def assert_golden(name: str, spans: list[dict[str, Any]]) -> None:
    """Compare with `tests/golden/NAME`, span by span, every attribute."""
    path = FOLDER / name
    if os.environ.get("STAGETRACE_GOLDEN"):
        path.write_text(json.dumps(spans, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        pytest.skip(f"rewrote {path.name}; read its diff")
    assert spans == json.loads(path.read_text(encoding="utf-8"))
