"""Where golden cases are found and how their files are read."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

Case = tuple[str, Callable[[], None]]
"""Id, as in the file, and the check that raises when the case does not hold."""

_ROOT = Path(__file__).parent.parent.parent


def specs_folder() -> Path | None:
    """The folder that `STAGETRACE_SPECS` names, else the one beside the project, else None."""
    named = os.environ.get("STAGETRACE_SPECS")
    if named:
        return Path(named)
    beside = _ROOT.parent / "shared" / "specs"
    return beside if beside.is_dir() else None


def golden_dir() -> Path | None:
    """The folder `golden` of the specs; None when there are no specs at all."""
    folder = specs_folder()
    return None if folder is None else folder / "golden"


def data_folder(name: str) -> str:
    """A benchmark's data folder, by `STAGETRACE_DATA` or beside the project."""
    base = os.environ.get("STAGETRACE_DATA") or _ROOT.parent / "shared" / "data"
    return str(Path(base) / name)


def read_json(path: Path) -> Any:
    """What a JSON file holds."""
    return json.loads(path.read_text(encoding="utf-8"))


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a file of JSON lines."""
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            try:
                yield json.loads(line)
            except ValueError as error:
                raise ValueError(f"{path}:{number}: no JSON object ({error})") from error


def cases_of(path: Path, read: Callable[[Path], list[Case]]) -> list[Case]:
    """The cases of one file; one that fails, named as the file, when it is absent or unreadable."""
    try:
        return read(path)
    except (OSError, ValueError, KeyError) as error:
        reason = f"{path}: golden cases cannot be read: {type(error).__name__}: {error}"
        return [(path.name, lambda: pytest.fail(reason, pytrace=False))]
