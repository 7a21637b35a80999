"""From a suite's name on the command line to a sandbox."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, cast

from assistants.base import EMBEDDERS
from sandboxes.base import SANDBOXES, Sandbox
from stagetrace import settings
from tracer.errors import MissingExtraError, ModelWeightsMissingError
from tracer.protocols import Embedder

SIMILARITY = "minilm"
"""Compares texts where a benchmark's rules ask for it and the weights are here."""


def open_suite(name: str, mode: str | None = None, *, grading: bool = False) -> Sandbox:
    """A fresh sandbox for `SCHEME`, `SCHEME:PART` or `MODULE:ATTR`.

    Args:
        name: As on the command line.
        mode: Grading mode; None for the suite's own default.
        grading: Hand the suite a text similarity where its rules ask for one. Without the weights
            it compares equal texts only and says so in every outcome.

    Raises:
        UnknownNameError: No suite has this name; the nearest names are offered.
        DataMissingError: Its files are not there.
    """
    scheme, _, part = name.partition(":")
    if scheme not in SANDBOXES.names():
        find_own_modules(name)
        scheme, part = name, ""
    factory = cast(Any, SANDBOXES.get(scheme))
    options: dict[str, Any] = {"mode": mode, "data": settings.data_folder}
    if grading and getattr(factory, "takes_similarity", False):
        options["similarity"] = _similarity()
    return cast(Sandbox, factory(part, **options))


def _similarity() -> Embedder | None:
    try:
        return EMBEDDERS.get(SIMILARITY)(folders=settings.model_folders())
    except (MissingExtraError, ModelWeightsMissingError):
        return None


def find_own_modules(name: str) -> None:
    """Have `MODULE:ATTR` found in the current folder, after all that is installed."""
    here = str(Path.cwd())
    if ":" in name and here not in sys.path:
        sys.path.append(here)
