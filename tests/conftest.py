"""Where tests find the real data and the golden cases: `STAGETRACE_DATA` and `STAGETRACE_SPECS`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
_FIXTURES = {"data_dir": ("STAGETRACE_DATA", "data"), "specs_dir": ("STAGETRACE_SPECS", "specs")}


def outside_folder(variable: str, name: str) -> Path | None:
    """The folder that `variable` names, else the one beside the project, else None."""
    named = os.environ.get(variable)
    if named:
        return Path(named)
    beside = ROOT.parent / "shared" / name
    return beside if beside.is_dir() else None


@pytest.fixture(scope="session")
def data_dir() -> Path:
    folder = outside_folder(*_FIXTURES["data_dir"])
    assert folder is not None
    return folder


@pytest.fixture(scope="session")
def specs_dir() -> Path:
    folder = outside_folder(*_FIXTURES["specs_dir"])
    assert folder is not None
    return folder


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect what needs a folder that is neither named nor found, and say so in one line."""
    absent = {name for name, place in _FIXTURES.items() if outside_folder(*place) is None}
    left_out = [item for item in items if absent & set(getattr(item, "fixturenames", ()))]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]
        places = ", ".join(_FIXTURES[name][0] for name in sorted(absent))
        config.stash[_LEFT_OUT] = f"{len(left_out)} tests left out: no folder for {places}"


_LEFT_OUT = pytest.StashKey[str]()


def pytest_report_collectionfinish(config: pytest.Config) -> list[str]:
    return [config.stash[_LEFT_OUT]] if _LEFT_OUT in config.stash else []
