"""The tiny sandbox as a module, and the command line over it in a process of its own."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

TINY = Path(__file__).with_name("tiny_box.py")


@pytest.fixture(scope="session")
def box() -> ModuleType:
    """The module `tiny_box`."""
    spec = importlib.util.spec_from_file_location("tiny_box", TINY)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["tiny_box"] = module
    spec.loader.exec_module(module)
    return module


class Project:
    """A folder with `tiny_box.py` in it, where the command line is run."""

    tiny = (
        *("run", "tiny_box:tiny", "--assistant", "tools"),
        *("--model", "tiny_box:scripted", "--out", "here"),
    )
    """A run of the tiny sandbox into the folder `here`."""

    def __init__(
        self, folder: Path, patch: pytest.MonkeyPatch, capture: pytest.CaptureFixture[str]
    ) -> None:
        self.folder = folder
        self._patch, self._capture = patch, capture
        shutil.copy(TINY, folder / "tiny_box.py")

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        """The command line as a process."""
        return subprocess.Popen(
            [sys.executable, "-m", "stagetrace", *arguments],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": "", **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run(self, *arguments: str, **environment: str) -> tuple[int, str, str]:
        """Status, stdout and stderr of one command."""
        with self.start(*arguments, **environment) as process:
            try:
                out, err = process.communicate(timeout=280)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
        return process.returncode, out, err

    def inside(self, *arguments: str, **environment: str) -> tuple[int, str, str]:
        """The same in this process, which starts no program: no workers, no signals."""
        from stagetrace.commandline import run

        self._capture.readouterr()
        with self._patch.context() as patch:
            patch.chdir(self.folder)
            for name, value in environment.items():
                patch.setenv(name, value)
            status = run(arguments)
        out, err = self._capture.readouterr()
        return status, out, err


@pytest.fixture
def project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Project:
    return Project(tmp_path, monkeypatch, capsys)


@pytest.fixture
def tiny_run(box: ModuleType, project: Project) -> Callable[..., tuple[int, str, str]]:
    """`stagetrace run` of the tiny sandbox into the folder `here`, in this process."""

    def run(*arguments: str, **environment: str) -> tuple[int, str, str]:
        return project.inside(*project.tiny, *arguments, **environment)

    return run
