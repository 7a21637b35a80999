"""Changed inputs of every kind, through the command line: they end in our own errors only.

`STAGETRACE_FUZZ_S` is how many seconds it goes on, `STAGETRACE_FUZZ_SEED` where it starts; what
was found is in `tests/data/fuzz`. `make fuzz` goes on for ten minutes.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from pathlib import Path

import pytest

from tests.flow.fuzz_inputs import Door, broken, doors, fuzz, laid_out
from tests.flow.mutation import mutated

pytest.importorskip("langgraph")
SEED = int(os.environ.get("STAGETRACE_FUZZ_SEED", "20"))
SECONDS = float(os.environ.get("STAGETRACE_FUZZ_S", "60"))
FOUND = sorted((Path(__file__).parent.parent / "data" / "fuzz").glob("*/*/*"))


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where good inputs lie."""
    return tmp_path_factory.mktemp("fuzz") / "good"


@pytest.fixture(scope="module")
def known(good: Path) -> dict[str, Door]:
    return {door.name: door for door in doors(good)}


@pytest.mark.slow
def test_changed_inputs_end_in_our_own_errors_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = fuzz(tmp_path, SEED, SECONDS)
    print("\n".join(found.lines()))  # noqa: T201 - so that a failure can be repeated
    assert not found.failures, "\n".join(one.line() for one in found.failures.values())
    assert found.counts.total() > SECONDS


@pytest.mark.parametrize("path", FOUND, ids=lambda path: f"{path.parts[-3]}/{path.parts[-2]}")
def test_what_broke_a_command_once_breaks_none(
    path: Path,
    good: Path,
    known: dict[str, Door],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    door = known[path.parts[-3].replace("-", " ")]
    file = next(file for file in door.files if file.name == path.name)
    statuses: Counter[str] = Counter()
    for make in dict.fromkeys(door.commands):
        at = laid_out(door, file, path.read_bytes(), tmp_path / "bad")
        assert broken(make(str(at), str(good)), statuses, door.name) == ""
    assert statuses[f"{door.name} 2"] >= 1


def test_good_inputs_end_well(
    good: Path, known: dict[str, Door], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the changed ones would show nothing. Foreign traces belong to no task of ours."""
    monkeypatch.chdir(tmp_path)
    for door in known.values():
        files = {file.parent: file for file in reversed(door.files) if file.parent.name != "traces"}
        for file in files.values():
            for make in dict.fromkeys(door.commands):
                at = laid_out(door, file, file.read_bytes(), tmp_path / "bad")
                statuses: Counter[str] = Counter()
                command = make(str(at), str(good))
                assert broken(command, statuses, door.name) == ""
                refused = statuses[f"{door.name} 2"]
                assert not refused or door.name == "traces", command


def test_same_seed_gives_the_same_input() -> None:
    lines = b'{"a": [1, {"b": "c"}]}\n{"d": null}\n'
    first, again = (
        [mutated(random.Random(seed), lines, [lines]) for seed in range(50)] for _ in range(2)
    )
    assert first == again
    assert len(set(first)) > 40
