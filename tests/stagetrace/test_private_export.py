"""Mails of real people are not sent out unless it is asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tracer.export
from stagetrace.commandline import run
from tracer.export import ExportCount

ROWS = Path(__file__).parent.parent / "data" / "enronqa"


@pytest.mark.parametrize(
    ("suite", "options", "sent"),
    [
        (f"enronqa:{ROWS}", [], False),
        (f"enronqa:{ROWS}", ["--content"], True),
        ("office:questions", [], True),
        ("office:questions", ["--no-content"], False),
    ],
)
def test_content_is_sent_by_default_but_for_enronqa(
    suite: str, options: list[str], sent: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = str(tmp_path / "run")
    going = ["run", suite, "--assistant", "rag", "--model", "gold", "--limit", "1"]
    assert run([*going, "--out", out]) == 0
    asked: list[Any] = []

    def export(*given: Any, **named: Any) -> ExportCount:
        asked.append(named["content"])
        return ExportCount(1, 1, 0, 0)

    monkeypatch.setattr(tracer.export, "export_otlp", export)
    assert run(["export", out, "--otlp", "http://127.0.0.1:4318", *options]) == 0
    assert asked == [sent]
