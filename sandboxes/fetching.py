"""Getting a benchmark's files from its repository, a local clone of it, or a plain folder."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from sandboxes.data import CARD, Problem, Source, card, digest, located, problems
from tracer.errors import DataMissingError, InputError, StoreError

_TIMEOUT_S = 600.0
_SHOWN = 3
Read = Callable[[str], bytes | None]
"""Path upstream to content; None when there is no such file."""


def fetch(one: Source, target: Path, origin: Path | None = None) -> Path:
    """The folder `target` with every file checked, the licence and the data card in it.

    Args:
        one: What to fetch.
        target: Folder to make; one that holds the same files already is left as it is.
        origin: A local clone or folder to take the files from; None for the upstream repository.

    Raises:
        InputError: git is not there, the origin has no such commit or files, or a file differs from
            its digest. Nothing is left behind.
        StoreError: The folder cannot be written.
    """
    if target.is_dir() and any(target.iterdir()):
        if problems(target, one):
            raise InputError(
                f"{target}: holds other files than {one.title} at {one.commit[:7]}; move the "
                "folder away or name another by --to"
            )
        return target
    content = _content(one, origin)
    bad = [Problem(f, "absent") for f in one.files if f not in content]
    bad += [Problem(f, "differs") for f, data in content.items() if digest(data) != one.files[f]]
    if bad:
        raise InputError(_refused(one, origin, bad))
    try:
        _write(one, target, content)
    except OSError as error:
        raise StoreError(f"{target}: cannot be written ({error.strerror})") from error
    return target


def _write(one: Source, target: Path, content: Mapping[str, bytes]) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{one.name}-", dir=target.parent) as made:
        folder = Path(made) / one.name
        for file, data in content.items():
            path = folder / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        (folder / CARD).write_text(card(one), encoding="utf-8")
        if target.is_dir():
            target.rmdir()
        folder.replace(target)


def _refused(one: Source, origin: Path | None, bad: list[Problem]) -> str:
    shown = ", ".join(f"{problem.file} ({problem.state})" for problem in bad[:_SHOWN])
    more = f" and {len(bad) - _SHOWN} more" if len(bad) > _SHOWN else ""
    where = origin or one.repository
    return (
        f"{where}: {len(bad)} of {len(one.files)} files are not those of {one.title} at commit "
        f"{one.commit[:7]}: {shown}{more}; nothing was written"
    )


def _content(one: Source, origin: Path | None) -> dict[str, bytes]:
    if origin is None:
        with tempfile.TemporaryDirectory(prefix="stagetrace-git-") as made:
            folder = Path(made)
            _git(folder, "init", "--quiet", "--bare", ".")
            _git(folder, "fetch", "--quiet", "--depth=1", one.repository, one.commit)
            return _of_commit(one, folder)
    if not origin.is_dir():
        raise DataMissingError(f"{origin}: no such folder; give --from a local clone or folder")
    if _has_commit(origin, one.commit):
        return _of_commit(one, origin)
    found = {file: located(origin, one, file) for file in one.files}
    return {file: path.read_bytes() for file, path in found.items() if path is not None}


def _has_commit(folder: Path, commit: str) -> bool:
    """Whether a folder is a repository of its own that has the commit."""
    own = (folder / ".git").exists() or (folder / "objects").is_dir()
    if not own or shutil.which("git") is None:
        return False
    return _run_git(folder, "cat-file", "-e", f"{commit}^{{commit}}")[0] == 0


def _of_commit(one: Source, folder: Path) -> dict[str, bytes]:
    """The files as the commit holds them: no line end, link or filter of a checkout plays in."""
    found = {}
    names = _git(folder, "ls-tree", "-r", "--name-only", "-z", one.commit).decode().split("\0")
    known = set(names)
    for file in one.files:
        path = next((name for name in one.upstream(file) if name in known), None)
        if path is not None:
            found[file] = _git(folder, "cat-file", "blob", f"{one.commit}:{path}")
    return found


def _git(folder: Path, *arguments: str) -> bytes:
    """What git prints.

    Raises:
        InputError: It is not installed, or it failed; its own last line is in the text.
    """
    status, out, err = _run_git(folder, *arguments)
    if status:
        lines = err.decode(errors="replace").strip().splitlines() or [f"status {status}"]
        raise InputError(
            f"git {arguments[0]} failed: {lines[-1][:300]}; check the network, or give a local "
            "clone or folder by --from PATH"
        )
    return out


def _run_git(folder: Path, *arguments: str) -> tuple[int, bytes, bytes]:
    import subprocess

    program = shutil.which("git")
    if program is None:
        raise InputError(
            "git is not installed; install it, or download the repository's files and give their "
            "folder by --from PATH"
        )
    # Without a terminal and input git asks nobody for a name or password, it fails.
    options = ("-c", "credential.helper=", "-c", "core.askPass=", "-c", "safe.directory=*")
    try:
        done = subprocess.run(
            [program, *options, "-C", str(folder), *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIMEOUT_S,
            start_new_session=True,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise InputError(
            f"git {arguments[0]}: not done after {_TIMEOUT_S:.0f} s; try again, or give a local "
            "clone or folder by --from PATH"
        ) from error
    return done.returncode, done.stdout, done.stderr
