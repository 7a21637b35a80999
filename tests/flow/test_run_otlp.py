"""`run --otlp` sends what it stores, from one process or several, and accounts for it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.tracer.test_live_export import FaultyReceiver


@pytest.mark.parametrize(("workers", "mode"), [(1, "ok"), (2, "ok"), (1, "500")])
def test_spans_are_sent_beside_the_store_and_counted_in_the_manifest(workers, mode, tmp_path):
    with FaultyReceiver(mode) as receiver:
        line = ["run", "office", "--limit", "3", "--workers", str(workers), "--out", "R"]
        done = subprocess.run(
            [sys.executable, "-m", "stagetrace", *line, "--otlp", receiver.url],
            capture_output=True,
            text=True,
            timeout=200,
            cwd=tmp_path,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    manifest = json.loads((tmp_path / "R" / "run.json").read_text())
    sent = manifest["exported"]
    assert sent["made"] == manifest["spans_made"] == manifest["spans_stored"]
    assert sent["delivered"] == len(receiver.spans) == (sent["made"] if mode == "ok" else 0)
    assert sent["dropped"] == sent["made"] - sent["delivered"]
    assert f"sent {sent['made']} spans = {sent['delivered']} delivered" in done.stdout
