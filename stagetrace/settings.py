"""The only reader of environment variables."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tracer.errors import DataMissingError

_BESIDE = Path("../shared/data")
"""Where benchmark files are looked for when nothing is said: beside the project's folder."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where `openai:NAME` models are asked."""

    base_url: str | None
    api_key: str | None


def environment(name: str, default: str | None = None) -> str | None:
    """The value of an environment variable; an empty one counts as not set."""
    return os.environ.get(name) or default


def data_folder(name: str) -> str:
    """The folder that holds a benchmark's files, such as `workbench`.

    Looked for in `STAGETRACE_DATA`, else beside the project, else in the cache folder.

    Raises:
        DataMissingError: None of these places has the folder.
    """
    named = environment("STAGETRACE_DATA")
    places = [Path(named)] if named else [_BESIDE, cache_folder() / "data"]
    for place in places:
        if (place / name).is_dir():
            return str(place / name)
    looked = ", ".join(str(place / name) for place in places)
    raise DataMissingError(
        f"no data of {name!r}: looked in {looked}; "
        f"set STAGETRACE_DATA to the folder that holds a folder {name!r}, "
        f"or get it by: stagetrace data fetch {name}"
    )


def data_home() -> Path:
    """Where fetched benchmark files are kept: `STAGETRACE_DATA`, else in the cache folder."""
    named = environment("STAGETRACE_DATA")
    return Path(named) if named else cache_folder() / "data"


def cache_folder() -> Path:
    """Where fetched weights are kept: `STAGETRACE_CACHE`, else the user's cache folder."""
    named = environment("STAGETRACE_CACHE")
    if named:
        return Path(named)
    base = environment("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "stagetrace"


def model_folders() -> list[Path]:
    """Folders in which a model's weights are looked for, the first one that has them wins."""
    named = environment("STAGETRACE_MODELS")
    return ([Path(named)] if named else []) + [cache_folder() / "models"]


def endpoint() -> Endpoint:
    """The OpenAI-compatible endpoint, from `OPENAI_BASE_URL` and `OPENAI_API_KEY`."""
    return Endpoint(environment("OPENAI_BASE_URL"), environment("OPENAI_API_KEY"))


def terminal() -> Mapping[str, str]:
    """The variables that say how the terminal is to be written to."""
    names = ("COLUMNS", "NO_COLOR", "FORCE_COLOR", "TERM")
    return {name: os.environ[name] for name in names if os.environ.get(name)}
