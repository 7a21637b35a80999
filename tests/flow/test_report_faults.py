"""A report whose writing fails or is cut off at any step is the old one or the new one, whole."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

import pytest

from stagetrace.commandline import run
from tests.tracer.faults import Faults
from tests.tracer.test_write_failures import drive

pytest.importorskip("numpy")
FORMS: dict[str, Sequence[str]] = {
    "json": ("analysis.json",),
    "csv": ("analyses.csv", "effects.csv"),
    "html": ("index.html",),
}


@pytest.fixture(scope="module")
def six_items(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report") / "run"
    drive(folder)
    return folder


def report(folder: Path, out: Path, form: str, seed: int) -> int:
    more = () if form == "html" else ("--analysis", "fragility")
    command = ("analyze", str(folder), "--format", form, "--out", str(out), "--resamples", "20")
    return run([*command, "--seed", str(seed), *more])


def files(out: Path) -> dict[str, bytes]:
    """What a reader of the folder sees; what is being written has a name with a dot."""
    return {path.name: path.read_bytes() for path in out.iterdir() if path.name[0] != "."}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("torn", [True, False], ids=["torn", "whole"])
@pytest.mark.parametrize("how", ["fail", "stop"])
def test_a_report_is_the_old_one_or_the_new_one_and_never_half(
    how: str,
    torn: bool,
    form: str,
    six_items: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = tmp_path / "out"
    assert report(six_items, out, form, 2) == 0
    new = files(out)
    assert report(six_items, out, form, 1) == 0
    old = files(out)
    assert sorted(old) == sorted(new) == list(FORMS[form])
    assert all(old[name] != new[name] for name in FORMS[form] if name != "analyses.csv")
    at, met = 0, True
    while met:
        at += 1
        assert report(six_items, out, form, 1) == 0
        faults = Faults(out, at, how, torn)
        capsys.readouterr()
        with faults.standing(monkeypatch), contextlib.suppress(OSError):
            status = report(six_items, out, form, 2)
        met = faults.met
        err = capsys.readouterr().err
        if met:
            assert status == 2
            assert "cannot be written" in err.splitlines()[-1]
        seen = files(out)
        assert sorted(seen) == list(FORMS[form])
        assert all(seen[name] in (old[name], new[name]) for name in seen), at
        assert report(six_items, out, form, 2) == 0
        assert files(out) == new, at
    # Each file is written, then put in its place.
    assert at == 2 * len(FORMS[form]) + 1
